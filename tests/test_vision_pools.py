"""The cubes in the pools of Systems Failing are counted, black and orange ones too, and no certain count is wrong."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import cv2
import numpy as np
import pytest

from companion.games.systems_failing.cube_multiset import COLORS
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.mat import MAX_CUBES
from companion.printing.low_ink import LowInkCanvas
from companion.tabletop.token_colors import NEUTRAL_COLORS
from tests.cube_scenes import (
    PX_PER_MM,
    Lamp,
    compressed,
    good_lamp,
    lit,
    poor_lamp,
    printed_mat,
    shifted,
    to_mm,
    with_arm_shadow,
)
from tests.pool_scenes import POOLS, new_camera, places, table, textures, token_colors
from tests.repetitions import repetitions, thorough_except
from vision.cubes.cube_detection import CubeCount, count_cubes
from vision.cubes.cube_rendering import fill_polygon
from vision.geometry import Frame
from vision.simulated_camera import PlacedToken, Scene

POOL = "pool-0"
DAY = Lamp()


def cubes(*colors: str) -> tuple[PlacedToken, ...]:
    """Cubes in the first places of a pool, a little askew."""
    return tuple(PlacedToken(color, *at, 4.0) for color, (at, _) in zip(colors, places(POOL), strict=False))


def rendered(*tokens: PlacedToken) -> Frame:
    return lit(new_camera().render(Scene((), tokens)), DAY, np.random.default_rng(1))


def count(frame: Frame) -> CubeCount:
    return count_cubes(frame, to_mm(), token_colors(), [POOL])[0]


def with_flat(frame: Frame, width: float, height: float, paint: tuple[float, float, float]) -> Frame:
    """The frame with a flat rectangle in the pool. `width` and `height` are in millimeters."""
    corners = np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2
    outline = cv2.perspectiveTransform((corners + places(POOL)[5][0])[None], new_camera().to_px)[0]
    fill_polygon(frame, np.asarray(outline), paint)
    return frame


@pytest.mark.slow
@pytest.mark.parametrize(
    ("disturbance", "least"), thorough_except([("none", 0.9), ("arm", 0.8), ("wavy paper", 0.9)], ("none", 0.9))
)
def test_the_counts_of_pools_are_right(disturbance: str, least: float) -> None:
    """In good light, most counts are certain, and none of these is wrong: with cubes in rows, pushed together or
    strewn, with the shadow of an arm, and with paper that is 1 mm away from its place."""
    source, certain, scenes = new_camera(), 0, repetitions(20, 12)
    for seed in range(scenes):
        rng = np.random.default_rng(seed)
        laid, place = table(rng), to_mm()
        frame = lit(source.render(laid.scene), good_lamp(rng), rng)
        if disturbance == "arm":
            frame = with_arm_shadow(frame, rng)
        elif disturbance == "wavy paper":
            place = shifted(place, 1.0, rng)
        for found in count_cubes(frame, place, token_colors(), list(POOLS)):
            assert found.certainty != "certain" or found.cubes == laid.truth[found.area], (seed, found)
            certain += found.certainty == "certain"
    assert certain >= least * scenes * len(POOLS)


@pytest.mark.slow
def test_in_poor_light_no_pool_is_certain_and_wrong() -> None:
    """In dim or tinted light and with strong compression, all certain counts are right."""
    source = new_camera()
    for seed in range(repetitions(20, 8)):
        rng = np.random.default_rng(seed)
        laid = table(rng)
        frame = compressed(lit(source.render(laid.scene), poor_lamp(rng), rng), 30)
        for found in count_cubes(frame, to_mm(), token_colors(), list(POOLS)):
            assert found.certainty != "certain" or found.cubes == laid.truth[found.area], (seed, found)


@pytest.mark.parametrize("color", COLORS)
def test_each_color_is_counted(color: str) -> None:
    """Cubes of each color are counted, and all colors together."""
    assert count(rendered(*cubes(color, color))) == CubeCount(POOL, {color: 2}, "certain")
    mixed = [*COLORS, color]
    assert count(rendered(*cubes(*mixed))) == CubeCount(POOL, dict(Counter(mixed)), "certain")


def test_an_empty_pool_is_empty_for_certain() -> None:
    """An empty pool is certainly empty, also in the shadow of an arm, which is not taken for black cubes."""
    assert count(rendered()) == CubeCount(POOL, {}, "certain")
    for seed in range(5):
        assert count(with_arm_shadow(rendered(), np.random.default_rng(seed))) == CubeCount(POOL, {}, "certain")


def test_a_player_who_must_return_cubes_may_have_more_than_ten() -> None:
    """A pool holds the cubes of a player who has scavenged and must return two."""
    colors = [COLORS[number % 6] for number in range(MAX_CUBES)]
    assert count(rendered(*cubes(*colors))) == CubeCount(POOL, dict(Counter(colors)), "certain")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(8.0, 8.0), (9.0, 9.0), (16.0, 8.0), (20.0, 20.0), (9.0, 140.0)])
def test_something_flat_and_black_is_not_counted(width: float, height: float) -> None:
    """A black chip, a pen or a piece of cardboard is not counted for certain: a black cube has sides that are darker
    than its top."""
    found = count(with_flat(rendered(*cubes("red")), width, height, (30, 30, 30)))
    assert found.certainty != "certain", found


@pytest.mark.parametrize("paint", [(30, 30, 30), (42, 32, 32), (70, 40, 25), (138, 138, 138)])
def test_a_dark_sleeve_or_a_telephone_leaves_the_pool_unknown(paint: tuple[float, float, float]) -> None:
    """A large dark object over the pool makes the count unknown."""
    found = count(with_flat(rendered(*cubes("red", "black")), 70, 200, paint))
    assert (found.cubes, found.certainty) == (None, "unknown")


def test_a_dark_gray_cube_is_not_black() -> None:
    """A dark gray cube is no black one, so the count is not certain."""
    frame = with_flat(rendered(*cubes("red")), 8.0, 8.0, (85, 85, 85))
    assert count(frame).certainty != "certain"


def test_a_white_cube_in_a_pool_is_noticed() -> None:
    """White cubes never belong in a pool. With one there, the count is unknown."""
    assert count(rendered(*cubes("red", "white"))).certainty == "unknown"


def test_an_older_print_is_not_counted() -> None:
    """On a mat without color charts, nothing is counted."""
    frame = rendered(*cubes("red"))
    for patch in chain(*token_colors().charts):
        corners = np.array([patch.top_left, np.add(patch.top_left, patch.size)])
        outline = np.array([(x, y) for x, y in zip(corners[[0, 1, 1, 0], 0], corners[[0, 0, 1, 1], 1], strict=True)])
        middle = outline.mean(0)
        px = cv2.perspectiveTransform(((outline - middle) * 1.3 + middle)[None], new_camera().to_px)[0]
        fill_polygon(frame, np.asarray(px), (246, 244, 240))
    assert count(frame) == CubeCount(POOL, None, "unknown", "patches")


@pytest.mark.parametrize("low_ink", [False, True])
def test_the_patches_and_the_pavement_are_printed_where_the_data_says(low_ink: bool) -> None:
    """Each color patch and each stone of the printed mat is where the data say, and has its print color, on a mat that
    saves ink, too."""
    colors = {**token_colors().colors, **NEUTRAL_COLORS}
    printed = printed_mat(GAME, LowInkCanvas).image if low_ink else textures()["mat"].image
    expected = [(patch.center, colors[patch.kind]) for patch in chain(*token_colors().charts)]
    for stones in token_colors().light_stones.values():
        light, dark = token_colors().stone_colors
        middles = [np.mean(stone, 0) for stone in stones]
        expected += [((float(x), float(y)), light) for x, y in middles]
        expected.append(((float(middles[0][0]) + 4, float(middles[0][1])), dark))
    for (x, y), color in expected:
        blue, green, red = printed[round(y * PX_PER_MM), round(x * PX_PER_MM)]
        assert f"#{red:02x}{green:02x}{blue:02x}" == color
