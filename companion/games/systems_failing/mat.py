"""The mat of Systems Failing. From left to right, it has the core, three zones, the piles, the players' places and the
players' pools, in which the camera counts cubes.

Law: pure data, in millimeters. The mat is 16:9, so that it fills a camera's picture. A column has room for three cards
of 63 x 88 mm, one below the other. It has room for four if each overlaps the next by 17 mm, which covers no code.
"""

from __future__ import annotations

import math
from typing import Final

from companion.games.systems_failing.card_fields import card_fields
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.pavement import CUBE_MM, PAINTS, PAVING_COLORS, PAVING_GROUND, light_squares
from companion.tabletop.mat import Mat, Point, Zone, corners, rectangle
from companion.tabletop.token_colors import TokenColors, color_chart

SIZE = (608.0, 342.0)

WIDTH = 70.0
"""The width of a column or a pile, in mm."""
COLUMNS = (46.0, 122.0, 198.0, 274.0)
"""The left edges of the columns of the core and the three zones, in mm."""
PILES = 354.0
"""The left edge of the piles, in mm."""
SEATS, SEATS_WIDTH = 432.0, 130.0
"""The left edge and the width of the players' places, in mm. Each place has room for a role card and, to the right of
it, the first player marker."""
TOP, BOTTOM = 28.0, 332.0
"""The upper and the lower edge of the columns, in mm."""
SLOT = 96.0
"""The height of a place for one card or pile, in mm. Three places, with the two gaps between them, are as high as a
column."""
GAP = 8.0

METER = (SEATS, TOP + SLOT + GAP, SEATS_WIDTH, SLOT)
"""The place of the meter card, between the players' places: left, top, width and height, in mm. The place is not a
zone, because the meter card has no code."""

POOL_LEFT, POOL_TOPS = 564.0, (48.0, 198.0)
"""The left edge of both pools and the upper edge of each, in mm. There is room for a leaning view of a cube between a
pool and everything dark or colored beside it."""
POOL_SIZE: Final = (28.0, 96.0)
"""The width and height of a pool, in mm."""
MAX_CUBES: Final = catalog().max_pool + 2
"""The greatest number of cubes in a pool. A player who has scavenged 2 cubes may have to return some."""
POOL_COLUMNS: Final = 2
"""How many cubes stand side by side in a tidy pool."""

CHART_ORDER: Final = ("red", "white", "orange", "black", "yellow", "gray", "blue", "green")
"""The patches of a color chart, from top to bottom. Compression blurs colors into each other, and yellow, orange and
red are hard to tell apart, so a neutral color is between any two of them."""
CHARTS_LEFT: Final = (35.0, 599.0)
"""The left edges of the color charts, in mm: between the reminder and the hull, and to the right of the pools."""
CHARTS_TOPS: Final = (43.0, 129.0, 215.0)
PATCH_MM: Final = (5.5, 10.5)
"""The width and height of a patch in a color chart. The height includes the gap below the patch."""
PATCH_GAP_MM: Final = 1.0


def _column(number: int, name: str, title: str) -> Zone:
    return Zone(name, title, rectangle(COLUMNS[number], TOP, WIDTH, BOTTOM - TOP), "down")


def _pile(row: int, name: str, title: str) -> Zone:
    return Zone(name, title, rectangle(PILES, TOP + row * (SLOT + GAP), WIDTH, SLOT), "pile")


def _seat(row: int, name: str, title: str) -> Zone:
    return Zone(name, title, rectangle(SEATS, TOP + row * (SLOT + GAP), SEATS_WIDTH, SLOT), "right")


def pool_area(seat: int) -> tuple[Point, ...]:
    """The corners of a player's pool."""
    return rectangle(POOL_LEFT, POOL_TOPS[seat], *POOL_SIZE)


def cube_places(seat: int) -> tuple[Point, ...]:
    """The middles of the cubes in a full, tidy pool, in mm."""
    rows = math.ceil(MAX_CUBES / POOL_COLUMNS)
    width, height = POOL_SIZE[0] / POOL_COLUMNS, POOL_SIZE[1] / rows
    return tuple(
        (POOL_LEFT + (column + 0.5) * width, POOL_TOPS[seat] + (row + 0.5) * height)
        for row in range(rows)
        for column in range(POOL_COLUMNS)
    )


def _token_colors() -> TokenColors:
    """The areas, the fields and the colors that the camera uses to count cubes."""
    return TokenColors(
        areas={f"pool-{seat}": pool_area(seat) for seat in (0, 1)},
        light_stones={f"pool-{seat}": light_squares(POOL_LEFT, POOL_TOPS[seat], POOL_SIZE) for seat in (0, 1)},
        colors=PAINTS,
        ground_color=PAVING_GROUND,
        stone_colors=PAVING_COLORS,
        cube_mm=CUBE_MM,
        max_per_area=MAX_CUBES,
        charts=tuple(
            color_chart(CHART_ORDER, (left, top), PATCH_MM, PATCH_GAP_MM) for left in CHARTS_LEFT for top in CHARTS_TOPS
        ),
        black_kind="black",
        is_optional=True,
        fields=card_fields(),
    )


MAT = Mat(
    size=SIZE,
    corners=corners("MAT-SF", SIZE),
    zones=(
        _column(0, "core", "Core"),
        _column(1, "zone-1", "Zone 1"),
        _column(2, "zone-2", "Zone 2"),
        _column(3, "zone-3", "Zone 3"),
        _pile(0, "escape", "Escape sequence"),
        _pile(1, "deck", "Disaster deck"),
        _pile(2, "discard", "Discard"),
        _seat(0, "role-0", "Player 1"),
        _seat(2, "role-1", "Player 2"),
    ),
    token_colors=_token_colors(),
)
