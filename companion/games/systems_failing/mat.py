"""The mat of Systems Failing. From left to right, it has the core, three zones, the piles and the players' places.

Law: pure data, in millimeters. The mat is 16:9, so that it fills a camera's picture. A column has room for three cards
of 63 x 88 mm, one below the other. It has room for four if each overlaps the next by 17 mm, which covers no code.
"""

from __future__ import annotations

from companion.tabletop.mat import Mat, Zone, corners, rectangle

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


def _column(number: int, name: str, title: str) -> Zone:
    return Zone(name, title, rectangle(COLUMNS[number], TOP, WIDTH, BOTTOM - TOP), "down")


def _pile(row: int, name: str, title: str) -> Zone:
    return Zone(name, title, rectangle(PILES, TOP + row * (SLOT + GAP), WIDTH, SLOT), "pile")


def _seat(row: int, name: str, title: str) -> Zone:
    return Zone(name, title, rectangle(SEATS, TOP + row * (SLOT + GAP), SEATS_WIDTH, SLOT), "right")


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
)
