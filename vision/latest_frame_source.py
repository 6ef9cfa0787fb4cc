"""A frame source that delivers only the latest frame of a camera, and reconnects when the camera fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from companion.text.messages import _
from vision.camera_backends import CameraBackend, GuardedCamera
from vision.frame_source import CameraError
from vision.yuv import CameraImage

MAX_FRAME_AGE_S = 0.5
"""A live source skips frames that are older than this, in seconds."""
MAX_SILENCE_S = 20.0
"""A live source raises CameraError if no frame has arrived for this long, in seconds, in spite of reconnecting."""
RECONNECT_DELAYS_S = (0.5, 1.0, 2.0, 4.0)
"""The delays before successive attempts to reconnect, in seconds; the last one repeats."""


class LatestFrameSource:
    """A source that delivers the latest frame of a camera, and reopens the camera when it fails. `connect` opens the
    camera. The time of a frame is in seconds since the camera was first opened. Raises CameraError if it can't be
    opened at first.

    A thread grabs every frame, so that no stale frames wait in the camera's buffer while another frame is processed.
    The thread decodes a frame only if somebody waits for it, because decoding costs most of the time.
    """

    def __init__(self, connect: Callable[[], CameraBackend]) -> None:
        self._connect = connect
        self._camera: CameraBackend | None = GuardedCamera(connect)
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
        """Waits for the next frame, and returns its time and image. None if the source is closed, or if no frame has
        arrived after MAX_SILENCE_S."""
        self._wanted.set()
        with self._frame_ready:
            self._frame_ready.wait_for(lambda: self._latest is not None or self._closed.is_set(), MAX_SILENCE_S)
            latest, self._latest = self._latest, None
            return latest

    def _capture_loop(self) -> None:
        """Grabs frames until the source is closed. The thread runs this method."""
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
        except CameraError:
            return False

    def _retrieve(self) -> CameraImage | None:
        try:
            return self._camera.retrieve() if self._camera else None
        except CameraError:
            return None

    def _disconnect(self) -> None:
        """Closes the camera. If that fails, a new attempt to open it may still work."""
        if self._camera is not None:
            with suppress(CameraError):
                self._camera.close()
        self._camera = None

    def _reconnect(self) -> None:
        """Closes the camera, then tries to open it, with increasing delays, until that works or the source is closed.
        The camera is closed first, because otherwise a camera that was plugged in again would get another number."""
        self._disconnect()
        attempts = 0
        while self._camera is None and not self._closed.wait(
            RECONNECT_DELAYS_S[min(attempts, len(RECONNECT_DELAYS_S) - 1)]
        ):
            attempts += 1
            with suppress(CameraError):
                self._camera = GuardedCamera(self._connect)
