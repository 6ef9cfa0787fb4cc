"""The mat of Traffic Congestion, which depends on the board. It has zones for signals, score tracks, and areas in which
cars are counted.

Law: pure data, in millimeters. The mats of all boards have the same size and the same corner codes, so the camera can
locate codes without knowing the board. The mat of the current game then determines in which zone a code lies.
"""

from __future__ import annotations

from typing import Final

from companion.games.traffic_congestion.board import CAPACITY, COLORS
from companion.games.traffic_congestion.display_names import lane_description
from companion.games.traffic_congestion.mat_street_geometry import CAR_MM, SIZE, StreetPlan
from companion.tabletop.mat import Mat, Point, Zone, corners
from companion.tabletop.token_colors import NEUTRAL_COLORS, TokenColors, color_chart

SCORE_CELL_MM: Final = (13.0, 12.0)
"""The width and height of a cell of a score track."""
SCORES_TOP: Final = 45.0
"""The top edge of the score tracks, in mm."""
SCORES_LEFT: Final = dict(zip(COLORS, (21.0, 574.0, 587.0, 8.0), strict=True))
"""The left edges of the score tracks, in mm: green and blue on the left, red and yellow on the right."""

PAINTS: Final = {"blue": "#2566b8", "red": "#cc3b34", "yellow": "#f2b91f", "green": "#2e8f58"}
ASPHALT: Final = "#aeb5c0"
PAVING_COLORS: Final = ("#b8bfca", "#a4abb6")
"""The colors of the light and the dark squares of the pavement on which cars queue. By this pattern, the camera
recognizes pavement without cars."""

CHARTS_LEFT: Final = (34.8, 568.8)
"""The left edges of the color charts, in mm. The charts are between the score tracks and the streets."""
PATCH_MM: Final = (4.4, 12.0)
"""The width and height of a patch in a color chart. The height includes the gap below the patch, and equals that of a
cell in a score track."""
PATCH_GAP_MM: Final = 1.0
CHARTS_PER_SIDE: Final = 3
"""The number of color charts on each side of the mat. Together, they are as high as a score track."""


def mat(plan: StreetPlan) -> Mat:
    """The mat for the streets of a board."""
    return Mat(
        SIZE,
        corners("MAT-TC", SIZE),
        tuple(_signal_zone(plan, lane) for lane in plan.network.signal_targets),
        _token_colors(plan),
    )


def _token_colors(plan: StreetPlan) -> TokenColors:
    """The areas and colors that the camera uses to count cars. Exits have no area, because cars never wait there."""
    kinds = (*COLORS, *NEUTRAL_COLORS)
    return TokenColors(
        areas={lane: plan.lanes[lane].queue_area for lane in plan.network.signal_targets},
        light_stones={lane: plan.lanes[lane].pavement for lane in plan.network.signal_targets},
        colors=PAINTS,
        ground_color=ASPHALT,
        stone_colors=PAVING_COLORS,
        cube_mm=CAR_MM,
        max_per_area=CAPACITY,
        charts=tuple(
            color_chart(kinds, (left, SCORES_TOP + number * len(kinds) * PATCH_MM[1]), PATCH_MM, PATCH_GAP_MM)
            for left in CHARTS_LEFT
            for number in range(CHARTS_PER_SIDE)
        ),
    )


def _signal_zone(plan: StreetPlan, lane: str) -> Zone:
    return Zone(lane, lane_description(lane), plan.lanes[lane].signal_area, "pile")


def score_cell(color: str, points: int, goal: int) -> Point:
    """The center of a score's cell on a color's score track, in mm. Scores above the goal share the goal's cell."""
    width, height = SCORE_CELL_MM
    return SCORES_LEFT[color] + width / 2, SCORES_TOP + (goal - min(points, goal) + 0.5) * height
