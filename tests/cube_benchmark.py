"""Counts the cubes in rendered lanes while the camera is disturbed, and prints the figures of docs/vision.md.

python -m tests.cube_benchmark [DISTURBANCE…] [--scenes N] [--seed S] [--board BOARD]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from time import process_time

import cv2
import numpy as np

from companion.games.traffic_congestion.board import COLORS
from companion.games.traffic_congestion.board_reader import board_files
from tests.cube_scenes import (
    BOARD,
    compressed,
    good_lamp,
    lanes,
    lit,
    new_camera,
    poor_lamp,
    shifted,
    table,
    to_mm,
    token_colors,
    with_arm_shadow,
)
from vision.cubes.cube_detection import CubeCount, count_cubes
from vision.cubes.cube_rendering import fill_polygon
from vision.geometry import Frame, Points
from vision.simulated_camera import TOKEN_BGR, PlacedToken, Scene, SimulatedCamera

DISTURBANCES = ("none", "arm", "1 mm", "1.5 mm", "jpeg", "poor jpeg", "neat", "stacks", "discs")
SCENES, SEED = 20, 6000
JPEG_QUALITY = 30
DISC_MM = (8.5, 17.0)
"""The diameters of discs in the colors of cubes."""

Outcome = tuple[CubeCount, Mapping[str, int] | None, bool]
"""A count, the cubes that are really there, and whether the count is right. A stack counts as one cube, which is right
if the count says that it may be a stack. Any certain count of a lane with a disc is wrong."""


def outcomes(disturbance: str, board: str, seed: int) -> Iterator[Outcome]:
    """The counts of all lanes in one scene."""
    rng, source = np.random.default_rng(seed), new_camera(board)
    match disturbance:
        case "neat":
            yield from _neat_outcomes(board, source, rng)
        case "stacks":
            yield from _stack_outcomes(board, source, rng)
        case "discs":
            yield from _disc_outcomes(board, source, rng)
        case _:
            yield from _disturbed_outcomes(disturbance, board, source, rng)


def _disturbed_outcomes(
    disturbance: str, board: str, source: SimulatedCamera, rng: np.random.Generator
) -> Iterator[Outcome]:
    """The counts of random queues under a disturbed camera."""
    laid, place = table(rng, board), to_mm()
    lamp = poor_lamp(rng) if disturbance == "poor jpeg" else good_lamp(rng)
    frame = lit(source.render(laid.scene), lamp, rng)
    match disturbance:
        case "arm":
            frame = with_arm_shadow(frame, rng)
        case "1 mm" | "1.5 mm":
            place = shifted(place, float(disturbance.split()[0]), rng)
        case "jpeg" | "poor jpeg":
            frame = compressed(frame, JPEG_QUALITY)
    for found in _counts(frame, place, board, laid.codes):
        yield found, laid.truth[found.area], found.cubes == laid.truth[found.area]


def _counts(frame: Frame, place: Points, board: str, codes: Sequence[Points] = ()) -> tuple[CubeCount, ...]:
    return count_cubes(frame, place, token_colors(board), list(lanes(board)), codes)


def _neat_outcomes(board: str, source: SimulatedCamera, rng: np.random.Generator) -> Iterator[Outcome]:
    """The counts of queues whose cubes stand exactly on their marks, all of one color, as evenings with rendered
    pictures put them. The light is good and even."""
    tokens: list[PlacedToken] = []
    truth = {}
    for lane, geometry in lanes(board).items():
        color, offsets = str(rng.choice(COLORS)), geometry.car_offsets
        offsets = offsets[: int(rng.integers(1, len(offsets) + 1))]
        tokens += [PlacedToken(color, *geometry.point(*offset), geometry.heading) for offset in offsets]
        truth[lane] = {color: len(offsets)}
    for found in _counts(source.render(Scene((), tuple(tokens))), to_mm(), board):
        yield found, truth[found.area], found.cubes == truth[found.area]


def _stack_outcomes(board: str, source: SimulatedCamera, rng: np.random.Generator) -> Iterator[Outcome]:
    """The counts of lanes with a stack of two cubes in a random place."""
    tokens: list[PlacedToken] = []
    for geometry in lanes(board).values():
        x, y = geometry.point(*geometry.car_offsets[rng.integers(len(geometry.car_offsets))])
        for level, color in enumerate(rng.choice(COLORS, 2)):
            tokens.append(PlacedToken(str(color), x, y, geometry.heading + float(rng.normal(0, 5)), level))
    frame = lit(source.render(Scene((), tuple(tokens))), good_lamp(rng), rng)
    for found in _counts(frame, to_mm(), board):
        yield found, None, found.possible_stacks > 0


def _disc_outcomes(board: str, source: SimulatedCamera, rng: np.random.Generator) -> Iterator[Outcome]:
    """The counts of lanes in which a flat disc in the color of a cube lies."""
    frame = source.render(Scene())
    for geometry in lanes(board).values():
        center = geometry.point(*geometry.car_offsets[rng.integers(len(geometry.car_offsets))])
        turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        outline = np.column_stack([np.cos(turns), np.sin(turns)]) * rng.uniform(*DISC_MM) / 2 + center
        paint = [float(level) for level in TOKEN_BGR[str(rng.choice(COLORS))]]
        fill_polygon(frame, np.asarray(cv2.perspectiveTransform(outline[None], source.to_px)[0]), tuple(paint))
    for found in _counts(lit(frame, good_lamp(rng), rng), to_mm(), board):
        yield found, None, False


def main(args: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.cube_benchmark", description=__doc__.splitlines()[0])
    parser.add_argument("disturbances", nargs="*", metavar="DISTURBANCE", help=f"any of {', '.join(DISTURBANCES)}")
    parser.add_argument("--scenes", type=int, default=SCENES, help=f"scenes per disturbance; {SCENES} by default")
    parser.add_argument("--seed", type=int, default=SEED, help="the first scene's seed; the others follow")
    parser.add_argument("--board", choices=sorted(board_files()), default=BOARD)
    options = parser.parse_args(args)
    if unknown := set(options.disturbances) - set(DISTURBANCES):
        parser.error(f"no such disturbances: {', '.join(sorted(unknown))}")
    cv2.setNumThreads(1)
    for disturbance in options.disturbances or DISTURBANCES:
        total, wrong, started = Counter[str](), 0, process_time()
        for seed in range(options.seed, options.seed + options.scenes):
            for found, truth, is_right in outcomes(disturbance, options.board, seed):
                total[found.certainty] += 1
                if found.certainty == "certain" and not is_right:
                    wrong += 1
                    print(f"  wrong: {disturbance}, seed {seed}: {found}, really {truth}")
        count, seconds = total.total(), process_time() - started
        shares = ", ".join(f"{total[each]} {each} ({total[each] / count:.1%})" for each in sorted(total))
        print(f"{options.board}, {disturbance}: {count} lanes: {shares}; {wrong} certain and wrong; {seconds:.0f} s")


if __name__ == "__main__":
    main()
