"""Frame sources: cameras, network streams, video files and folders of images.

A source is an iterable of (t, image) with `close()`. `t` is the time of the frame in seconds, on the source's own
clock. The image is BGR, or YUV from the Pi's camera. A live source has a thread that reads all frames, and delivers
only the latest one; files deliver every frame.
"""

from __future__ import annotations

import errno
import os
import re
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

from companion.text.messages import TextError, _
from vision import MAX_MEGAPIXELS
from vision.geometry import Frame
from vision.yuv import CameraImage, YuvImage

cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # OpenCV's warnings mean nothing to users

FRAME_WIDTH, FRAME_HEIGHT = 1920, 1080
FRAME_RATE = 15.0
"""The frame rate that USB cameras are asked for, in frames per second. The companion needs no more."""
STDERR_FD = 2
AF_MODE_CONTINUOUS = 2
"""libcamera's AfModeContinuous, in which the camera keeps itself in focus. By default it does not focus at all."""
OPEN_TIMEOUT_MS, READ_TIMEOUT_MS = 5000, 3000
MAX_FRAME_AGE_S = 0.5
"""A frame of a live source that is older than this is skipped, seconds."""
MAX_SILENCE_S = 20.0
"""How long a live source may deliver no frame, while it reconnects, before it raises CameraError, seconds."""
RECONNECT_DELAYS_S = (0.5, 1.0, 2.0, 4.0)
"""The delays before successive attempts to reconnect, seconds; the last one repeats."""
FOLDER_FPS = 10.0
IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".pgm", ".ppm"}
STREAM_SCHEMES = ("http://", "https://", "rtsp://", "rtsps://", "tcp://", "udp://")


class CameraError(TextError):
    """The source delivers no frames. The message gives the reason and the remedy."""


class FrameSource(Protocol):
    """An iterable of (t, image) that ends when it is closed, or at the end of a file. Iterating raises CameraError if
    the source fails."""

    def __iter__(self) -> Iterator[tuple[float, CameraImage]]: ...
    def close(self) -> None: ...


def open_source(spec: str) -> FrameSource:
    """Opens the frame source that `spec` names: a camera (`0`, `/dev/video0`, `picamera2`), a video file, a folder of
    images or a URL. Raises CameraError."""
    if spec.isdecimal() or spec.startswith("/dev/"):
        return LiveSource(lambda: UsbCamera(spec))
    if spec == "picamera2":
        return LiveSource(PiCamera)
    if spec.lower().startswith(STREAM_SCHEMES):
        return LiveSource(lambda: NetworkStream(spec))
    path = Path(spec)
    if path.is_dir():
        return ImageFolder(path)
    if path.is_file():
        return VideoFile(path)
    raise CameraError(
        _(
            "There is no {source}. Name a camera (0, /dev/video0, picamera2), a video, a folder or a URL.",
            source=source_name(spec),
        )
    )


def source_name(spec: str) -> str:
    """The name of a source for messages. A URL is shown without its user and password, because many people read
    messages."""
    return re.sub(r"(?<=://)[^/]*@", "", spec)


class VideoFile:
    """A source of every frame of a video file. `t` is the frame number, from 0, divided by the frame rate."""

    def __init__(self, path: Path) -> None:
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise CameraError(_("{path} can't be read as a video; try MP4 or AVI.", path=path))
        self._fps = frame_rate(self._capture)
        self._path = path

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        number = 0
        while (frame := frame_or_none(self._capture.read)) is not None:
            yield number / self._fps, frame
            number += 1
        if not number:
            raise CameraError(_("{path} has no readable frame; record it again.", path=self._path))

    def close(self) -> None:
        self._capture.release()


def frame_rate(capture: cv2.VideoCapture) -> float:
    """The frame rate of a video, in frames per second; 25 if the file doesn't state a plausible one."""
    fps = capture.get(cv2.CAP_PROP_FPS)
    return fps if 0 < fps < 1000 else 25.0


def frame_or_none(read: Callable[[], tuple[bool, Any]]) -> Frame | None:
    """The frame that OpenCV's function `read` returns, or None at the end or on an error."""
    try:
        ok, frame = read()
    except cv2.error:
        return None
    return np.asarray(frame, np.uint8) if ok and frame is not None and frame.size else None


class ImageFolder:
    """A source of the images in a folder, sorted by name, at `FOLDER_FPS` frames per second. Images that can't be read
    are reported on standard error and skipped."""

    def __init__(self, path: Path) -> None:
        self._paths = sorted(p for p in path.iterdir() if p.suffix.lower() in IMAGE_SUFFIXES)
        if not self._paths:
            raise CameraError(_("{path} holds no pictures; put PNG or JPEG files there.", path=path))
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
    """While the block runs, discards what libpng and libjpeg print to standard error about a broken image."""
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


class CaptureDevice(Protocol):
    """A device that captures single frames. `grab` blocks until the next frame, and returns whether there is one;
    `retrieve` decodes it, and returns None if that fails."""

    def grab(self) -> bool: ...
    def retrieve(self) -> CameraImage | None: ...
    def close(self) -> None: ...


class UsbCamera:
    """A camera that is a video device of Linux, given by its number or path. Asks for MJPEG, `FRAME_RATE` and a buffer
    of one frame, but not every driver obeys. Raises CameraError if it can't be opened."""

    def __init__(self, spec: str) -> None:
        self._capture = cv2.VideoCapture(int(spec) if spec.isdecimal() else spec, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise CameraError(
                _(
                    "Camera {source} can't be opened. Is it plugged in, or used by another program? `ls "
                    "/dev/video*` lists cameras.",
                    source=spec,
                )
            )
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, FRAME_WIDTH)
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, FRAME_HEIGHT)
        self._capture.set(cv2.CAP_PROP_FPS, FRAME_RATE)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)

    def grab(self) -> bool:
        return self._capture.grab()

    def retrieve(self) -> Frame | None:
        return frame_or_none(self._capture.retrieve)

    def close(self) -> None:
        self._capture.release()


class NetworkStream:
    """An MJPEG or RTSP stream from a URL. Opening and reading it time out, because a stream that hangs reports no
    error. Raises CameraError if it can't be opened."""

    def __init__(self, url: str) -> None:
        timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS]
        self._capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, timeouts)
        if not self._capture.isOpened():
            raise CameraError(_("No stream comes from {address}. Does a browser show it?", address=url))

    def grab(self) -> bool:
        return self._capture.grab()

    def retrieve(self) -> Frame | None:
        return frame_or_none(self._capture.retrieve)

    def close(self) -> None:
        self._capture.release()


class PiCamera:
    """The Pi's camera module. Raises CameraError if picamera2 is missing; it comes from the Pi's Linux distribution,
    not from PyPI."""

    def __init__(self) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraError(
                _(
                    "picamera2 is not installed. On a Pi: sudo apt install python3-picamera2, then "
                    "make clean setup VENV_ARGS=--system-site-packages."
                )
            ) from error
        self._camera: Any = Picamera2()
        self._request: Any = None
        self._camera.configure(
            self._camera.create_video_configuration(
                {"size": (FRAME_WIDTH, FRAME_HEIGHT), "format": "YUV420"}, buffer_count=3
            )
        )
        self._camera.start()
        if "AfMode" in self._camera.camera_controls:  # otherwise Camera Module 3 stays focused at arm's length
            self._camera.set_controls({"AfMode": AF_MODE_CONTINUOUS})

    def grab(self) -> bool:
        self._release()
        self._request = self._camera.capture_request()
        return True

    def retrieve(self) -> YuvImage | None:
        return YuvImage(np.asarray(self._request.make_array("main"), np.uint8), FRAME_WIDTH)

    def _release(self) -> None:
        """Gives the buffer of the last frame back to the camera."""
        if self._request is not None:
            self._request.release()
            self._request = None

    def close(self) -> None:
        self._release()
        self._camera.stop()
        self._camera.close()


class LiveSource:
    """A source that delivers the latest frame of a camera, and opens the camera again when it fails. `connect` opens
    the camera. The time of a frame is in seconds since the camera was first opened.

    A thread grabs all frames, so that they don't become stale in the camera's buffer while one is processed. It decodes
    only those for which somebody waits, because decoding costs most of the time.
    """

    def __init__(self, connect: Callable[[], CaptureDevice]) -> None:
        self._connect = connect
        self._camera: CaptureDevice | None = connect()
        self._start = time.monotonic()
        self._frame_ready = threading.Condition()
        self._latest: tuple[float, CameraImage] | None = None
        self._wanted = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._capture_loop, name="camera", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[tuple[float, CameraImage]]:
        while not self._closed.is_set():
            latest = self._wait_for_frame()
            if latest is None:
                if self._closed.is_set():
                    return
                raise CameraError(
                    _(
                        "The camera has sent nothing for {n} seconds. Check its cable or network.",
                        n=f"{MAX_SILENCE_S:.0f}",
                    )
                )
            if time.monotonic() - self._start - latest[0] < MAX_FRAME_AGE_S:
                yield latest

    def close(self) -> None:
        """Stops the thread. Waits for the current read to finish, but not for a camera that hangs."""
        self._closed.set()
        with self._frame_ready:
            self._frame_ready.notify_all()
        self._thread.join(timeout=2)

    def _wait_for_frame(self) -> tuple[float, CameraImage] | None:
        self._wanted.set()
        with self._frame_ready:
            self._frame_ready.wait_for(lambda: self._latest is not None or self._closed.is_set(), MAX_SILENCE_S)
            latest, self._latest = self._latest, None
            return latest

    def _capture_loop(self) -> None:
        while not self._closed.is_set():
            if not self._grab():
                self._reconnect()
            elif self._wanted.is_set():
                self._deliver(self._retrieve())
        self._disconnect()

    def _deliver(self, frame: CameraImage | None) -> None:
        """Makes a frame the latest one, and wakes the threads that wait for it. Reopens the camera if there is no
        frame."""
        if frame is None:
            self._reconnect()
            return
        with self._frame_ready:
            self._latest = (time.monotonic() - self._start, frame)
            self._wanted.clear()
            self._frame_ready.notify_all()

    def _grab(self) -> bool:
        try:
            return self._camera is not None and self._camera.grab()
        except Exception:  # a driver may raise anything; the thread must survive to reconnect
            return False

    def _retrieve(self) -> CameraImage | None:
        try:
            return self._camera.retrieve() if self._camera else None
        except Exception:  # as above
            return None

    def _disconnect(self) -> None:
        if self._camera is not None:
            self._camera.close()
        self._camera = None

    def _reconnect(self) -> None:
        """Closes the camera, then tries to open it, with increasing delays, until that works or the source is closed.
        Without closing it first, a replugged camera would get another number."""
        self._disconnect()
        attempts = 0
        while self._camera is None and not self._closed.wait(
            RECONNECT_DELAYS_S[min(attempts, len(RECONNECT_DELAYS_S) - 1)]
        ):
            attempts += 1
            try:
                self._camera = self._connect()
            except CameraError:
                continue
