"""A change of light is not reported as a change on the table, and does not hide such a change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pytest

from tests.repetitions import thorough_except
from tests.vision_scenes import CARDS, FPS, camera, film, kinds_and_ids, new_watcher, still
from vision.geometry import CellGrid, Frame
from vision.simulated_camera import PlacedPrint, Scene
from vision.simulated_disturbances import (
    Disturbance,
    Random,
    evening,
    exposure_hunting,
    mains_bands,
    noise,
    scale_brightness,
    wandering_shadow,
)
from vision.tracking.change_detection import ChangeDetector, ChangeMasks, SameHue
from vision.tracking.light_compensation import local_light, recognized_cells
from vision.tracking.reduced_image import cell_features, reduce

ROWS = tuple(PlacedPrint(CARDS[n], 60 + 75 * (n % 5), 70 + 100 * (n // 5), 20.0 * n) for n in range(10))
LIGHTS: dict[str, Callable[[Random], Disturbance]] = {
    "shadow": wandering_shadow,
    "evening": evening,
    "exposure": partial(exposure_hunting, depth=0.35),
    "bands": partial(mains_bands, depth=0.35),
    "noise": partial(noise, sigma=16.0),
}


def reduced(frame: Frame) -> Frame:
    return reduce(np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8))


def half_in_shadow(frame: Frame) -> Frame:
    """The frame with a soft shadow over its left half."""
    light = np.interp(np.arange(frame.shape[1]), [500, 620], [0.6, 1.0]).astype(np.float32)
    return np.asarray(frame * light[None, :, None], np.uint8)


def light_between(before: Frame, now: Frame) -> CellGrid:
    recognized = recognized_cells(before, now)
    everywhere = np.ones_like(recognized)
    return local_light(cell_features(now), cell_features(before), recognized, everywhere)


def test_the_light_of_each_cell_is_found() -> None:
    """After the correction, nearly all cells are as bright as before the shadow came: in the shadow, at its edge and
    outside of it."""
    before, now = (camera().render(Scene(ROWS)) for _ in range(2))
    shaded = reduced(half_in_shadow(now))
    light = light_between(reduced(before), shaded)
    error = np.abs(cell_features(shaded)[0] * light - cell_features(reduced(before))[0])
    assert np.percentile(error, 97) < 3
    assert np.median(light[:, :25]) > 1.5


def test_a_card_that_was_taken_is_no_change_of_light() -> None:
    """The place of a card that was taken still looks different after the correction of the light."""
    before = reduced(camera().render(Scene(ROWS)))
    now = reduced(half_in_shadow(camera().render(Scene(ROWS[1:]))))
    light, recognized = light_between(before, now), recognized_cells(before, now)
    x, y = camera().project((ROWS[0].x_mm, ROWS[0].y_mm + 19))
    place = (slice(int(y / 16) - 1, int(y / 16) + 2), slice(int(x / 16) - 1, int(x / 16) + 2))
    assert not recognized[place].any()
    difference = np.abs(cell_features(now) * light - cell_features(before)).max(0)
    assert difference[place].min() > 15


def test_a_new_background_is_compared_without_compensation() -> None:
    """After the camera was moved, a frame shows another scene, and no factors for the light make one look like the
    other. Once this scene is the background, it is compared as it is: nothing has changed."""
    detector = ChangeDetector()
    scene = camera().render(Scene(ROWS))
    before, after = reduced(scene), reduced(half_in_shadow(np.roll(scene, (40, 40), (0, 1))))
    everywhere = np.ones(cell_features(before).shape[1:], bool)
    for n, frame in enumerate((before, before, after, after)):
        masks = detector.update(frame, cell_features(frame), n / FPS, lambda: SameHue(everywhere, everywhere))
    assert masks.changed.mean() > 0.3
    detector.reset_background()
    assert not detector.update(
        after, cell_features(after), 5 / FPS, lambda: SameHue(everywhere, everywhere)
    ).changed.any()
    assert (detector.light == 1).all()


def test_print_that_has_just_come_trembles_no_more_than_other_print() -> None:
    """The camera trembles a little, so that all print varies by four gray levels. A card is put on the plain table. Its
    cells are calm in the next frames, although the noise was lower there before."""
    detector, everywhere = ChangeDetector(), np.ones((20, 30), bool)
    for n in range(40):
        texture = np.full((20, 30), 3.0, np.float32)
        texture[:8] = 40
        if n >= 30:
            texture[12:17, 4:9] = 40
        light = 120 + (texture > 8) * np.float32(4 * (n % 2))
        masks = detector.update(
            np.full((80, 120), 120, np.uint8),
            np.stack([light, texture]),
            n / FPS,
            lambda: SameHue(everywhere, everywhere),
        )
        assert masks.moving.any() == (n in (0, 30))


def detect(frames: Iterable[Frame]) -> tuple[ChangeDetector, ChangeMasks]:
    """A detector that has processed the frames, and the change masks of the last frame."""
    detector = ChangeDetector()
    for n, frame in enumerate(frames):
        features = cell_features(reduced(frame))
        everywhere = np.ones(features.shape[1:], bool)
        masks = detector.update(reduced(frame), features, n / FPS, partial(SameHue, everywhere, everywhere))
    return detector, masks


@pytest.mark.slow
def test_overexposure_is_no_motion() -> None:
    """When the exposure rises so far that white paper loses its faint print, the cells of the table do not move. When
    it falls again, the table looks as before."""
    white = np.full((700, 1120, 3), 235, np.uint8)
    for x in range(0, 1120, 20):
        white[:, x : x + 8] = 215
    white[300:420, 500:600] = np.kron(np.indices((12, 10)).sum(0) % 2, np.ones((10, 10)))[:, :, None] * 180 + 30
    steps = [scale_brightness(white, 1 + 0.35 * max(0.0, math.sin(n / 3))) for n in range(22)]
    for n in range(3, len(steps) + 1):
        _, masks = detect(steps[:n])
        assert masks.moving.mean() < 0.02, n
    assert masks.changed.mean() < 0.02


@pytest.mark.parametrize("is_sleeve", [False, True])
def test_dark_bands_are_told_from_a_sleeve_by_the_print_in_them(is_sleeve: bool) -> None:
    """In a band of dim light, the print of the table is still recognized, so a place there can be judged. A plain
    sleeve over the same rows hides the print."""
    frame = camera().render(Scene(ROWS))
    changed = frame.copy()
    rows = slice(288, 448)
    changed[rows] = 60 if is_sleeve else scale_brightness(frame[rows], 0.65)
    detector, _ = detect([frame, frame, changed])
    band = np.zeros(detector.features.shape[1:], bool)
    band[20:26] = True
    assert detector.has_usual_lighting(band) is not is_sleeve


@pytest.mark.slow
@pytest.mark.parametrize("name", thorough_except([*LIGHTS], "shadow", "bands"))
def test_events_in_changing_light(name: str) -> None:
    """In changing light, every card appears once, a card that is taken is reported as gone within a second, and a card
    that is moved is reported as moved."""
    disturb, watcher = LIGHTS[name](np.random.default_rng(2)), new_watcher()
    moved = replace(ROWS[3], y_mm=ROWS[3].y_mm + 25)
    after = (*ROWS[1:3], moved, *ROWS[4:])
    scenes = [*still(Scene(ROWS), 20), *still(Scene(ROWS[1:]), 16), *still(Scene(after), 20)]
    events = [event for t, frame in film(scenes) for event in watcher.process(disturb(frame, t), t)]
    assert set(kinds_and_ids(events[:10])) == {("appeared", card.id) for card in ROWS}
    assert kinds_and_ids(events[10:]) == [("left", ROWS[0].id), ("moved", moved.id)]
    assert events[10].t * FPS - 20 <= FPS
