"""Renders cubes in the pools on the printed mat of Systems Failing, and gives their true counts.

The light, the camera and the disturbances are those of `tests.cube_scenes`: both mats have the same size.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy, deepcopy
from functools import cache

import numpy as np

from companion.games.systems_failing.cube_multiset import COLORS
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.mat import (
    MAT,
    MAX_CUBES,
    POOL_COLUMNS,
    POOL_LEFT,
    POOL_SIZE,
    POOL_TOPS,
    cube_places,
)
from companion.games.systems_failing.pavement import CUBE_MM
from companion.tabletop.mat import Point
from companion.tabletop.token_colors import TokenColors
from tests.cube_scenes import CubeTable, printed_mat
from vision.simulated_camera import PlacedToken, Scene, SimulatedCamera, Textures

POOLS = {"pool-0": 0, "pool-1": 1}
"""The areas in which cubes are counted, and the seats of their owners."""
EDGE_MM = 5.5
"""How far inside the pavement the middle of a cube is that people put there with a little care."""
TOUCHING_PITCH_MM = 8.15


def token_colors() -> TokenColors:
    found = MAT.token_colors
    assert found is not None
    return found


@cache
def textures() -> Textures:
    return {"mat": printed_mat(GAME)}


def new_camera() -> SimulatedCamera:
    """A camera whose noise doesn't depend on what other tests have rendered."""
    return with_own_noise(_unused_camera())


def with_own_noise(camera: SimulatedCamera) -> SimulatedCamera:
    """A copy of a camera, with a noise generator of its own in the same state."""
    found = copy(camera)
    found._rng = deepcopy(found._rng)
    return found


@cache
def _unused_camera() -> SimulatedCamera:
    return SimulatedCamera(textures())


def tidy(pool: str, colors: Iterable[str], rng: np.random.Generator) -> Iterator[PlacedToken]:
    """Yields cubes that stand in two columns, about where the simulated table puts them."""
    for color, (x, y) in zip(colors, cube_places(POOLS[pool]), strict=False):
        yield PlacedToken(color, x + rng.normal(0, 0.7), y + rng.normal(0, 0.7), rng.normal(0, 8))


def pushed_together(pool: str, colors: Iterable[str], rng: np.random.Generator) -> Iterator[PlacedToken]:
    """Yields cubes that people have pushed together into two columns, so that many touch each other."""
    left = POOL_LEFT + POOL_SIZE[0] / 2 - TOUCHING_PITCH_MM / 2 - abs(rng.normal(0, 1.0))
    top = POOL_TOPS[POOLS[pool]] + EDGE_MM + rng.uniform(0, 20)
    tops = [top + abs(rng.normal(0, 1.0)) for _ in range(POOL_COLUMNS)]
    for number, color in enumerate(colors):
        column = number % POOL_COLUMNS
        x = left + column * (TOUCHING_PITCH_MM + abs(rng.normal(0, 0.7)))
        yield PlacedToken(color, x + rng.normal(0, 0.3), tops[column], rng.normal(0, 1.5))
        tops[column] += TOUCHING_PITCH_MM + abs(rng.normal(0, 0.8))


def strewn(pool: str, colors: Iterable[str], rng: np.random.Generator) -> Iterator[PlacedToken]:
    """Yields cubes at random places and at random angles. None stands on another."""
    placed = list[PlacedToken]()
    for color in colors:
        for _ in range(400):
            x = POOL_LEFT + rng.uniform(EDGE_MM, POOL_SIZE[0] - EDGE_MM)
            y = POOL_TOPS[POOLS[pool]] + rng.uniform(EDGE_MM, POOL_SIZE[1] - EDGE_MM)
            cube = PlacedToken(color, x, y, rng.uniform(0, 90))
            if all(are_apart(cube, other) for other in placed):
                placed.append(cube)
                break
    yield from placed


def are_apart(one: PlacedToken, other: PlacedToken) -> bool:
    """Whether two cubes can stand where they are: the circles around them don't overlap."""
    return math.dist((one.x_mm, one.y_mm), (other.x_mm, other.y_mm)) >= CUBE_MM * 1.3


ARRANGEMENTS = (tidy, pushed_together, strewn)


def table(rng: np.random.Generator) -> CubeTable:
    """A random table: up to 10 cubes in each pool, in any arrangement. A quarter of the pools have only two colors, so
    that many equal cubes stand side by side."""
    tokens: list[PlacedToken] = []
    truth = {}
    for pool in POOLS:
        kinds = rng.choice(COLORS, 2) if rng.random() < 0.25 else COLORS
        colors = [str(color) for color in rng.choice(kinds, rng.integers(MAX_CUBES - 1))]
        placed = list(ARRANGEMENTS[rng.integers(len(ARRANGEMENTS))](pool, colors, rng))
        tokens += placed
        truth[pool] = dict(Counter(token.color for token in placed))
    return CubeTable(Scene((), tuple(tokens)), truth, ())


def places(pool: str) -> tuple[tuple[Point, float], ...]:
    """The places of cubes in a tidy pool and their angles, in degrees."""
    return tuple((place, 0.0) for place in cube_places(POOLS[pool]))
