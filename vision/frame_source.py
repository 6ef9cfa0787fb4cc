"""Frame sources: iterables of (t, image) with `close()`.

`t` is the time of the frame in seconds, on the source's own clock. The image is BGR, or YUV from the Pi's camera."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import cv2
import numpy as np

from companion.text.messages import TextError
from vision.geometry import Frame
from vision.yuv import CameraImage

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read when the first stream is opened
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # OpenCV's warnings mean nothing to users


class CameraError(TextError):
    """Raised when a source delivers no frames. The message gives the reason and the remedy."""


class FrameSource(Protocol):
    """An iterable of (t, image) that ends when it is closed, or at the end of a file. Iterating raises CameraError if
    the source fails."""

    def __iter__(self) -> Iterator[tuple[float, CameraImage]]: ...
    def close(self) -> None: ...


def source_name(spec: str) -> str:
    """The name of a source, for messages that everyone may read. A URL is cut to its scheme and host, because the rest
    may contain a password or a token."""
    scheme, separator, rest = spec.partition("://")
    before, at, after = rest.rpartition("@")
    if not separator:
        return "…" if "@" in spec else spec  # an address with a mistake
    if at and re.search("[?#=&]", before):
        return f"{scheme}://…"  # what follows the @ may belong to the password
    return f"{scheme}://{re.split('[/?#]', after)[0]}"


def frame_or_none(read: Callable[[], tuple[bool, Any]]) -> Frame | None:
    """The frame that OpenCV's function `read` returns, or None at the end or on an error."""
    try:
        ok, frame = read()
    except cv2.error:
        return None
    return np.asarray(frame, np.uint8) if ok and frame is not None and frame.size else None
