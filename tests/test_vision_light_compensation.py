"""A change of light is not reported as a change on the table, and does not hide such a change."""

from __future__ import annotations

from collections.abc import Callable
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
    wandering_shadow,
)
from vision.tracking.change_detection import ChangeDetector
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
    same_hue = np.ones(cell_features(before).shape[1:], bool)
    for n, frame in enumerate((before, before, after, after)):
        masks = detector.update(frame, cell_features(frame), n / FPS, lambda: same_hue)
    assert masks.changed.mean() > 0.3
    detector.reset_background()
    assert not detector.update(after, cell_features(after), 5 / FPS, lambda: same_hue).changed.any()
    assert (detector.light == 1).all()


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
