"""The worker process that reads the codes in photographs: the decoder, with limits on memory and time.

Photographs are untrusted, and a decoder of image files may hang, crash or take all memory. `vision.photo_process`
starts the worker, and kills it when a photograph takes too long.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection

import cv2
import msgspec
import numpy as np

from companion.platform_calls import limit_cpu_time, limit_memory
from companion.tabletop.photo_interface import PhotoError, PhotoProblem
from vision import use_one_thread
from vision.decoding.decoder import precompute_templates, read_codes
from vision.geometry import GrayImage
from vision.photo_validation import JPEG_MAGIC, image_size, sanitized_photo

MAX_SIDE_PX = 2400
"""An image with a longer side is scaled down to this. A card that was photographed by itself is then still large enough
to be read."""
MAX_MEMORY_BYTES = 640 * 1024 * 1024
"""The memory that the worker may use. A third of it is for the decoder itself, the rest for the photograph: a
progressive JPEG takes up to six bytes per pixel while it is decoded."""
MAX_CPU_S = 5
"""The CPU time that a photograph may take, in seconds."""
IDLE_TIMEOUT_S = 60.0
"""The worker ends after this many seconds without a photograph, because it takes 150 MB of a small computer's
memory."""

PhotoResult = frozenset[str] | PhotoProblem
"""The worker's response to a photograph: the ids of the codes in it, or why it can't be read."""
READY = b"ready"
"""The message that the worker sends when it has started."""


def run_photo_worker(pipe: Connection, known: frozenset[str]) -> None:
    """The entry point of the worker process. Reads photographs that come through the pipe, until none has come for
    IDLE_TIMEOUT_S or the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends this process
    _silence_libraries()
    use_one_thread()
    precompute_templates(known)
    limit_memory(MAX_MEMORY_BYTES)
    with suppress(EOFError, ConnectionError):  # the parent has ended
        pipe.send_bytes(READY)
        while pipe.poll(IDLE_TIMEOUT_S):
            data = pipe.recv_bytes()
            limit_cpu_time(MAX_CPU_S)
            pipe.send_bytes(msgspec.json.encode(read_photo(data, known)))


def read_photo(data: bytes, known: frozenset[str]) -> PhotoResult:
    """The ids of the known codes in a JPEG or PNG file, or why the file can't be read."""
    try:
        return frozenset(code.id for code in read_codes(decode_image(data), known, is_photo=True) if code.id)
    except PhotoError as error:
        return error.reason
    except MemoryError:
        return "too_complex"


def decode_image(data: bytes) -> GrayImage:
    """The image in a JPEG or PNG file, in gray, scaled down so that no side is longer than MAX_SIDE_PX. Its EXIF
    orientation is ignored, because codes are read in any orientation. Raises PhotoError if the image can't be decoded,
    MemoryError if that takes too much memory."""
    data = sanitized_photo(data)
    # Decoding a JPEG at half its size takes a quarter of the time and the memory.
    halve = data.startswith(JPEG_MAGIC) and max(image_size(data) or (0,)) >= 2 * MAX_SIDE_PX
    flags = cv2.IMREAD_REDUCED_GRAYSCALE_2 if halve else cv2.IMREAD_GRAYSCALE
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error as error:
        raise PhotoError("too_complex" if error.code == cv2.Error.StsNoMem else "no_picture") from error
    if image is None or not image.size:
        raise PhotoError("no_picture")
    scale = min(1.0, MAX_SIDE_PX / max(image.shape))
    scaled = image if scale == 1 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(scaled, np.uint8)


def _silence_libraries() -> None:
    """Discards what C libraries write to standard error, because they write a line about each damaged byte. Python's
    own errors are still written."""
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
