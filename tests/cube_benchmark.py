"""Counts the cubes in rendered lanes or pools, or on cards, while the camera is disturbed, and prints the figures of
docs/vision.md.

python -m tests.cube_benchmark [DISTURBANCE…] [--scenes N] [--seed S] [--board BOARD]

BOARD is a board of Traffic Congestion, "systems-failing" for the pools, or "systems-failing-cards".
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import process_time

import cv2
import numpy as np

from companion.games.systems_failing import cube_multiset
from companion.games.traffic_congestion import board as streets
from companion.games.traffic_congestion.board_reader import board_files
from companion.tabletop.mat import Point
from companion.tabletop.token_colors import TokenColors
from tests import cube_scenes, field_scenes, pool_scenes
from tests.cube_scenes import BOARD, CubeTable, compressed, good_lamp, lit, poor_lamp, shifted, to_mm, with_arm_shadow
from vision.cubes.cube_detection import CubeCount, count_cubes
from vision.cubes.cube_rendering import fill_polygon
from vision.geometry import Frame, Points
from vision.simulated_camera import TOKEN_BGR, PlacedPrint, PlacedToken, Scene, SimulatedCamera

CARELESS = "careless"
"""Cubes that stand partly beside the fields of cards. Only for CARDS_OF."""
DISTURBANCES = ("none", "arm", "1 mm", "1.5 mm", "jpeg", "poor jpeg", "neat", "stacks", "discs")
SCENES, SEED = 20, 6000
JPEG_QUALITY = 30
DISC_MM = (8.5, 17.0)
"""The diameters of discs in the colors of cubes."""
POOLS_OF, CARDS_OF = "systems-failing", "systems-failing-cards"

Outcome = tuple[CubeCount, Mapping[str, int] | None, bool]
"""A count, the cubes that are really there, and whether the count is right. A stack counts as one cube, which is right
if the count says that it may be a stack. Any certain count of an area with a disc is wrong."""


@dataclass(frozen=True)
class Setting:
    """A mat on which cubes are counted. `board`: a board of Traffic Congestion, POOLS_OF or CARDS_OF."""

    board: str

    @property
    def has_pools(self) -> bool:
        return self.board == POOLS_OF

    @property
    def has_cards(self) -> bool:
        return self.board == CARDS_OF

    @property
    def prints(self) -> tuple[PlacedPrint, ...]:
        """The cards on a mat without cubes."""
        return field_scenes.empty_table().scene.placements if self.has_cards else ()

    @property
    def token_colors(self) -> TokenColors:
        if self.has_cards:
            return field_scenes.empty_table().token_colors()
        return pool_scenes.token_colors() if self.has_pools else cube_scenes.token_colors(self.board)

    @property
    def areas(self) -> list[str]:
        return [card.id for card in self.prints] or list(self.token_colors.areas)

    @property
    def colors(self) -> tuple[str, ...]:
        return cube_multiset.COLORS if self.has_pools or self.has_cards else streets.COLORS

    def new_camera(self) -> SimulatedCamera:
        if self.has_cards:
            return field_scenes.new_camera()
        return pool_scenes.new_camera() if self.has_pools else cube_scenes.new_camera(self.board)

    def table(self, rng: np.random.Generator) -> CubeTable:
        """A random table."""
        return pool_scenes.table(rng) if self.has_pools else cube_scenes.table(rng, self.board)

    def places(self, area: str) -> tuple[tuple[Point, float], ...]:
        """The places for cubes in an area and their angles, in degrees."""
        if self.has_cards:
            return field_scenes.cube_points(next(card for card in self.prints if card.id == area))
        return pool_scenes.places(area) if self.has_pools else cube_scenes.places(area, self.board)

    def counts(self, frame: Frame, place: Points, codes: Sequence[Points] = ()) -> tuple[CubeCount, ...]:
        return count_cubes(frame, place, self.token_colors, self.areas, codes)


def outcomes(disturbance: str, setting: Setting, seed: int) -> Iterator[Outcome]:
    """The counts of all areas in one scene."""
    rng, source = np.random.default_rng(seed), setting.new_camera()
    match disturbance:
        case "neat":
            yield from _neat_outcomes(setting, source, rng)
        case "stacks":
            yield from _stack_outcomes(setting, source, rng)
        case "discs":
            yield from _disc_outcomes(setting, source, rng)
        case _:
            yield from _disturbed_outcomes(disturbance, setting, source, rng)


def _disturbed_outcomes(
    disturbance: str, setting: Setting, source: SimulatedCamera, rng: np.random.Generator
) -> Iterator[Outcome]:
    """The counts of random tables under a disturbed camera."""
    if setting.has_cards:
        yield from _disturbed_cards(disturbance, source, rng)
        return
    laid, place = setting.table(rng), to_mm()
    lamp = poor_lamp(rng) if disturbance == "poor jpeg" else good_lamp(rng)
    frame = lit(source.render(laid.scene), lamp, rng)
    match disturbance:
        case "arm":
            frame = with_arm_shadow(frame, rng)
        case "1 mm" | "1.5 mm":
            place = shifted(place, float(disturbance.split()[0]), rng)
        case "jpeg" | "poor jpeg":
            frame = compressed(frame, JPEG_QUALITY)
    for found in setting.counts(frame, place, laid.codes):
        yield found, laid.truth[found.area], found.cubes == laid.truth[found.area]


def _disturbed_cards(disturbance: str, source: SimulatedCamera, rng: np.random.Generator) -> Iterator[Outcome]:
    """The counts of the fields of random cards under a disturbed camera. Each card may be somewhere else than its code
    says, by as much as the mat of other boards."""
    kinds = (field_scenes.careless,) if disturbance == CARELESS else field_scenes.ARRANGEMENTS
    laid = field_scenes.table(rng, kinds)
    lamp = poor_lamp(rng) if disturbance == "poor jpeg" else good_lamp(rng)
    frame = lit(source.render(laid.scene), lamp, rng)
    if disturbance == "arm":
        frame = with_arm_shadow(frame, rng)
    elif disturbance in ("jpeg", "poor jpeg"):
        frame = compressed(frame, JPEG_QUALITY)
    colors = laid.token_colors(rng, float(disturbance.split()[0]) if disturbance.endswith("mm") else 0.0)
    for found in count_cubes(frame, to_mm(), colors, list(laid.truth)):
        yield found, laid.truth[found.area], found.cubes == laid.truth[found.area]


def _neat_outcomes(setting: Setting, source: SimulatedCamera, rng: np.random.Generator) -> Iterator[Outcome]:
    """The counts of areas whose cubes stand exactly on their places, all of one color, as evenings with rendered
    pictures put them. The light is good and even."""
    tokens: list[PlacedToken] = []
    truth = {}
    for area in setting.areas:
        color, places = str(rng.choice(setting.colors)), setting.places(area)
        places = places[: int(rng.integers(1, len(places) + 1))]
        tokens += [PlacedToken(color, *place, angle) for place, angle in places]
        truth[area] = {color: len(places)}
    for found in setting.counts(source.render(Scene(setting.prints, tuple(tokens))), to_mm()):
        yield found, truth[found.area], found.cubes == truth[found.area]


def _stack_outcomes(setting: Setting, source: SimulatedCamera, rng: np.random.Generator) -> Iterator[Outcome]:
    """The counts of areas with a stack of two cubes in a random place."""
    tokens: list[PlacedToken] = []
    for area in setting.areas:
        places = setting.places(area)
        (x, y), angle = places[rng.integers(len(places))]
        for level, color in enumerate(rng.choice(setting.colors, 2)):
            tokens.append(PlacedToken(str(color), x, y, angle + float(rng.normal(0, 5)), level))
    frame = lit(source.render(Scene(setting.prints, tuple(tokens))), good_lamp(rng), rng)
    for found in setting.counts(frame, to_mm()):
        yield found, None, found.possible_stacks > 0


def _disc_outcomes(setting: Setting, source: SimulatedCamera, rng: np.random.Generator) -> Iterator[Outcome]:
    """The counts of areas in which a flat disc in the color of a cube lies."""
    frame = source.render(Scene(setting.prints))
    for area in setting.areas:
        places = setting.places(area)
        center = places[rng.integers(len(places))][0]
        turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        outline = np.column_stack([np.cos(turns), np.sin(turns)]) * rng.uniform(*DISC_MM) / 2 + center
        paint = [float(level) for level in TOKEN_BGR[str(rng.choice(setting.colors))]]
        fill_polygon(frame, np.asarray(cv2.perspectiveTransform(outline[None], source.to_px)[0]), tuple(paint))
    for found in setting.counts(lit(frame, good_lamp(rng), rng), to_mm()):
        yield found, None, False


def main(args: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.cube_benchmark", description=__doc__.splitlines()[0])
    parser.add_argument(
        "disturbances", nargs="*", metavar="DISTURBANCE", help=f"any of {', '.join((*DISTURBANCES, CARELESS))}"
    )
    parser.add_argument("--scenes", type=int, default=SCENES, help=f"scenes per disturbance; {SCENES} by default")
    parser.add_argument("--seed", type=int, default=SEED, help="the first scene's seed; the others follow")
    parser.add_argument("--board", choices=[*sorted(board_files()), POOLS_OF, CARDS_OF], default=BOARD)
    options = parser.parse_args(args)
    if unknown := set(options.disturbances) - {*DISTURBANCES, CARELESS}:
        parser.error(f"no such disturbances: {', '.join(sorted(unknown))}")
    cv2.setNumThreads(1)
    for disturbance in options.disturbances or DISTURBANCES:
        total, wrong, started = Counter[str](), 0, process_time()
        for seed in range(options.seed, options.seed + options.scenes):
            for found, truth, is_right in outcomes(disturbance, Setting(options.board), seed):
                total[found.certainty] += 1
                if found.certainty == "certain" and not is_right:
                    wrong += 1
                    print(f"  wrong: {disturbance}, seed {seed}: {found}, really {truth}")
        count, seconds = total.total(), process_time() - started
        shares = ", ".join(f"{total[each]} {each} ({total[each] / count:.1%})" for each in sorted(total))
        print(f"{options.board}, {disturbance}: {count} areas: {shares}; {wrong} certain and wrong; {seconds:.0f} s")


if __name__ == "__main__":
    main()
