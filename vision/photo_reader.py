"""Reads the codes in photographs from players' phones, with the same decoder as the table's camera.

Uploads are untrusted. An image's size is parsed from its header, and one that would take too much memory is never
decompressed. The EXIF orientation is ignored, because codes are read in any orientation.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import cv2
import numpy as np

from companion.tabletop.photo_interface import PhotoError
from vision.decoding.decoder import precompute_templates, read_codes
from vision.geometry import GrayImage

MAX_PIXELS = 52_000_000
"""A photograph with more pixels is refused. Phones don't produce more in 12 MiB, and decompressing some files takes
four bytes per pixel."""
MAX_SIDE_PX = 2400
"""A larger image is scaled down to this: a card that was photographed by itself is large enough."""
QUEUE_TIMEOUT_S = 15.0
"""How long a photograph waits until those before it have been read. Then it is refused."""

JPEG_MAGIC, PNG_MAGIC = b"\xff\xd8", b"\x89PNG\r\n\x1a\n"
START_OF_FRAME_MARKERS = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The JPEG segments that hold height and width (ITU T.81, table B.1)."""
STANDALONE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})
"""The JPEG markers without a segment."""


class PhotoReader:
    """Reads the codes in photographs, one photograph at a time: on a small computer several would exhaust memory and
    slow down the game."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self._lock = threading.Lock()

    def __call__(self, data: bytes) -> frozenset[str]:
        """The ids of the known codes in a JPEG or PNG file. Raises PhotoError."""
        if not self._lock.acquire(timeout=QUEUE_TIMEOUT_S):
            raise PhotoError("busy")
        try:
            image = decode_image(data)
            precompute_templates(self._known)
            return frozenset(code.id for code in read_codes(image, self._known) if code.id)
        finally:
            self._lock.release()


def decode_image(data: bytes) -> GrayImage:
    """The image in a JPEG or PNG file, in gray, scaled down so that no side is longer than MAX_SIDE_PX. Raises
    PhotoError."""
    size = image_size(data)
    if size is None:
        raise PhotoError("no_picture")
    if size[0] * size[1] > MAX_PIXELS:
        raise PhotoError("too_many_pixels")
    # Decoding a JPEG at half its size takes a quarter of the time and the memory.
    halve = data.startswith(JPEG_MAGIC) and max(size) >= 2 * MAX_SIDE_PX
    flags = cv2.IMREAD_REDUCED_GRAYSCALE_2 if halve else cv2.IMREAD_GRAYSCALE
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error as error:
        raise PhotoError("no_picture") from error
    if image is None or not image.size:
        raise PhotoError("no_picture")
    scale = min(1.0, MAX_SIDE_PX / max(image.shape))
    scaled = image if scale == 1 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(scaled, np.uint8)


def image_size(data: bytes) -> tuple[int, int] | None:
    """The width and height of an image in pixels, according to the file's header; None if the file is no JPEG or
    PNG."""
    if data.startswith(PNG_MAGIC) and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    sizes = (
        (int.from_bytes(data[offset + 5 : offset + 7]), int.from_bytes(data[offset + 3 : offset + 5]))
        for marker, offset in _jpeg_segments(data)
        if marker in START_OF_FRAME_MARKERS and offset + 7 <= len(data)
    )
    return next(sizes, None)


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Yields the marker of each segment before the image data of a JPEG, and the offset of the segment's length in
    `data`."""
    offset = 2 if data.startswith(JPEG_MAGIC) else len(data)
    while offset + 4 <= len(data) and data[offset] == 0xFF:
        marker, offset = data[offset + 1], offset + 2
        if marker == 0xFF:
            offset -= 1  # a fill byte
        elif marker not in STANDALONE_MARKERS:
            yield marker, offset
            offset += max(2, int.from_bytes(data[offset : offset + 2]))
