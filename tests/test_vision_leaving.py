"""A card that leaves its place while the camera is disturbed: the report comes in time, and a move is no departure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.tabletop.mat import Point
from tests.vision_scenes import CARDS, FPS, camera, glide, kinds_and_ids, new_watcher, still
from vision.geometry import CELL_PX, Frame
from vision.simulated_camera import PlacedPrint, Scene
from vision.simulated_disturbances import noise, scale_brightness
from vision.tracking.change_detection import ChangeMasks
from vision.tracking.changed_regions import ChangedRegions
from vision.tracking.tracker import TrackEvent

ROWS = tuple(PlacedPrint(CARDS[n], 60 + 75 * (n % 5), 70 + 100 * (n // 5), 4.0 * n) for n in range(9))
LEAVES = 24
"""The frame in which a card leaves or moves."""


def frames_of(scenes: list[Scene]) -> list[Frame]:
    simulated = camera()
    return [simulated.render(scene) for scene in scenes]


def watch_frames(frames: list[Frame]) -> list[TrackEvent]:
    watcher = new_watcher()
    return [event for n, frame in enumerate(frames) for event in watcher.process(frame, n / FPS)]


def assert_only_left_in_time(events: list[TrackEvent]) -> None:
    """Asserts that all cards appeared, and that the first one then left within a second."""
    assert {event.kind for event in events[: len(ROWS)]} == {"appeared"}
    assert kinds_and_ids(events[len(ROWS) :]) == [("left", ROWS[0].id)]
    assert events[-1].t <= LEAVES / FPS + 1


def knocked_camera(frames: list[Frame], first: int) -> list[Frame]:
    """The frames as a camera sees them that is knocked in the frame with the number `first`."""
    knock = cv2.getRotationMatrix2D((560, 350), 1.0, 1.0) + np.array([[0, 0, 25], [0, 0, -20]])
    size = frames[0].shape[1::-1]
    later = (cv2.warpAffine(frame, knock, size, borderMode=cv2.BORDER_REPLICATE) for frame in frames[first:])
    return [*frames[:first], *(np.asarray(frame, np.uint8) for frame in later)]


def hand_at(placement: PlacedPrint, y_mm: float, others: Sequence[PlacedPrint]) -> Scene:
    """A scene with a hand whose fingertips are `y_mm` below the center of a card, or above it if that is negative."""
    return Scene((placement, *others), hand=(placement.x_mm, placement.y_mm + y_mm))


def tremble(frame: Frame, place: Point, gray_levels: int) -> None:
    """Makes two cells in the code of a card at a place brighter or darker."""
    x, y = camera().project((place[0], place[1] + 19))
    left, top = (int(each) // CELL_PX * CELL_PX for each in (x, y))
    cells = frame[top : top + CELL_PX, left : left + 2 * CELL_PX]
    cells[:] = np.clip(cells.astype(int) + gray_levels, 0, 255)


@pytest.mark.slow
def test_a_card_that_is_not_read_at_once_has_moved() -> None:
    """A few cells tremble where a card was put down, so that it is read half a second after its old place is found
    empty. It is reported as moved, not as gone and new."""
    card, place = ROWS[0], (360.0, 170.0)
    steps = glide(card.id, (card.x_mm, card.y_mm, 0), (*place, 0))
    moved = replace(card, x_mm=place[0], y_mm=place[1], angle=0)
    others = ROWS[1:]
    frames = frames_of(
        [
            *still(Scene(ROWS), LEAVES),
            *(Scene((*others, step)) for step in steps),
            *still(Scene((*others, moved)), 18),
        ]
    )
    for n in range(LEAVES, LEAVES + len(steps) + 6):
        tremble(frames[n], place, 25 if n % 2 else -25)
    assert kinds_and_ids(watch_frames(frames)[len(ROWS) :]) == [("moved", card.id)]


@pytest.mark.slow
def test_a_card_that_is_put_down_while_the_focus_is_lost_has_moved() -> None:
    """A card is put down, and the camera loses its focus for a second before it can read the card. Then a few cells
    tremble there for a moment. The card is reported as moved, not as gone and new."""
    card, place = ROWS[0], (360.0, 170.0)
    steps = glide(card.id, (card.x_mm, card.y_mm, 0), (*place, 0))
    moved = replace(card, x_mm=place[0], y_mm=place[1], angle=0)
    moving = [Scene((*ROWS[1:], step)) for step in steps]
    frames = frames_of([*still(Scene(ROWS), LEAVES), *moving, *still(Scene((*ROWS[1:], moved)), 24)])
    rest = LEAVES + len(steps)
    for n in range(rest, rest + 12):
        frames[n] = np.asarray(cv2.GaussianBlur(frames[n], (0, 0), 6), np.uint8)
    for n in range(LEAVES, rest + 15):
        tremble(frames[n], place, 25 if n % 2 else -25)
    assert kinds_and_ids(watch_frames(frames)[len(ROWS) :]) == [("moved", card.id)]


@pytest.mark.slow
def test_a_card_leaves_though_a_shadow_touches_its_place_once() -> None:
    """While a hand moves elsewhere, a shadow darkens two cells beside the empty place for one frame. Nothing has
    moved in the place itself, so the card leaves within a second."""
    card = ROWS[0]
    frames = frames_of([*still(Scene(ROWS), LEAVES), *still(Scene(ROWS[1:]), 18)])
    for n in range(LEAVES, len(frames)):
        frames[n][600:664, 100:164] += np.uint8(60 * (n % 2))
    x, y = camera().project((card.x_mm - 31.5, card.y_mm))
    left, top = (int(each) // CELL_PX * CELL_PX for each in (x - CELL_PX, y))
    frames[LEAVES + 7][top : top + 2 * CELL_PX, left : left + CELL_PX] //= 2
    assert_only_left_in_time(watch_frames(frames))


@pytest.mark.slow
def test_a_shadow_does_not_move_on_the_place_of_a_card_that_left() -> None:
    """A shadow wanders over the place from which a card was just taken. The light explains this, although the bare mat
    has another color than the card, so no cell of the place moves."""
    x, y = camera().project((ROWS[0].x_mm, ROWS[0].y_mm))
    frames = frames_of([*still(Scene(ROWS), LEAVES), *still(Scene(ROWS[1:]), 18)])
    columns = np.arange(frames[0].shape[1], dtype=np.float32)[None, :, None]
    place = tuple(slice(int(each) // CELL_PX - 2, int(each) // CELL_PX + 3) for each in (y, x))
    watcher, moving = new_watcher(), 0
    for n, frame in enumerate(frames):
        edge = x - 100 + 20 * (n - LEAVES)
        light = np.asarray(1 - 0.45 / (1 + np.exp((columns - edge) / 25)), np.float32)
        watcher.process(scale_brightness(frame, light) if n >= LEAVES else frame, n / FPS)
        if n > LEAVES and watcher.change_masks is not None:
            moving += int(watcher.change_masks.moving[place].sum())
    assert moving == 0


@pytest.mark.slow
def test_a_card_leaves_in_dim_light() -> None:
    """When the light has faded to a quarter, the noise of the sensor does not keep a card from leaving."""
    frames = frames_of([*still(Scene(ROWS), LEAVES), *still(Scene(ROWS[1:]), 18)])
    add_noise = noise(np.random.default_rng(1), 7.0)
    light = np.interp(range(len(frames)), [8, 22], [1.0, 0.25])
    dim = [add_noise(scale_brightness(frame, float(share)), 0) for frame, share in zip(frames, light, strict=True)]
    assert_only_left_in_time(watch_frames(dim))


@pytest.mark.slow
def test_a_card_leaves_though_the_table_was_overexposed() -> None:
    """The table is so bright at first that its color can't be seen. In less light, the mat has another hue than
    before. That does not keep a card from leaving."""
    frames = frames_of([*still(Scene(ROWS), LEAVES), *still(Scene(ROWS[1:]), 18)])
    light = np.interp(range(len(frames)), [12, 22], [2.3, 1.0])
    bright = [scale_brightness(frame, float(share)) for frame, share in zip(frames, light, strict=True)]
    assert_only_left_in_time(watch_frames(bright))


@pytest.mark.slow
def test_a_card_leaves_after_a_knock() -> None:
    """After the camera was knocked, each cell shows something else than before. That does not keep a card from
    leaving."""
    frames = frames_of([*still(Scene(ROWS), LEAVES), *still(Scene(ROWS[1:]), 18)])
    assert_only_left_in_time(watch_frames(knocked_camera(frames, 16)))


@pytest.mark.slow
@pytest.mark.parametrize("knocked", [2, 3, 4])
def test_a_card_leaves_for_which_a_hand_reached_during_a_knock(knocked: int) -> None:
    """Somebody knocks the camera while a hand reaches for a card, which it then takes away. The place where the hand
    was in that moment does not count as an arm that hides the card for ever."""
    taken = [replace(ROWS[0], y_mm=ROWS[0].y_mm + y) for y in np.linspace(0, -160, 6)]
    reach = [hand_at(ROWS[0], y, ROWS[1:]) for y in (-120, -80, -40, -10, 0)]
    scenes = [*still(Scene(ROWS), LEAVES - 11), *reach, *(hand_at(each, 0, ROWS[1:]) for each in taken)]
    frames = frames_of([*scenes, *still(Scene(ROWS[1:]), 18)])
    assert_only_left_in_time(watch_frames(knocked_camera(frames, LEAVES - 11 + knocked)))


@pytest.mark.slow
@pytest.mark.parametrize("knocked", [2, 3, 4])
def test_a_card_stays_for_which_a_hand_reached_during_a_knock(knocked: int) -> None:
    """Somebody knocks the camera while a hand reaches for a card. The hand then rests on the card and is withdrawn."""
    reach = [hand_at(ROWS[0], y, ROWS[1:]) for y in (-120, -80, -40, 0, 30)]
    scenes = [*still(Scene(ROWS), LEAVES), *reach, *(hand_at(ROWS[0], 45, ROWS[1:]) for _ in range(30)), *reach[::-1]]
    frames = frames_of([*scenes, *still(Scene(ROWS), 18)])
    events = watch_frames(knocked_camera(frames, LEAVES + knocked))
    assert {event.kind for event in events[: len(ROWS)]} == {"appeared"}
    assert events[len(ROWS) :] == []


@pytest.mark.parametrize("restless_rows", [2, 6])
def test_a_flickering_edge_does_not_hide_that_a_card_left(restless_rows: int) -> None:
    """The cells of a code have been calm for a second, and show print that is unlike its surroundings. If only the
    edge of the changed region moved in that second, the card has left. If most of the region moved, it may be a
    hand."""
    changed, cells, calm_seconds = (
        np.zeros((20, 20), bool),
        np.zeros((20, 20), bool),
        np.full((20, 20), 1.0, np.float32),
    )
    changed[5:14, 6:13] = cells[9:13, 7:11] = True
    calm_seconds[5 : 5 + restless_rows] = 0.2
    calm_seconds[cells] = 1.0
    image = np.full((320, 320, 3), 230, np.uint8)
    image[80:224, 96:208] = 120
    masks = ChangeMasks(np.zeros_like(changed), np.ones_like(changed), changed, calm_seconds)
    place = np.array([144.0, 176.0]), 60.0
    regions = ChangedRegions(masks, [place], [], image, np.ones((20, 20), np.float32))
    assert regions.is_vacated(cells, 60.0, None) is (restless_rows == 2)


def test_noise_in_dim_light_does_not_make_the_surroundings_of_a_bare_place_unusual() -> None:
    """In dim light, the noise is amplified when the colors are converted to the usual light. The mat around a bare
    place still has its usual color, so the card that was there has left."""
    changed, cells = np.zeros((20, 20), bool), np.zeros((20, 20), bool)
    changed[5:14, 6:13] = cells[9:13, 7:11] = True
    dim = noise(np.random.default_rng(1), 22.0)(np.full((320, 320, 3), 40, np.uint8), 0)
    masks = ChangeMasks(np.zeros_like(changed), np.ones_like(changed), changed, np.full((20, 20), 0.1, np.float32))
    light, usual = np.full((20, 20), 5.0, np.float32), np.full((20, 20, 3), 200, np.float32)
    regions = ChangedRegions(masks, [(np.array([144.0, 176.0]), 60.0)], [], dim, light, usual)
    assert regions.is_vacated(cells, 60.0, None)
