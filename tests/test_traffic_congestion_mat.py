"""The mats of Traffic Congestion: each has a place for every signal and car, and these are drawn in the same way on
every board."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, combinations
from pathlib import Path

import pytest

from companion.games.traffic_congestion.board_reader import board_files
from companion.games.traffic_congestion.component_set import SIGNAL_COUNT
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.mat import SCORE_CELL_MM, SCORES_LEFT, SCORES_TOP
from companion.games.traffic_congestion.mat_street_geometry import CAR_MM, SIDE_MARGIN_MM, StreetPlan
from companion.games.traffic_congestion.position import CARS_TO_WIN
from companion.printing.printable_components import PATCH_MARGIN_MM
from companion.tabletop.mat import Mat, Point
from tests.test_traffic_congestion_table import BOARDS, equipment_of, every_board, mat_of, plan_of
from tests.traffic_positions import begin


@every_board
def test_every_lane_but_an_exit_has_a_place_for_its_signal(board: str, driving: str) -> None:
    """On each board, every lane except the exits has a zone for its signal, and there are enough signals for all of
    them."""
    network = begin(board=board, driving=driving).network
    assert {zone.name for zone in mat_of(board=board, driving=driving).zones} == set(network.signal_targets)
    assert len(network.signal_targets) <= SIGNAL_COUNT == len(equipment_of(board=board).components)


@every_board
def test_all_mats_are_alike_to_a_camera(board: str, driving: str) -> None:
    """All mats have the same size and corner codes, so the camera needs to know only the usual mat."""
    usual, found = GAME.physical.components.mat, mat_of(board=board, driving=driving)
    assert usual is not None
    assert (found.size, found.corners) == (usual.size, usual.corners)


@every_board
def test_equal_boards_have_equal_equipment(board: str, driving: str) -> None:
    """Games on equal boards have equal components. Games on different boards have different components."""
    assert equipment_of(board=board, driving=driving) == equipment_of(board=board, driving=driving)
    others = [each for each in BOARDS if each != (board, driving)]
    assert all(equipment_of(board=b, driving=d) != equipment_of(board=board, driving=driving) for b, d in others)


@every_board
def test_nothing_on_the_mat_lies_over_anything_else(board: str, driving: str) -> None:
    """The areas for signals, cars, scores, color patches and corner codes don't overlap and are on the mat."""
    found = plan_of(board, driving)
    areas = [*_lanes(found), *_scores(), *_patches(mat_of(board=board)), *_codes(mat_of(board=board))]
    for (x0, y0, x1, y1), (a0, b0, a1, b1) in combinations(areas, 2):
        assert x1 <= a0 + 0.01 or a1 <= x0 + 0.01 or y1 <= b0 + 0.01 or b1 <= y0 + 0.01
    assert all(x0 >= 0 and y0 >= 0 and x1 <= 608 and y1 <= 342 for x0, y0, x1, y1 in areas)


Area = tuple[float, float, float, float]


def _bounds(polygon: tuple[Point, ...]) -> Area:
    xs, ys = zip(*polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _lanes(found: StreetPlan) -> Iterator[Area]:
    for geometry in found.lanes.values():
        yield _bounds(geometry.queue_area)
        if geometry.lane.kind != "exit":
            yield _bounds(geometry.signal_area)


def _scores() -> Iterator[Area]:
    for left in SCORES_LEFT.values():
        yield left, SCORES_TOP, left + SCORE_CELL_MM[0], SCORES_TOP + (CARS_TO_WIN + 1) * SCORE_CELL_MM[1]


def _patches(mat: Mat) -> Iterator[Area]:
    assert mat.token_colors is not None
    for patch in chain(*mat.token_colors.charts):
        (x, y), (width, height) = patch.top_left, patch.size
        yield x - PATCH_MARGIN_MM, y - PATCH_MARGIN_MM, x + width + PATCH_MARGIN_MM, y + height + PATCH_MARGIN_MM


def _codes(mat: Mat) -> Iterator[Area]:
    for corner in mat.corners:
        (x, y), half = corner.center, corner.code_mm * 29 / 42
        yield x - half, y - half, x + half, y + half


@every_board
def test_five_cars_fit_in_every_lane(board: str, driving: str) -> None:
    """Five cars fit into each lane without overlap, side by side or in a row, with the first car at the stop line."""
    for geometry in plan_of(board, driving).lanes.values():
        assert min(back for back, _ in geometry.car_offsets) == geometry.car_offsets[0][0] >= CAR_MM / 2
        assert all(back + CAR_MM / 2 <= geometry.length + 0.01 for back, _ in geometry.car_offsets)
        assert all(abs(right) + CAR_MM / 2 <= geometry.width / 2 for _, right in geometry.car_offsets)
        assert all(math.dist(one, other) >= CAR_MM for one, other in combinations(geometry.car_offsets, 2))


@pytest.mark.parametrize(("driving", "right"), [("right", True), ("left", False)])
def test_one_drives_on_the_chosen_side(driving: str, right: bool) -> None:
    """Cars drive on the chosen side. For a car that heads south, the right-hand side is the west."""
    found = plan_of("crossroads", driving)
    assert (found.lanes["north1>A"].stop[0] < found.nodes["A"][0]) == right
    assert (found.lanes["west1>A"].stop[1] > found.nodes["A"][1]) == right


def test_a_board_that_reaches_into_the_corners_is_drawn_smaller(tmp_path: Path) -> None:
    """A board with gates at the corner codes is scaled so that its streets keep clear of them."""
    path = tmp_path / "corner.toml"
    path.write_text(board_files()["crossroads"].read_text("utf-8").replace("at = [1, 0]", "at = [0, 0]"), "utf-8")
    found = plan_of(str(path))
    corners = [corner for geometry in found.lanes.values() for corner in (*geometry.queue_area, *geometry.signal_area)]
    assert all(SIDE_MARGIN_MM <= x <= 608 - SIDE_MARGIN_MM and 0 <= y <= 342 for x, y in corners)
