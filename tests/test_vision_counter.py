"""Films of cubes on a mat -> counts: told once each, when they rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from companion.tabletop.observations import TokensCounted
from tests.cube_scenes import Lamp, camera, lanes, lit, mat, token_colors
from tests.vision_scenes import FPS
from vision.cubes.counter import CubeCounter
from vision.cubes.cube_detection import CubeCount
from vision.shelf import component_codes, mats_by_game
from vision.simulated_camera import PlacedToken, Scene
from vision.tracking.watcher import Watcher
from vision.worker import start

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
    """A watcher and a counter that see one scene after the other."""

    def __init__(self) -> None:
        self._watcher, self._counter = Watcher(component_codes(GAMES), mats_by_game(GAMES)), CubeCounter()
        self.set_mat()
        self._frames = 0

    def show(self, scene: Scene, seconds: float, lamp: Lamp | None = None) -> list[CubeCount]:
        """What is told meanwhile."""
        return [count for _ in range(round(seconds * FPS)) for count in self._see(scene, lamp)]

    def _see(self, scene: Scene, lamp: Lamp | None) -> Iterator[CubeCount]:
        frame, t = camera().render(scene), self._frames / FPS
        if lamp:
            frame = lit(frame, lamp, np.random.default_rng(self._frames))
        self._frames += 1
        self._watcher.process(frame, t)
        yield from self._counter.update(frame, t, self._watcher)

    def set_mat(self) -> None:
        """Begins anew."""
        self._counter.set_mat(TWO_LANES)


def test_counts_are_told_once_when_cubes_rest() -> None:
    """Every area at first, then those that change; a hand over them, moving or at rest, tells nothing."""
    film = Film()
    told = film.show(Scene((), (RED,)), 2)
    assert sorted(told, key=lambda count: count.area) == [
        CubeCount(OTHER, {}, "certain"),
        CubeCount(LANE, {"red": 1}, "certain"),
    ]
    assert film.show(Scene((), (RED, BLUE), HAND), 1.5) == []
    assert film.show(Scene((), (RED, BLUE)), 1.5) == [CubeCount(LANE, {"red": 1, "blue": 1}, "certain")]
    assert film.show(Scene((), (RED, BLUE)), 1) == []
    assert film.show(Scene((), (BLUE,)), 1.5) == [CubeCount(LANE, {"blue": 1}, "certain")]
    film.set_mat()
    assert len(film.show(Scene((), (BLUE,)), 1.5)) == 2


def test_in_the_dark_it_is_told_that_nothing_is_known() -> None:
    """And once the light is on again, what lies there."""
    film = Film()
    assert {count.reason for count in film.show(Scene((), (RED,)), 1.5, Lamp(exposure=0.12, noise=6.0))} == {"dark"}
    found = {count.area: count.cubes for count in film.show(Scene((), (RED,)), 4.5)}
    assert found[LANE] == {"red": 1}


def test_the_eyes_tell_counts(tmp_path: Path) -> None:
    """Through the process, as observations; only of the mat that they were told of."""
    for number in range(20):
        cv2.imwrite(str(tmp_path / f"{number:03}.bmp"), camera().render(Scene((), (RED,))))
    eyes = start(str(tmp_path), mats_by_game(GAMES), component_codes(GAMES))
    eyes.count_on(1, TWO_LANES)
    seen = next((o for o in eyes if isinstance(o, TokensCounted) and o.place == LANE), None)
    eyes.close()
    assert seen is not None
    assert (seen.tokens, seen.certainty) == ({"red": 1}, "certain")
