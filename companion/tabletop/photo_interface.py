"""The interface to a reader of photographs, for tables without a camera.

Law: pure. `vision.photo_reader` implements it and `web.photo` uses it; neither imports the other. Photographs are
neither stored nor shown to anyone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

PhotoProblem = Literal["no_picture", "too_many_pixels", "busy"]


class PhotoError(Exception):
    """A photograph can't be read: the file is no picture, the picture is larger than any phone takes, or the reader is
    busy with others."""

    def __init__(self, reason: PhotoProblem) -> None:
        super().__init__(reason)
        self.reason: PhotoProblem = reason


Reader = Callable[[bytes], frozenset[str]]
"""A function that returns the ids of the printed components in a picture file, which it gets as bytes. It raises
PhotoError, and any thread may call it."""
