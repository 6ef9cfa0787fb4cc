"""Random actions with the real prints. The watcher must report exactly what hands do to the cards."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from companion.games import GAMES
from companion.printing import raster
from companion.tabletop.mat import Point
from tests.cube_scenes import new_camera
from tests.repetitions import repetitions
from tests.vision_scenes import FPS, kinds_and_ids
from vision.known_codes import component_codes, mats_by_game
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, TextureFolder, Textures
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent

STEPS = repetitions(40, at_least=12)
GAME = GAMES["systems-failing"]
SPOTS = [(x, y) for x in (81.0, 157.0, 233.0, 309.0, 389.0) for y in (76.0, 180.0, 284.0)]
"""Places for cards, so far apart that no card covers another."""

Events = list[tuple[str, str]]


@pytest.fixture(scope="module")
def prints(tmp_path_factory: pytest.TempPathFactory) -> Textures:
    folder = tmp_path_factory.mktemp("prints")
    raster.write_textures(GAME, folder, 4.0)
    return TextureFolder(folder)


class RandomActions:
    """A table with cards, random actions, and a watcher."""

    def __init__(self, prints: Textures, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._camera = SimulatedCamera(prints, seed)
        self._watcher = TableWatcher(component_codes(), mats_by_game())
        self._off = [
            component.id for component in GAME.physical.components.components if f"{component.id}/front" in prints
        ]
        self._on: dict[str, PlacedPrint] = {}
        self._frames = 0
        self.watch(6)

    def watch(self, frames: int, hand: Point | None = None) -> Events:
        """The events of this number of frames."""
        happened: list[TrackEvent] = []
        for _ in range(frames):
            frame = self._camera.render(Scene(tuple(self._on.values()), (), hand))
            happened += self._watcher.process(frame, self._frames / FPS)
            self._frames += 1
        return kinds_and_ids(happened)

    def step(self) -> tuple[Events, Events]:
        """Performs a random action. Returns its events and the expected events."""
        acts = [self._lay, self._move, self._turn, self._take, self._cover]
        component = str(self._rng.choice(sorted(self._on))) if self._on else ""
        return acts[self._rng.integers(len(acts))](component) if component else self._lay(component)

    def _spot(self) -> Point:
        taken = {(placement.x_mm, placement.y_mm) for placement in self._on.values()}
        free = [spot for spot in SPOTS if spot not in taken]
        return free[self._rng.integers(len(free))]

    def _lay(self, _: str) -> tuple[Events, Events]:
        component, (x, y) = self._off.pop(self._rng.integers(len(self._off))), self._spot()
        self._on[component] = PlacedPrint(component, x, y, float(self._rng.normal(0, 3)))
        return self.watch(2, (x, y - 20)) + self.watch(8), [("appeared", component)]

    def _move(self, component: str) -> tuple[Events, Events]:
        x, y = self._spot()
        self._on[component] = replace(self._on.pop(component), x_mm=x, y_mm=y)
        return self.watch(8), [("moved", component)]

    def _turn(self, component: str) -> tuple[Events, Events]:
        """Rotates a card about its center, so that its code, which is not at the center, moves."""
        self._on[component] = replace(self._on[component], angle=self._on[component].angle + 90)
        return self.watch(8), [("moved", component)]

    def _take(self, component: str) -> tuple[Events, Events]:
        del self._on[component]
        self._off.append(component)
        return self.watch(12), [("left", component)]

    def _cover(self, component: str) -> tuple[Events, Events]:
        """Holds a hand still over a card."""
        placement = self._on[component]
        hand = (placement.x_mm + float(self._rng.normal(0, 5)), placement.y_mm - 30)
        return self.watch(14, hand) + self.watch(8), []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_action_is_reported_once(prints: Textures, seed: int) -> None:
    """A card that is placed, moved, rotated or taken is reported once. A hand over a card causes no report."""
    actions = RandomActions(prints, seed)
    for number in range(STEPS):
        heard, expected = actions.step()
        assert heard == expected, f"step {number}"


def test_the_camera_of_an_earlier_game_leaves_no_memory_behind() -> None:
    """A camera holds the pictures of all components. It is freed as soon as it is replaced by the next game's camera,
    without the garbage collector, which seldom runs in a process with few objects."""
    camera = new_camera()
    camera.render(Scene((PlacedPrint("tile", 100.0, 100.0),)))
    gone = weakref.ref(camera)
    gc.disable()
    try:
        del camera
        assert gone() is None
    finally:
        gc.enable()
