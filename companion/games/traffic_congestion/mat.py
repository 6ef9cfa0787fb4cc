"""The mat of a board of Traffic Congestion: a place for a signal at the end of each lane, and the scores.

Law: pure data, millimetres. Every board's mat has the same size and the same corner codes, so a camera needs to know
one of them to tell where things lie; what lies there, the running game's own mat tells.
"""

from __future__ import annotations

from typing import Final

from companion.games.traffic_congestion.board import CAPACITY, COLORS
from companion.games.traffic_congestion.labels import lane_words
from companion.games.traffic_congestion.street_plan import CAR, SIZE, Plan
from companion.tabletop.mat import Corner, Mat, Point, Zone
from companion.tabletop.token_colors import NEUTRAL_COLORS, TokenColors, color_chart

CODE_MM: Final = 25.0
INSET: Final = 22.0
"""From the mat's edges to the middle of a corner code, mm: the code, its quiet zone and a little paper."""

CELL: Final = (13.0, 12.0)
"""A step of a score, mm."""
SCORES_TOP: Final = 45.0
SCORES_LEFT: Final = dict(zip(COLORS, (21.0, 574.0, 587.0, 8.0), strict=True))
"""The left edges of the scores, mm: green and blue at the left, red and yellow at the right."""

PAINTS: Final = {"blue": "#2566b8", "red": "#cc3b34", "yellow": "#f2b91f", "green": "#2e8f58"}
ASPHALT: Final = "#aeb5c0"
STONES: Final = ("#b8bfca", "#a4abb6")
"""What cars queue on: a little lighter and a little darker by turns, so that the camera knows what lies bare."""

CHARTS_LEFT: Final = (34.8, 568.8)
"""Between the scores and the streets, mm."""
PATCH: Final = (4.4, 12.0)
"""A patch has the height of a step of the scores."""
PAPER_MM: Final = 1.0
"""Between two patches."""
CHARTS: Final = 3
"""On either side: together as high as the scores."""


def mat(plan: Plan) -> Mat:
    """The mat of a board."""
    return Mat(SIZE, _corners(), tuple(_signal(plan, lane) for lane in plan.roads.turns), _token_colors(plan))


def _token_colors(plan: Plan) -> TokenColors:
    """Cars are counted where they queue; exits are always empty."""
    kinds = (*COLORS, *NEUTRAL_COLORS)
    return TokenColors(
        areas={lane: plan.stretches[lane].cars for lane in plan.roads.turns},
        light_stones={lane: plan.stretches[lane].paving for lane in plan.roads.turns},
        colors=PAINTS,
        ground_color=ASPHALT,
        stone_colors=STONES,
        cube_mm=CAR,
        max_per_area=CAPACITY,
        charts=tuple(
            color_chart(kinds, (left, SCORES_TOP + number * len(kinds) * PATCH[1]), PATCH, PAPER_MM)
            for left in CHARTS_LEFT
            for number in range(CHARTS)
        ),
    )


def _signal(plan: Plan, lane: str) -> Zone:
    return Zone(lane, lane_words(plan.roads, lane), plan.stretches[lane].signal, "pile")


def step(color: str, points: int, goal: int) -> Point:
    """The middle of a step of a score; who has more than the goal stands on it."""
    width, height = CELL
    return SCORES_LEFT[color] + width / 2, SCORES_TOP + (goal - min(points, goal) + 0.5) * height


def _corners() -> tuple[Corner, Corner, Corner, Corner]:
    right, bottom = SIZE[0] - INSET, SIZE[1] - INSET
    return (
        _corner(1, (INSET, INSET)),
        _corner(2, (right, INSET)),
        _corner(3, (right, bottom)),
        _corner(4, (INSET, bottom)),
    )


def _corner(number: int, center: Point) -> Corner:
    return Corner(f"MAT-TC-{number}", center, CODE_MM)
