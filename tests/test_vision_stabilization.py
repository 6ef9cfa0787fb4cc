"""The motion of a trembling camera is estimated row by row and removed, so that it causes no events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from companion.tabletop.mat import Point
from tests.repetitions import thorough_except
from tests.vision_scenes import CARDS, FPS, camera, film, kinds_and_ids, new_watcher, still
from vision.geometry import CELL_PX, Frame
from vision.image_quality_advice import MAX_SHAKE_PX
from vision.simulated_camera import PlacedPrint, Scene
from vision.simulated_disturbances import Disturbance, Random, shake, shift_rows, wobble
from vision.tracking.image_stabilization import Shifts, Stabilizer, is_too_far
from vision.tracking.reduced_image import cell_features, reduce
from vision.tracking.tracker import TrackEvent
from vision.yuv import to_gray

ROWS = tuple(PlacedPrint(CARDS[n], 60 + 75 * (n % 5), 70 + 100 * (n // 5), 20.0 * n) for n in range(10))
TABLE = Scene(ROWS)
SHAKES = (partial(shake, sigma_px=0.6), partial(shake, sigma_px=2.0), partial(wobble, amplitude_px=4.0))


def motion(stabilizer: Stabilizer, frame: Frame) -> Shifts | None:
    """The motion that the stabilizer estimates for the next frame."""
    return stabilizer.motion(reduce(to_gray(frame)))


def sine(frame: Frame, amplitude_px: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Shifts of each row along a sine, in x only: rows x 2."""
    rows = np.linspace(0, 1, frame.shape[0])[:, None]
    return amplitude_px * np.sin(2 * np.pi * rows) * (1.0, 0.0)


@pytest.mark.parametrize("amplitude_px", [0.4, 2.0, 4.0])
def test_the_motion_of_each_row_is_estimated(amplitude_px: float) -> None:
    """The median error of the estimated motion is a tenth of a pixel, and nearly everywhere it is below a quarter. This
    is also true in other light."""
    frames = [camera(seed).render(TABLE) for seed in (1, 1)]
    shifts = sine(frames[1], amplitude_px)
    stabilizer = Stabilizer()
    assert motion(stabilizer, frames[0]) is None
    darker = np.asarray(shift_rows(frames[1], shifts) * 0.7, np.uint8)
    found = motion(stabilizer, darker)
    assert found is not None
    error = np.abs(found - shifts[CELL_PX // 2 :: CELL_PX][: len(found)])
    assert np.median(error) < 0.1
    assert np.percentile(error, 90) < 0.25


@pytest.mark.parametrize(
    ("cards", "shift_px", "hand"), [(2, 0.15, None), (4, 0.25, (150.0, 120.0))], ids=["in noise", "beside a hand"]
)
def test_a_small_motion_is_found(cards: int, shift_px: float, hand: Point | None) -> None:
    """A motion that is hardly visible in the noise is found, even if few cards show it and a hand hides some of
    them."""
    simulated, stabilizer, table = camera(), Stabilizer(), Scene(ROWS[:cards])
    assert motion(stabilizer, simulated.render(table)) is None
    for n in range(6):
        frame = simulated.render(replace(table, hand=hand))
        shifts = np.full((frame.shape[0], 2), shift_px * (-1) ** n)
        found = motion(stabilizer, np.asarray(shift_rows(frame, shifts), np.uint8))
        assert found is not None
        assert np.abs(np.median(found, 0) - shifts[0]).max() < 0.12


@pytest.mark.parametrize("outlier_px", [0.0, 60.0], ids=["whole frame", "but for a strip"])
def test_the_first_frame_may_lie_at_the_edge_of_the_shake(outlier_px: float) -> None:
    """The first frame, with which later ones are compared, is 5 px to the right of the middle of the shake. A frame
    6 px to the left of the middle is followed all the same, even if something else moves in a few of its rows."""
    simulated, stabilizer = camera(), Stabilizer()
    found = None
    for x in (5.0, 0.0, -1.0, 1.0, 0.0, -6.0):
        shifts = np.tile((x, 0.0), (simulated.size[1], 1))
        if x == -6:
            shifts[-2 * CELL_PX :, 0] += outlier_px
        found = motion(stabilizer, np.asarray(shift_rows(simulated.render(TABLE), shifts), np.uint8))
    assert found is not None
    assert np.abs(np.median(found, 0) - (-11, 0)).max() < 0.3


def test_single_rows_may_be_misjudged() -> None:
    """Nine in ten rows decide whether the camera was moved too far for a shake: relative to the middle of the shake,
    which itself may not be too far from the reference."""
    center, shifts = np.full((40, 2), 4.0, np.float32), np.full((40, 2), 12.0, np.float32)
    assert not is_too_far(shifts, center)
    shifts[3:7] = 90
    assert not is_too_far(shifts, center)
    assert is_too_far(shifts[:20], center[:20])
    assert is_too_far(shifts + 6, center)
    assert is_too_far(shifts, center + 6)


def test_the_second_frame_is_searched_for_motion() -> None:
    """Codes may be read in the second frame. If it was not searched for motion, the first motion found later would
    seem to move their cards."""
    stabilizer, simulated = Stabilizer(), camera()
    frame = simulated.render(TABLE)
    assert motion(stabilizer, frame) is None
    texture = cell_features(reduce(to_gray(frame)))[1]
    stabilizer.suspect(np.ones(texture.shape, bool), texture)
    found = motion(stabilizer, np.asarray(shift_rows(simulated.render(TABLE), sine(frame, 2.0)), np.uint8))
    assert found is not None


@pytest.mark.parametrize(("shift_px", "is_followed"), [(0.6, False), (2.0, True)])
def test_a_slight_tremble_is_followed_only_if_many_cells_move(shift_px: float, is_followed: bool) -> None:
    """Following the camera takes time. In the second frame, nothing is known yet of what moves. If the frame has moved
    only slightly, the third one is searched only if many cells have moved by then."""
    stabilizer, simulated = Stabilizer(), camera()
    frame = simulated.render(TABLE)
    shifted = np.asarray(shift_rows(frame, np.full((frame.shape[0], 2), (shift_px, 0.0))), np.uint8)
    texture = cell_features(reduce(to_gray(frame)))[1]
    motion(stabilizer, frame)
    stabilizer.suspect(np.ones(texture.shape, bool), texture)
    assert motion(stabilizer, shifted) is not None
    stabilizer.suspect(np.zeros(texture.shape, bool), texture)
    assert (motion(stabilizer, shifted) is not None) == is_followed


def test_a_still_camera_has_no_motion() -> None:
    """Neither noise nor cards that come and go are motion of the camera."""
    stabilizer, watcher = Stabilizer(), new_watcher()
    assert all(motion(stabilizer, camera().render(TABLE)) is None for _ in range(5))
    for t, frame in film([*still(TABLE, 9), *still(Scene(ROWS[2:]), 9), *still(TABLE, 9)]):
        watcher.process(frame, t)
    assert watcher.shake_px < 0.1


def watch_disturbed(scenes: list[Scene], make: Callable[[Random], Disturbance]) -> list[TrackEvent]:
    disturb, watcher = make(np.random.default_rng(1)), new_watcher()
    return [event for t, frame in film(scenes) for event in watcher.process(disturb(frame, t), t)]


@pytest.mark.slow
@pytest.mark.parametrize("make", thorough_except(SHAKES, SHAKES[-1]), ids=["0.6 px", "2 px", "rolling shutter"])
def test_events_under_a_shaking_camera(make: Callable[[Random], Disturbance]) -> None:
    """Even if the camera shakes, all cards appear, a card that is taken away is reported as gone within a second, and a
    card that is moved is reported as moved. There are no other events."""
    moved = replace(ROWS[3], y_mm=ROWS[3].y_mm + 25)
    after = (*ROWS[1:3], moved, *ROWS[4:])
    events = watch_disturbed([*still(TABLE, 15), *still(Scene(ROWS[1:]), 15), *still(Scene(after), 15)], make)
    assert set(kinds_and_ids(events[:10])) == {("appeared", card.id) for card in ROWS}
    assert all(event.t * FPS < 12 for event in events[:10])
    assert kinds_and_ids(events[10:]) == [("left", ROWS[0].id), ("moved", moved.id)]
    assert events[10].t * FPS - 15 < FPS


@pytest.mark.slow
def test_the_shake_is_measured() -> None:
    """`shake_px` is the root mean square of the camera's motion in both directions, in pixels."""
    watcher = new_watcher()
    disturb = shake(np.random.default_rng(1), 0.8)
    for t, frame in film(still(TABLE, 60)):
        watcher.process(disturb(frame, t), t)
    assert 0.8 < watcher.shake_px < 1.6


@pytest.mark.slow
def test_the_shake_is_forgotten_when_the_camera_stands_still() -> None:
    """When the shaking has stopped, people who set up the camera are told so within five seconds. By then, most frames
    look like the frame before, and are not even searched for changes."""
    watcher, frames, still_s = new_watcher(), 30, 5
    disturb = shake(np.random.default_rng(1), 2.0)
    shakes = []
    for number, (t, frame) in enumerate(film(still(TABLE, frames + still_s * round(FPS)))):
        watcher.process(disturb(frame, t) if number < frames else frame, t)
        shakes.append(watcher.shake_px)
    assert shakes[frames - 1] > 3 * MAX_SHAKE_PX
    assert watcher.is_at_rest
    assert shakes[-1] < MAX_SHAKE_PX
