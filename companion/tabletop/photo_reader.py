"""What reads a photograph that a player took with a phone: where there is no camera over the table.

Law: pure. `vision/photo_reader.py` reads, `web/photo.py` asks; neither knows the other. A photograph is neither kept nor told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Trouble = Literal["no_picture", "too_many_pixels", "busy"]


class PhotoError(Exception):
    """A photograph that is not looked at, and why: it is no picture, it is larger than any that a phone makes, or
    others are being read."""

    def __init__(self, why: Trouble) -> None:
        super().__init__(why)
        self.why: Trouble = why


Reader = Callable[[bytes], frozenset[str]]
"""The ids of the printed things in a picture file. Raises PhotoError; safe from any thread."""
