"""The camera says when it has looked at the whole table for the first time since it started."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from companion.tabletop.observations import CardSeen, MatSeen, Observation, TokensCounted
from tests import cube_scenes, vision_scenes
from tests.cube_scenes import Lamp, lit, table
from tests.vision_scenes import CARDS, KNOWN, MAT, still
from vision.camera_worker import MAX_FIRST_LOOK_S, CameraWorker, FirstLook, WorkerSettings
from vision.camera_worker_messages import CountTokensRequest, ObservationBatch
from vision.geometry import Frame
from vision.simulated_camera import PlacedPrint, Scene

FPS = 12
MAX_FRAMES = 60
"""The first look must end within this many frames."""


class ReportingPipe:
    """Keeps what a worker reports."""

    def __init__(self) -> None:
        self.observations: list[Observation] = []

    def send(self, message: object) -> None:
        if isinstance(message, ObservationBatch):
            self.observations += message.observations


def worker_of(mats: dict[str, Any], known: frozenset[str]) -> tuple[CameraWorker, list[Observation]]:
    """A camera worker, and the list of what it reports."""
    pipe = ReportingPipe()
    return CameraWorker(pipe, WorkerSettings("", mats, known, {})), pipe.observations  # type: ignore[arg-type]


def index_of_end(found: list[Observation]) -> int:
    """The index of the observation that the first look has ended. There is exactly one, and the mat was in view
    before."""
    mats = [(n, each.is_searched) for n, each in enumerate(found) if isinstance(each, MatSeen)]
    assert [is_searched for _, is_searched in mats] == [False, True]
    return mats[1][0]


def process_until_end(worker: CameraWorker, found: list[Observation], frame: Frame, first: int = 0) -> int:
    """Processes the same frame again and again until the first look has ended. Returns the number of the next frame."""
    for number in range(first, first + MAX_FRAMES):
        worker._process(number / FPS, frame)
        if any(isinstance(each, MatSeen) and each.is_searched for each in found):
            return number + 1
    raise AssertionError(f"the first look has not ended: {found}")


def test_the_first_look_ends_after_all_cards_were_seen() -> None:
    """A table with eight cards comes into view. The camera says that it has looked at all of it once it has reported
    every card."""
    worker, found = worker_of({"systems-failing": MAT}, KNOWN)
    cards = tuple(PlacedPrint(CARDS[n], 70 + 75 * (n % 4), 70 + 100 * (n // 4)) for n in range(8))
    simulated = vision_scenes.camera()
    for number, scene in enumerate(still(Scene(cards), 30)):
        worker._process(number / FPS, simulated.render(scene))
    before = found[: index_of_end(found)]
    assert {each.code for each in before if isinstance(each, CardSeen)} == set(CARDS[:8])


@pytest.mark.slow
def test_the_first_look_includes_the_cubes() -> None:
    """On the mat of Traffic Congestion, the camera has also counted the cars in each lane. When a new game begins, it
    counts them once more."""
    mat = cube_scenes.mat()
    worker, found = worker_of({"traffic-congestion": mat}, frozenset(corner.id for corner in mat.corners))
    rng = np.random.default_rng(1)
    frame = lit(cube_scenes.new_camera().render(table(rng).scene), Lamp(), rng)
    worker._handle(CountTokensRequest(mat))
    frames_processed = process_until_end(worker, found, frame)
    lanes = set(cube_scenes.lanes())
    before = found[: index_of_end(found)]
    assert {each.place for each in before if isinstance(each, TokensCounted)} == lanes
    found.clear()
    worker._handle(CountTokensRequest(mat))
    process_until_end(worker, found, frame, frames_processed)
    again = found[: index_of_end(found)]
    assert {each.place for each in again if isinstance(each, TokensCounted)} == lanes


def test_the_camera_does_not_wait_forever() -> None:
    """Without a mat, or if a mat can't be read, the first look ends after half a minute. A mat that comes later is
    looked at too."""
    look = FirstLook()
    look.update(0.0, None, is_read=True)
    look.update(MAX_FIRST_LOOK_S - 1, None, is_read=True)
    assert not look.has_ended(None)
    look.update(MAX_FIRST_LOOK_S, None, is_read=True)
    assert look.has_ended(None)
    look.update(100.0, "MAT-SF", is_read=False)
    assert not look.has_ended("MAT-SF")
    look.update(100.0 + MAX_FIRST_LOOK_S, "MAT-SF", is_read=False)
    assert look.has_ended("MAT-SF")
    look.update(200.0, "MAT-TC", is_read=False)
    assert not look.has_ended("MAT-TC")
    look.update(201.0, "MAT-TC", is_read=True)
    assert look.has_ended("MAT-TC")
    look.start_over("MAT-TC")
    assert not look.has_ended("MAT-TC")
    assert look.has_ended(None), "a mat that is put away is not waited for"
