"""The camera backends, which capture single frames: USB cameras, network streams and the Pi's camera."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

import cv2
import numpy as np

from companion import platform_calls
from companion.text.messages import _
from vision.frame_source import CameraError, frame_or_none, source_name
from vision.geometry import Frame
from vision.yuv import CameraImage, YuvImage

FRAME_WIDTH, FRAME_HEIGHT = 1920, 1080
FRAME_RATE = 15.0
"""The frame rate that USB cameras are asked for, in frames per second. The companion needs no more."""
FRAME_DURATIONS_US = (33_333, 100_000)
"""The shortest and the longest time that a frame of the Pi's camera may take, in microseconds. In dim light the camera
exposes each frame for longer, up to the longest time. Frames are then fewer, but brighter and less noisy."""
AF_MODE_CONTINUOUS = 2
"""libcamera's AfModeContinuous, in which the camera keeps itself in focus. By default, the camera does not focus at
all."""
OPEN_TIMEOUT_MS, READ_TIMEOUT_MS = 5000, 3000


class CameraBackend(Protocol):
    """Captures single frames. `grab` waits for the next frame, and returns False if there is none. `retrieve` decodes
    the frame, and returns None if that fails."""

    def grab(self) -> bool: ...
    def retrieve(self) -> CameraImage | None: ...
    def close(self) -> None: ...


class GuardedCamera:
    """A backend that raises nothing but CameraError, whatever its driver raises. `connect` opens the camera."""

    def __init__(self, connect: Callable[[], CameraBackend]) -> None:
        with driver_errors():
            self._backend = connect()

    def grab(self) -> bool:
        with driver_errors():
            return self._backend.grab()

    def retrieve(self) -> CameraImage | None:
        with driver_errors():
            return self._backend.retrieve()

    def close(self) -> None:
        with driver_errors():
            self._backend.close()


@contextmanager
def driver_errors() -> Iterator[None]:
    """A context manager that turns what a camera's driver raises into CameraError. Neither OpenCV nor picamera2 says
    which exceptions to expect."""
    try:
        yield
    except CameraError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise CameraError(
            _(
                "The camera’s driver has failed ({why}). Close other programs that use the camera, and check its "
                "cable.",
                why=why,
            )
        ) from error


class UsbCamera:
    """A camera that is attached to this computer, given by its number or, on Linux, by the path of its device file.
    Asks the driver for MJPEG, `FRAME_RATE` and a buffer of one frame, but not every driver complies. Raises CameraError
    if the camera can't be opened."""

    def __init__(self, spec: str) -> None:
        backend = cv2.CAP_V4L2 if platform_calls.HAS_V4L2 else cv2.CAP_ANY
        self._capture = cv2.VideoCapture(int(spec) if spec.isdecimal() else spec, backend)
        if not self._capture.isOpened():
            raise CameraError(
                _(
                    "Can’t open camera {source}. Is it plugged in, or is another program using it? `ls /dev/video*` "
                    "lists cameras.",
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
    """An MJPEG or RTSP stream from a URL. Opening and reading have a timeout, because a stream that hangs reports no
    error. Raises CameraError if the stream can't be opened."""

    def __init__(self, url: str) -> None:
        timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS]
        self._capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, timeouts)
        if not self._capture.isOpened():
            raise CameraError(_("No stream from {address}. Can you see it in a browser?", address=source_name(url)))

    def grab(self) -> bool:
        return self._capture.grab()

    def retrieve(self) -> Frame | None:
        return frame_or_none(self._capture.retrieve)

    def close(self) -> None:
        self._capture.release()


class PiCamera:
    """The Pi's camera module. Raises CameraError if there is none, or if picamera2 is missing. That package comes from
    the Pi's Linux distribution, not from PyPI."""

    def __init__(self) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraError(
                _(
                    "picamera2 isn’t installed. On a Pi: sudo apt install --no-install-recommends python3-picamera2, "
                    "then restart Tablekeeper. If you run it from its sources, also: make clean setup "
                    "VENV_ARGS=--system-site-packages."
                )
            ) from error
        try:
            self._camera: Any = Picamera2()
        except IndexError as error:  # it takes the first one of an empty list of cameras
            raise CameraError(
                _(
                    "The Pi finds no camera. Switch it off, check both ends of the camera’s cable, and start it again. "
                    "`rpicam-hello --list-cameras` lists cameras."
                )
            ) from error
        self._request: Any = None
        with ExitStack() as after_failure:
            after_failure.callback(self.close)  # otherwise the camera could not be opened again
            self._start()
            after_failure.pop_all()

    def _start(self) -> None:
        self._camera.configure(
            self._camera.create_video_configuration(
                {"size": (FRAME_WIDTH, FRAME_HEIGHT), "format": "YUV420"},
                buffer_count=3,
                controls={"FrameDurationLimits": FRAME_DURATIONS_US},
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
        request, self._request = self._request, None
        if request is not None:
            request.release()

    def close(self) -> None:
        """Closes the camera, even if it fails to stop."""
        with ExitStack() as stack:
            stack.callback(self._camera.close)
            stack.callback(self._camera.stop)
            self._release()
