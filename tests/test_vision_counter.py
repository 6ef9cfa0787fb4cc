"""Counts cubes in videos of a mat. Each count is reported once, when the cubes are at rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.tabletop.observations import TokensCounted
from tests.cube_scenes import Lamp, camera, lanes, lit, mat, new_camera, token_colors
from tests.repetitions import thorough_except
from tests.vision_scenes import FPS
from vision import simulated_camera
from vision.camera_process import create_camera_process
from vision.cubes.count_scheduler import CountScheduler
from vision.cubes.cube_detection import CubeCount
from vision.known_codes import component_codes, mats_by_game
from vision.simulated_camera import PlacedToken, Scene
from vision.tracking.distortion import RadialDistortion
from vision.tracking.table_watcher import TableWatcher

GAMES = ("traffic-congestion",)
LANE, OTHER = "west1>A", "A>B"


def car(color: str, number: int, lane: str = LANE) -> PlacedToken:
    geometry = lanes()[lane]
    return PlacedToken(color, *geometry.point(*geometry.car_offsets[number]), geometry.heading)


AREAS = {lane: token_colors().areas[lane] for lane in (LANE, OTHER)}
TWO_LANES = replace(mat(), token_colors=replace(token_colors(), areas=AREAS))
RED, BLUE = car("red", 0), car("blue", 1)
HAND = lanes()[LANE].point(10)


class Film:
    """A watcher and a counter that process one scene after another."""

    def __init__(self) -> None:
        self._watcher, self._counter = TableWatcher(component_codes(GAMES), mats_by_game(GAMES)), CountScheduler()
        self.set_mat()
        self._frames = 0

    def show(self, scene: Scene, seconds: float, lamp: Lamp | None = None) -> list[CubeCount]:
        """Shows a scene for some seconds. Returns the counts that are reported in this time."""
        return [count for _ in range(round(seconds * FPS)) for count in self._see(scene, lamp)]

    def _see(self, scene: Scene, lamp: Lamp | None) -> Iterator[CubeCount]:
        frame, t = camera().render(scene), self._frames / FPS
        if lamp:
            frame = lit(frame, lamp, np.random.default_rng(self._frames))
        self._frames += 1
        self._watcher.process(frame, t)
        yield from self._counter.update(frame, t, self._watcher)

    def set_mat(self) -> None:
        """Sets the mat, so that counting starts over."""
        self._counter.set_mat(TWO_LANES)


@pytest.mark.slow
def test_counts_are_reported_once_cubes_rest() -> None:
    """The count of every area is reported at first, and later only those that change. A hand above the areas, moving or
    at rest, causes no report."""
    film = Film()
    counts = film.show(Scene((), (RED,)), 2)
    assert sorted(counts, key=lambda count: count.area) == [
        CubeCount(OTHER, {}, "certain"),
        CubeCount(LANE, {"red": 1}, "certain"),
    ]
    assert film.show(Scene((), (RED, BLUE), HAND), 1.5) == []
    assert film.show(Scene((), (RED, BLUE)), 1.5) == [CubeCount(LANE, {"red": 1, "blue": 1}, "certain")]
    assert film.show(Scene((), (RED, BLUE)), 1) == []
    assert film.show(Scene((), (BLUE,)), 1.5) == [CubeCount(LANE, {"blue": 1}, "certain")]
    film.set_mat()
    assert len(film.show(Scene((), (BLUE,)), 1.5)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("cube_mm", [10.0, 12.0])
def test_larger_cubes_are_counted_if_their_size_is_set(cube_mm: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the setting `cube_mm`, the camera counts cubes of that size. Without it, it is not certain of them."""
    monkeypatch.setattr(simulated_camera, "CUBE_MM", cube_mm)
    seen = new_camera().render(Scene((), (RED, BLUE, car("green", 2))))
    found = {}
    for size in (cube_mm, None):
        counter, watcher = CountScheduler(size), TableWatcher(component_codes(GAMES), mats_by_game(GAMES))
        counter.set_mat(TWO_LANES)
        for number in range(24):
            watcher.process(seen, number / FPS)
            found |= {(size, each.area): each for each in counter.update(seen, number / FPS, watcher)}
    assert found[cube_mm, LANE] == CubeCount(LANE, {"red": 1, "blue": 1, "green": 1}, "certain")
    assert found[None, LANE].certainty != "certain"


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", thorough_except([0.03, 0.12, 0.3], 0.3))
def test_cubes_are_counted_through_a_distorting_lens(coefficient: float) -> None:
    """The distortion of the lens is estimated from the corners of the mat, and removed from the frame before cubes are
    counted."""
    lens = RadialDistortion(coefficient, camera().size)
    cars = (RED, BLUE, car("green", 0, OTHER))
    frame = camera().render(Scene((), cars))
    y, x = np.mgrid[0 : frame.shape[0], 0 : frame.shape[1]].astype(float)
    at = lens.undistort(np.stack([x.ravel(), y.ravel()], 1)).reshape(*frame.shape[:2], 2).astype(np.float32)
    seen = np.asarray(cv2.remap(frame, at[..., 0], at[..., 1], cv2.INTER_LINEAR), np.uint8)
    counter, watcher = CountScheduler(), TableWatcher(component_codes(GAMES), mats_by_game(GAMES))
    counter.set_mat(TWO_LANES)
    counts = dict[str, CubeCount]()
    for number in range(24):
        watcher.process(seen, number / FPS)
        counts |= {count.area: count for count in counter.update(seen, number / FPS, watcher)}
    assert counts[LANE] == CubeCount(LANE, {"red": 1, "blue": 1}, "certain")
    assert counts[OTHER] == CubeCount(OTHER, {"green": 1}, "certain")


def test_a_lens_and_its_inverse() -> None:
    """Distorting points and removing the distortion again gives the same points."""
    lens = RadialDistortion(0.3, (1600, 900))
    px = np.array([[0.0, 0], [800, 450], [1599, 10], [300, 899]])
    assert np.abs(lens.undistort(lens.distort(px)) - px).max() < 0.05


@pytest.mark.slow
def test_in_the_dark_counts_are_unknown() -> None:
    """In the dark counts are unknown until the light is on again."""
    film = Film()
    assert {count.reason for count in film.show(Scene((), (RED,)), 1.5, Lamp(exposure=0.04, noise=6.0))} == {"dark"}
    found = {count.area: count.cubes for count in film.show(Scene((), (RED,)), 4.5)}
    assert found[LANE] == {"red": 1}


@pytest.mark.slow
def test_the_camera_process_reports_counts(tmp_path: Path) -> None:
    """The camera process reports the counts of the mat that was set, as observations."""
    for number in range(20):
        cv2.imwrite(str(tmp_path / f"{number:03}.bmp"), camera().render(Scene((), (RED,))))
    process = create_camera_process(str(tmp_path), mats_by_game(GAMES), component_codes(GAMES))
    process.count_tokens(1, TWO_LANES)
    seen = next((o for o in process if isinstance(o, TokensCounted) and o.place == LANE), None)
    process.close()
    assert seen is not None
    assert (seen.tokens, seen.certainty) == ({"red": 1}, "certain")
