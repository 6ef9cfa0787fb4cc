"""The interface to a reader of photographs, for tables without a camera.

Law: pure. `vision.photo_queue` implements it and `web.moves.photo_moves` uses it; neither imports the other.
Photographs are neither stored nor shown to anyone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

PhotoProblem = Literal["no_picture", "too_many_pixels", "too_complex", "busy"]


class PhotoError(Exception):
    """The error for a photograph that can't be read: it is not a picture, it has more pixels than any phone's camera
    takes, decoding it would take too much time or memory, or the reader is busy with other photographs."""

    def __init__(self, reason: PhotoProblem) -> None:
        super().__init__(reason)
        self.reason: PhotoProblem = reason


Reader = Callable[[bytes, str], frozenset[str]]
"""A function that returns the ids of the printed components in a picture file. Its arguments are the contents of the
file and a key that identifies the phone. While the function reads a picture from a phone, it refuses other pictures
from the same phone. It raises PhotoError. Any thread may call it."""

PhoneReader = Callable[[bytes], frozenset[str]]
"""A Reader for the pictures of one phone."""
