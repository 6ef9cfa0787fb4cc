"""Checks the structure of JPEG and PNG files, so that no untrusted photograph takes much time or memory to decode.

The time to decode a JPEG is proportional to the number of pixels times the number of scans, and a scan may be only a
dozen bytes long. The texts and color profiles in a PNG may unpack to a thousand times their size, so they are removed.

Law: pure. Any bytes are accepted or refused with PhotoError, in time proportional to their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from companion.tabletop.photo_interface import PhotoError

MAX_PIXELS = 52_000_000
"""A photograph with more pixels is refused. Uploads are limited to 12 MiB, and no phone's photograph of that size has
so many pixels."""
MAX_PNG_BYTES = 4 * MAX_PIXELS
"""A PNG that unpacks to more bytes is refused."""
MAX_SCANS = 24
"""A JPEG with more scans is refused. Progressive JPEGs from cameras and programs have about ten."""
MAX_SEGMENTS = 1000
"""A JPEG with more segments is refused. Photographs have a few dozen."""
MAX_CHUNKS = 10_000
"""A PNG with more chunks is refused. Encoders write at least 4 KiB of image data in each."""

JPEG_MAGIC, PNG_MAGIC = b"\xff\xd8", b"\x89PNG\r\n\x1a\n"
SEGMENT_MARKER = re.compile(rb"\xff[\xc0-\xcf\xd9-\xfe]")
"""A JPEG marker that begins a segment or ends the image (ITU T.81, table B.1). Decoders skip anything else between
segments, and image data contains no such bytes."""
START_OF_FRAME_MARKERS = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The JPEG segments that hold height and width."""
END_OF_IMAGE_MARKER, START_OF_SCAN_MARKER = 0xD9, 0xDA
PNG_HEADER_BYTES = 33
"""The length of a PNG file up to the end of its IHDR chunk."""
CHUNK_OVERHEAD_BYTES = 12
"""The length of a PNG chunk's length, type and checksum."""
PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""The number of values per pixel by PNG color type."""
PNG_CHUNKS = frozenset({b"PLTE", b"tRNS", b"IDAT", b"IEND"})
"""The chunks after IHDR that decoding needs."""


def sanitized_photo(data: bytes) -> bytes:
    """Returns a JPEG file as it is, and a PNG file without the chunks that decoding does not need. Raises PhotoError if
    `data` is neither, or if decoding would take too much time or memory."""
    size = image_size(data)
    if size is None or 0 in size:
        raise PhotoError("no_picture")
    if size[0] * size[1] > MAX_PIXELS:
        raise PhotoError("too_many_pixels")
    if data.startswith(PNG_MAGIC):
        return _checked_png(data, *size)
    if sum(marker == START_OF_SCAN_MARKER for marker, _ in _jpeg_segments(data)) > MAX_SCANS:
        raise PhotoError("too_complex")
    return data


def image_size(data: bytes) -> tuple[int, int] | None:
    """The width and height of an image in pixels, as stated in the header of a JPEG or PNG file; None if the file has
    no such header. Raises PhotoError if a JPEG has too many segments."""
    if data.startswith(PNG_MAGIC):
        is_whole = len(data) >= PNG_HEADER_BYTES and data[12:16] == b"IHDR"
        return (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) if is_whole else None
    sizes = (
        (int.from_bytes(data[offset + 5 : offset + 7]), int.from_bytes(data[offset + 3 : offset + 5]))
        for marker, offset in _jpeg_segments(data)
        if marker in START_OF_FRAME_MARKERS and offset + 7 <= len(data)
    )
    return next(sizes, None)


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Yields the marker of each segment of a JPEG, and the offset of the segment's length in `data`. Finds every
    segment that libjpeg would find, even in damaged files. Raises PhotoError if there are too many."""
    offset, count = 2 if data.startswith(JPEG_MAGIC) else len(data), 0
    while found := SEGMENT_MARKER.search(data, offset):
        marker, offset, count = data[found.start() + 1], found.end(), count + 1
        if marker == END_OF_IMAGE_MARKER:
            return
        if count > MAX_SEGMENTS:
            raise PhotoError("too_complex")
        yield marker, offset
        offset += max(2, int.from_bytes(data[offset : offset + 2]))


def _checked_png(data: bytes, width: int, height: int) -> bytes:
    """The PNG file with only the chunks that decoding needs. Raises PhotoError if the color type is unknown, or if
    there are too many pixels or chunks."""
    depth, channels = data[24], PNG_CHANNELS.get(data[25])
    if channels is None:
        raise PhotoError("no_picture")
    if height * (width * channels * depth // 8 + 1) > MAX_PNG_BYTES:
        raise PhotoError("too_many_pixels")
    chunks = (chunk for chunk in _png_chunks(data) if chunk[4:8] in PNG_CHUNKS)
    return b"".join((data[:PNG_HEADER_BYTES], *chunks))


def _png_chunks(data: bytes) -> Iterator[bytes]:
    """Yields each chunk of a PNG after IHDR, with its length, type and checksum. Raises PhotoError if there are too
    many."""
    offset = PNG_HEADER_BYTES
    for _ in range(MAX_CHUNKS):
        if offset >= len(data):
            return
        size = int.from_bytes(data[offset : offset + 4]) + CHUNK_OVERHEAD_BYTES
        yield data[offset : offset + size]
        offset += size
    raise PhotoError("too_complex")
