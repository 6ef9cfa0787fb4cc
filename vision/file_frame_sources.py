"""Frame sources that read files: videos and folders of images. They deliver every frame."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np

from companion.text.messages import _
from vision import MAX_MEGAPIXELS
from vision.frame_source import CameraError, frame_or_none
from vision.geometry import Frame

STDERR_FD = 2
FOLDER_FPS = 10.0
IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".pgm", ".ppm"}


class VideoFile:
    """A source that delivers every frame of a video file. `t` is the frame number, from 0, divided by the frame
    rate."""

    def __init__(self, path: Path) -> None:
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise CameraError(_("Can’t read {path} as a video. Try MP4 or AVI.", path=path))
        self._fps = frame_rate(self._capture)
        self._path = path

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        number = 0
        while (frame := frame_or_none(self._capture.read)) is not None:
            yield number / self._fps, frame
            number += 1
        if not number:
            raise CameraError(_("{path} has no readable frame. Record it again.", path=self._path))

    def close(self) -> None:
        self._capture.release()


def frame_rate(capture: cv2.VideoCapture) -> float:
    """The frame rate of a video, in frames per second; 25 if the file doesn't state a plausible one."""
    fps = capture.get(cv2.CAP_PROP_FPS)
    return fps if 0 < fps < 1000 else 25.0


class ImageFolder:
    """A source that delivers the images in a folder, sorted by name, at `FOLDER_FPS` frames per second. Images that
    can't be read are reported on standard error and skipped."""

    def __init__(self, path: Path) -> None:
        self._paths = sorted(p for p in path.iterdir() if p.suffix.lower() in IMAGE_SUFFIXES)
        if not self._paths:
            raise CameraError(_("{path} contains no pictures. Put PNG or JPEG files there.", path=path))
        self._closed = False

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        for number, path in enumerate(self._paths):
            frame = self._load_or_report(path)
            if self._closed:
                return
            if frame is not None:
                yield number / FOLDER_FPS, frame

    def _load_or_report(self, path: Path) -> Frame | None:
        frame, reason = None, "not an image"
        try:
            frame = load_image(path, cv2.IMREAD_COLOR)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
        if frame is None:
            print(f"Skipping {path}: {reason}.", file=sys.stderr, flush=True)
        return frame

    def close(self) -> None:
        self._closed = True


def load_image(path: Path, flags: int) -> Frame | None:
    """The image in a file, decoded with OpenCV's `flags`; None if the file is not an image. Raises OSError if it can't
    be opened or is too large."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "not a regular file")  # reading a device may never end
    data = np.frombuffer(path.read_bytes(), np.uint8)
    try:
        with mute_stderr():
            image = cv2.imdecode(data, flags) if data.size else None
    except cv2.error as error:
        if "IO_MAX_IMAGE" in str(error):
            raise OSError(errno.EFBIG, f"more than {MAX_MEGAPIXELS} megapixels") from error
        return None
    return None if image is None or not image.size else np.asarray(image, np.uint8)


@contextmanager
def mute_stderr() -> Iterator[None]:
    """A context manager that discards what libpng and libjpeg print to standard error about a broken image."""
    try:
        saved = os.dup(STDERR_FD)
    except OSError:  # standard error is closed
        yield
        return
    devnull = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(devnull, STDERR_FD)
        yield
    finally:
        os.dup2(saved, STDERR_FD)
        os.close(devnull)
        os.close(saved)
