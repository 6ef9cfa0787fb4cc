"""Reads the photographs that players take with their phones, by the same reader as the table's camera.

What is sent may be anything. A picture's size is read from its first bytes: one that would take too much memory is
never unpacked. Which way up it is does not matter, so what its file says of that is not asked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import cv2
import numpy as np

from companion.tabletop.photo_reader import PhotoError
from vision.decoding.decoder import precompute_templates, read_codes
from vision.geometry import GrayImage

MOST_PIXELS = 52_000_000
"""What phones make at most in 12 MiB. Some files need four bytes for each while they are unpacked."""
LONGEST_PX = 2400
"""Larger pictures are read smaller: a card that was photographed by itself is large enough."""
PATIENCE_S = 15.0
"""How long a photograph waits for those before it; one at a time is read."""

JPEG, PNG = b"\xff\xd8", b"\x89PNG\r\n\x1a\n"
FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The JPEG markers that are followed by height and width (ITU T.81, table B.1)."""
BARE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Those that nothing follows."""


class PhotoReader:
    """Reads one photograph at a time: on a small computer several would take the memory, and the game's time."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self._turn = threading.Lock()

    def __call__(self, data: bytes) -> frozenset[str]:
        """The ids of the known codes in a JPEG or PNG file. Raises PhotoError."""
        if not self._turn.acquire(timeout=PATIENCE_S):
            raise PhotoError("busy")
        try:
            picture = unpacked(data)
            precompute_templates(self._known)
            return frozenset(code.id for code in read_codes(picture, self._known) if code.id)
        finally:
            self._turn.release()


def unpacked(data: bytes) -> GrayImage:
    """The picture in a file, grey and not larger than it is read. Raises PhotoError."""
    size = size_of(data)
    if size is None:
        raise PhotoError("no_picture")
    if size[0] * size[1] > MOST_PIXELS:
        raise PhotoError("too_many_pixels")
    # A JPEG in half its size is unpacked in a quarter of the time and the memory.
    large = data.startswith(JPEG) and max(size) >= 2 * LONGEST_PX
    flags = cv2.IMREAD_REDUCED_GRAYSCALE_2 if large else cv2.IMREAD_GRAYSCALE
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), flags | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error as error:
        raise PhotoError("no_picture") from error
    if picture is None or not picture.size:
        raise PhotoError("no_picture")
    share = min(1.0, LONGEST_PX / max(picture.shape))
    smaller = picture if share == 1 else cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, np.uint8)


def size_of(data: bytes) -> tuple[int, int] | None:
    """Width and height, pixels, as the file's own beginning says; None if it is no JPEG or PNG."""
    if data.startswith(PNG) and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    sizes = (
        (int.from_bytes(data[at + 5 : at + 7]), int.from_bytes(data[at + 3 : at + 5]))
        for marker, at in _segments(data)
        if marker in FRAMES and at + 7 <= len(data)
    )
    return next(sizes, None)


def _segments(data: bytes) -> Iterator[tuple[int, int]]:
    """The segments of a JPEG before its picture: each marker, and where its length stands."""
    at = 2 if data.startswith(JPEG) else len(data)
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, at = data[at + 1], at + 2
        if marker == 0xFF:
            at -= 1  # a byte that only fills
        elif marker not in BARE:
            yield marker, at
            at += max(2, int.from_bytes(data[at : at + 2]))
