"""The mat of System WON and its zones: the play zone, the four systems, the piles, the roles and the specification
cards.

Law: pure data, in millimeters. The mat is 16:9, so that it fills the camera's picture. Cards are 63 x 88 mm, and
specification cards 44 x 63 mm.
"""

from __future__ import annotations

from companion.games.system_won.catalog import MAX_SEATS, catalog
from companion.tabletop.mat import Mat, Zone, corners, rectangle

SIZE = (608.0, 342.0)

PILE_AREA = (70.0, 96.0)
"""The width and height of the zone of a pile, in mm. GAP is the distance between neighboring zones."""
GAP = 8.0
ROWS = (28.0, 132.0, 236.0)
"""The top edges of the three rows of zones, in mm. The middle row is wider, because it lies between the codes in the
corners."""
PLAY, SYSTEMS = 46.0, 138.0
"""The left edges of the play zone and of the first system, in mm. An arrow is drawn between these two zones."""
PILES = 8.0
"""The left edge of the first pile in the middle row, in mm."""
ROLES = (320.0, 280.0)
"""The left edge and the width of the zone for the roles, in mm."""
SPECIFICATIONS = (46.0, 397.0, 94.0)
"""The left edge, the width and the height of the zone for the specification cards, in mm."""
HELP = (450.0, 112.0)
"""The left edge and the width of the printed help next to the first and the last row, in mm."""

ROLE_CARD = (63.0, 88.0)
SPECIFICATION_CARD = (44.0, 63.0)


def system_zone(color: str) -> str:
    """The name of the zone for a color's system."""
    return f"system-{color}"


def _pile_zone(name: str, title: str, left: float, row: int, *, secret: bool = False) -> Zone:
    return Zone(name, title, rectangle(left, ROWS[row], *PILE_AREA), "pile", secret)


def _column_left(left: float, number: int) -> float:
    return left + number * (PILE_AREA[0] + GAP)


def role_places() -> tuple[tuple[float, float], ...]:
    """The top left corner of the area for each role card, from left to right, in mm on the mat."""
    left, width = ROLES
    gap = (width - MAX_SEATS * ROLE_CARD[0]) / (MAX_SEATS + 1)
    top = ROWS[1] + (PILE_AREA[1] - ROLE_CARD[1]) / 2
    return tuple((left + gap + number * (ROLE_CARD[0] + gap), top) for number in range(MAX_SEATS))


def specification_places() -> tuple[tuple[float, float], ...]:
    """The top left corner of the area for each specification card, from left to right, in mm on the mat. The areas lie
    below the heading of their zone."""
    left, width, height = SPECIFICATIONS
    count = catalog().specifications
    gap = (width - count * SPECIFICATION_CARD[0]) / (count + 1)
    top = ROWS[2] + height - SPECIFICATION_CARD[1] - 5
    return tuple((left + gap + number * (SPECIFICATION_CARD[0] + gap), top) for number in range(count))


def _system_zones() -> tuple[Zone, ...]:
    colors = enumerate(catalog().colors)
    return tuple(
        _pile_zone(system_zone(color), f"{color.title()} system", _column_left(SYSTEMS, n), 0) for n, color in colors
    )


MAT = Mat(
    size=SIZE,
    corners=corners("MAT-SW", SIZE),
    zones=(
        _pile_zone("play", "Play", PLAY, 0),
        *_system_zones(),
        _pile_zone("errors", "Errors", _column_left(PILES, 0), 1),
        _pile_zone("discard", "Discards", _column_left(PILES, 1), 1),
        _pile_zone("deck", "Deck", _column_left(PILES, 2), 1),
        _pile_zone("show", "Show the camera", _column_left(PILES, 3), 1, secret=True),
        Zone("roles", "Roles", rectangle(ROLES[0], ROWS[1], ROLES[1], PILE_AREA[1]), "any"),
        Zone("specifications", "Specifications", rectangle(SPECIFICATIONS[0], ROWS[2], *SPECIFICATIONS[1:]), "any"),
    ),
)
