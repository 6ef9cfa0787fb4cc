"""The interface to a reader of photographs, for tables without a camera.

Law: pure. `vision.photo_reader` implements it and `web.photo_moves` uses it; neither imports the other. Photographs are
neither stored nor shown to anyone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

PhotoProblem = Literal["no_picture", "too_many_pixels", "too_complex", "busy"]


class PhotoError(Exception):
    """A photograph can't be read: the file is no picture, the picture is larger than any phone takes, decoding it would
    take too much time or memory, or the reader is busy with others."""

    def __init__(self, reason: PhotoProblem) -> None:
        super().__init__(reason)
        self.reason: PhotoProblem = reason


Reader = Callable[[bytes, str], frozenset[str]]
"""A function that returns the ids of the printed components in a picture file. It gets the file as bytes and a key of
the phone that sent it: while it reads a picture of a phone, it refuses others of the same phone. It raises PhotoError,
and any thread may call it."""

PhoneReader = Callable[[bytes], frozenset[str]]
"""A Reader for the pictures of one phone."""
