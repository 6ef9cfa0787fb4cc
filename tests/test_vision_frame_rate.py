"""The worker watches a camera at its own frame rate, but at no more than `max_fps`."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tests.vision_scenes import KNOWN
from vision import camera_worker
from vision.camera_worker import MAX_FPS, CameraWorker, WorkerSettings
from vision.frame_rate_limit import FrameRateLimit
from vision.geometry import Frame
from vision.simulated_camera import Scene

SECONDS, PROCESSING_S = 6, 0.02
FRAME = np.full((72, 128, 3), 120, np.uint8)


class Clock:
    """Stands in for the module `time` in the worker. Time passes only when somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


class WaitingPipe:
    """The worker's pipe, through which nothing comes but the scene. Time passes while the worker waits on it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def recv(self) -> Scene:
        return Scene()

    def poll(self, timeout: float) -> bool:
        self._clock.wait(timeout)
        return False

    def send(self, message: object) -> None:
        """Drops what the worker reports."""


class PunctualCamera:
    """A live camera with a frame rate. Like `LatestFrameSource`, it delivers the first frame that arrives after it is
    asked, and none that arrived before."""

    def __init__(self, clock: Clock, fps: float) -> None:
        self._clock, self._fps = clock, fps
        self.delivered = 0

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        start = self._clock.now
        while (number := math.floor((self._clock.now - start) * self._fps + 1e-6) + 1) < SECONDS * self._fps:
            self._clock.now = start + number / self._fps
            self.delivered += 1
            yield number / self._fps, FRAME

    def close(self) -> None:
        """Does nothing."""


@pytest.mark.parametrize(("fps", "watched"), [(10, 10), (15, 15), (20, 15), (25, 15), (30, 15), (60, 15)])
def test_a_camera_is_watched_at_its_own_frame_rate_up_to_the_limit(
    fps: float, watched: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No frame of a camera with 15 frames per second or fewer is lost, and only as many of a faster one are decoded as
    the worker watches: 15 per second, even if that is not a whole part of the camera's rate."""
    clock = Clock()
    camera = PunctualCamera(clock, fps)
    monkeypatch.setattr(camera_worker, "time", clock)
    worker = CameraWorker(WaitingPipe(clock), WorkerSettings("", {}, KNOWN, {}))  # type: ignore[arg-type]
    monkeypatch.setattr(worker, "_open_source", lambda: camera)
    monkeypatch.setattr(worker, "_process", lambda t, image: clock.wait(PROCESSING_S))
    worker.run()
    assert camera.delivered == pytest.approx(watched * SECONDS, abs=2)


def test_a_camera_that_is_not_punctual_loses_no_frames() -> None:
    """Even if frames come up to 10 ms early or late, a camera with 15 frames per second is asked for all of them. If
    its clock runs fast by a fiftieth, only the frames that are too many are left out."""
    rng = np.random.default_rng(1)
    for fps, lost in ((15.0, 0), (14.7, 0), (15.3, 0.3 * 60)):
        limit, due, missed = FrameRateLimit(MAX_FPS), -math.inf, 0
        for number in range(round(60 * fps)):
            arrival = number / fps + rng.uniform(-0.01, 0.01)
            if arrival < due:
                missed += 1
            else:
                due = limit.next_due(arrival)
        assert missed == pytest.approx(lost, abs=2)


def test_a_pause_is_not_caught_up_on() -> None:
    """After a pause, the frames that were missed are not asked for in quick succession."""
    limit = FrameRateLimit(10)
    assert limit.next_due(0.0) == 0.0
    assert limit.next_due(0.05) == pytest.approx(0.1)
    assert limit.next_due(5.0) == 5.0
    assert limit.next_due(5.05) == pytest.approx(5.1)
