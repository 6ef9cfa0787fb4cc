"""Frames from wherever they come: cameras, files, streams.

A source is an iterable of (t, picture) with `close()`; t is in the source's own seconds, a picture is blue green red,
or what the Pi's camera has: light and colour apart. Live sources keep the newest picture only, read by a thread of
their own; files give every frame.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # read when the first stream is opened

import cv2
import numpy as np

from companion.text.translation import later
from vision import MEGAPIXELS
from vision.geometry import Frame
from vision.yuv import CameraImage, YuvImage

cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # its warnings are no words for users

WIDTH, HEIGHT = 1920, 1080
STDERR = 2
FOCUS_CONTINUOUSLY = 2
"""libcamera's AfModeContinuous; its default is to leave the lens alone."""
OPEN_MS, READ_MS = 5000, 3000
STALE_S = 0.5
SILENCE_S = 20.0
"""So long a live source may try to come back before its silence is an error."""
RETRY_S = (0.5, 1.0, 2.0, 4.0)
PICTURES_A_SECOND = 10.0
PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".pgm", ".ppm"}
STREAMS = ("http://", "https://", "rtsp://", "rtsps://", "tcp://", "udp://")


class CameraError(Exception):
    """No frames come; the message says why and how to mend it."""


class FrameSource(Protocol):
    """Frames until it ends or is closed; iterating raises CameraError when no more come that should."""

    def __iter__(self) -> Iterator[tuple[float, CameraImage]]: ...
    def close(self) -> None: ...


def open_source(spec: str) -> FrameSource:
    """The source that a user names: a camera's number or device, `picamera2`, a video, a folder, a URL."""
    if spec.isdecimal() or spec.startswith("/dev/"):
        return Live(lambda: UsbCamera(spec))
    if spec == "picamera2":
        return Live(PiCamera)
    if spec.lower().startswith(STREAMS):
        return Live(lambda: Stream(spec))
    path = Path(spec)
    if path.is_dir():
        return Folder(path)
    if path.is_file():
        return Video(path)
    raise CameraError(
        later(
            "There is no {source}. Name a camera (0, /dev/video0, picamera2), a video, a folder or a URL.", source=spec
        )
    )


class Video:
    """Every frame of a file; t is the frame's number divided by the file's frame rate."""

    def __init__(self, path: Path) -> None:
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise CameraError(later("{path} is no video that can be read; try MP4 or AVI.", path=path))
        self._fps = rate(self._capture)
        self._path = path

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        number = 0
        while (frame := grab(self._capture)) is not None:
            yield number / self._fps, frame
            number += 1
        if not number:
            raise CameraError(later("{path} holds no frame that can be read; record it again.", path=self._path))

    def close(self) -> None:
        self._capture.release()


def rate(capture: cv2.VideoCapture) -> float:
    """Frames a second; 25 where the file does not say."""
    fps = capture.get(cv2.CAP_PROP_FPS)
    return fps if 0 < fps < 1000 else 25.0


def grab(capture: cv2.VideoCapture) -> Frame | None:
    """The next frame, or None."""
    try:
        ok, frame = capture.read()
    except cv2.error:
        return None
    return np.asarray(frame, np.uint8) if ok and frame is not None and frame.size else None


class Folder:
    """The pictures of a folder in the order of their names, ten a second; others are told and left out."""

    def __init__(self, path: Path) -> None:
        self._paths = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES)
        if not self._paths:
            raise CameraError(later("{path} holds no pictures; put PNG or JPEG files there.", path=path))
        self._closed = False

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        for number, path in enumerate(self._paths):
            frame = self._load(path)
            if self._closed:
                return
            if frame is not None:
                yield number / PICTURES_A_SECOND, frame

    def _load(self, path: Path) -> Frame | None:
        frame, why = None, "it is no picture"
        try:
            frame = load(path, cv2.IMREAD_COLOR)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
        if frame is None:
            print(f"{path} is left out: {why}.", file=sys.stderr, flush=True)
        return frame

    def close(self) -> None:
        self._closed = True


def load(path: Path, flags: int) -> Frame | None:
    """A picture file, or None if it is none. OSError if it can't be opened or is too large."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "it is not an ordinary file")  # a device may never end
    data = np.frombuffer(path.read_bytes(), np.uint8)
    try:
        with hushed():
            picture = cv2.imdecode(data, flags) if data.size else None
    except cv2.error as error:
        if "IO_MAX_IMAGE" in str(error):
            raise OSError(errno.EFBIG, f"it has more than {MEGAPIXELS} megapixels") from error
        return None
    return None if picture is None or not picture.size else np.asarray(picture, np.uint8)


@contextmanager
def hushed() -> Iterator[None]:
    """Without what libpng and libjpeg write to standard error by themselves of a broken picture."""
    try:
        kept = os.dup(STDERR)
    except OSError:  # it is closed: nothing can be written there
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, STDERR)
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(nowhere)
        os.close(kept)


class Grabber(Protocol):
    """A camera that blocks until its next frame, or gives None when it has failed."""

    def read(self) -> CameraImage | None: ...
    def close(self) -> None: ...


class UsbCamera:
    """A camera by number or device, MJPEG where it can, with one frame of buffer where it obeys."""

    def __init__(self, spec: str) -> None:
        self._capture = cv2.VideoCapture(int(spec) if spec.isdecimal() else spec, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise CameraError(
                later(
                    "Camera {source} does not open. Is it plugged in and free? `ls /dev/video*` lists cameras.",
                    source=spec,
                )
            )
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)

    def read(self) -> Frame | None:
        return grab(self._capture)

    def close(self) -> None:
        self._capture.release()


class Stream:
    """MJPEG or RTSP from a URL, with time limits, since a stream that hangs says nothing."""

    def __init__(self, url: str) -> None:
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_MS]
        self._capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, limits)
        if not self._capture.isOpened():
            raise CameraError(later("No stream comes from {address}. Does a browser show it?", address=url))

    def read(self) -> Frame | None:
        return grab(self._capture)

    def close(self) -> None:
        self._capture.release()


class PiCamera:
    """The Pi's own camera through picamera2, which comes from the Pi's distribution and not from PyPI."""

    def __init__(self) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraError(
                later(
                    "picamera2 is not there. On a Pi: sudo apt install python3-picamera2, then "
                    "make clean setup VENV_ARGS=--system-site-packages."
                )
            ) from error
        self._camera: Any = Picamera2()
        self._camera.configure(
            self._camera.create_video_configuration({"size": (WIDTH, HEIGHT), "format": "YUV420"}, buffer_count=3)
        )
        self._camera.start()
        if "AfMode" in self._camera.camera_controls:  # else the Camera Module 3 stays focused at arm's length
            self._camera.set_controls({"AfMode": FOCUS_CONTINUOUSLY})

    def read(self) -> YuvImage | None:
        return YuvImage(np.asarray(self._camera.capture_array(), np.uint8), WIDTH)

    def close(self) -> None:
        self._camera.stop()
        self._camera.close()


class Live:
    """The newest frame of a camera. Opens it again when it fails; t counts from the first opening.

    A thread of its own reads the camera, so that frames don't wait in its buffer while one is looked at.
    """

    def __init__(self, connect: Callable[[], Grabber]) -> None:
        self._connect = connect
        self._camera: Grabber | None = connect()
        self._start = time.monotonic()
        self._fresh = threading.Condition()
        self._newest: tuple[float, CameraImage] | None = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="camera", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[tuple[float, CameraImage]]:
        while not self._closed.is_set():
            newest = self._take()
            if newest is None:
                if self._closed.is_set():
                    return
                raise CameraError(
                    later(
                        "The camera has sent nothing for {n} seconds. Check its cable or network.", n=f"{SILENCE_S:.0f}"
                    )
                )
            if time.monotonic() - self._start - newest[0] < STALE_S:
                yield newest

    def close(self) -> None:
        """Stops the thread; waits for a camera that is being read, but not for one that hangs."""
        self._closed.set()
        with self._fresh:
            self._fresh.notify_all()
        self._thread.join(timeout=2)

    def _take(self) -> tuple[float, CameraImage] | None:
        with self._fresh:
            self._fresh.wait_for(lambda: self._newest is not None or self._closed.is_set(), SILENCE_S)
            newest, self._newest = self._newest, None
            return newest

    def _work(self) -> None:
        while not self._closed.is_set():
            frame = self._read()
            if frame is None:
                self._reconnect()
                continue
            with self._fresh:
                self._newest = (time.monotonic() - self._start, frame)
                self._fresh.notify_all()
        self._drop()

    def _read(self) -> CameraImage | None:
        try:
            return self._camera.read() if self._camera else None
        except Exception:  # a driver may raise anything; the thread must live to open the camera again
            return None

    def _drop(self) -> None:
        if self._camera is not None:
            self._camera.close()
        self._camera = None

    def _reconnect(self) -> None:
        """Closes before it opens, since a replugged camera else gets another number; waits ever longer."""
        self._drop()
        tries = 0
        while self._camera is None and not self._closed.wait(RETRY_S[min(tries, len(RETRY_S) - 1)]):
            tries += 1
            try:
                self._camera = self._connect()
            except CameraError:
                continue
