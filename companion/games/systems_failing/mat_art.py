"""Draws the mat of Systems Failing: the columns of the core and the zones, the piles, the players' places and pools.

`mat.MAT` contains the positions, with y pointing down. In this module y points up, as on the canvas.
"""

from __future__ import annotations

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, TINT, Canvas
from companion.games.systems_failing import emblems
from companion.games.systems_failing.card_fields import CARD_SIZE
from companion.games.systems_failing.emblems import ALERT, HAZARD, POD
from companion.games.systems_failing.mat import (
    BOTTOM,
    COLUMNS,
    MAT,
    METER,
    POOL_LEFT,
    POOL_SIZE,
    POOL_TOPS,
    SIZE,
    TOP,
    WIDTH,
)
from companion.games.systems_failing.pavement import PAVING_COLORS, PAVING_GROUND
from companion.tabletop.mat import Zone

GROUND = HexColor("#f4f6fa")
COLUMN_TINTS = {
    "core": HexColor("#f6c9bd"),
    "zone-1": HexColor("#fbe0d3"),
    "zone-2": HexColor("#fdeede"),
    "zone-3": HexColor("#fdf6e6"),
}
PALE = HexColor("#ffffff")
POOL_MARGIN_MM = 1.6
"""The width of the plain border around the pavement of a pool."""
LABEL_HEIGHT_MM = 20.0
"""The height of the space for the label of a pool. Between the label and the pool, there is room for the top of a cube
that leans into view there."""
COLUMN_INSET_MM = 4.0
"""The distance from either end of a column to the outline of the nearest card, in mm."""

ROUND = (
    ("Act", "First player, then the other: up to 4 actions."),
    ("Stock up", "Pass the marker. Draw up to 6 cubes, no whites."),
    ("Advance", "All disasters move one column to the left."),
    ("Appear", "Reveal as many new ones as the meters say."),
)
ACTIONS = ("Scavenge 2 cubes", "Transfer 1 cube", "Repair 1 card", "Discard all cubes")


def _on_canvas(y: float) -> float:
    """Converts a y coordinate of the mat, where y points down, to one of the canvas, where y points up. Both are in
    mm."""
    return SIZE[1] - y


def draw_mat(canvas: Canvas) -> None:
    """Draws the whole mat, except for its corner codes."""
    canvas.box(0, 0, *SIZE, fill=GROUND)
    _draw_hull(canvas)
    for name in COLUMN_TINTS:
        _draw_column(canvas, MAT.zone(name))
    for name, color in (("escape", POD), ("deck", INK), ("discard", MUTED)):
        _draw_pile(canvas, MAT.zone(name), color)
    for name in ("role-0", "role-1"):
        _draw_seat(canvas, MAT.zone(name))
    _draw_meter_place(canvas)
    for seat in (0, 1):
        _draw_pool(canvas, seat)
    _draw_banner(canvas)
    _draw_reminder(canvas)


def _edges(zone: Zone) -> tuple[float, float, float, float]:
    """The left edge, the bottom edge, the width and the height of a zone on the canvas, in mm."""
    (left, top), _, (right, bottom), _ = zone.polygon
    return left, _on_canvas(bottom), right - left, bottom - top


def _draw_hull(canvas: Canvas) -> None:
    """Draws the hull of the ship: a frame around the columns."""
    left, right = COLUMNS[0] - 4, COLUMNS[3] + WIDTH + 4
    low, high = _on_canvas(BOTTOM) - 4, _on_canvas(TOP) + 22
    canvas.box(left, low, right - left, high - low, fill=PAPER, stroke=FAINT, line=0.5, radius=5)


def _draw_column(canvas: Canvas, zone: Zone) -> None:
    x, y, width, height = _edges(zone)
    canvas.box(x, y, width, height, fill=COLUMN_TINTS[zone.name], radius=3)
    if zone.name == "core":
        _draw_reactor(canvas, x + width / 2, y + height / 2)
    else:
        for step in range(3):
            _draw_chevron(canvas, x + width / 2, y + height * (5 - 2 * step) / 6, 26, PALE)
    _draw_card_places(canvas, x + (width - CARD_SIZE[0]) / 2, y, height)
    _draw_label(canvas, zone, x, y + height + 3.4, width)


def _draw_label(canvas: Canvas, zone: Zone, x: float, y: float, width: float) -> None:
    """Draws a column's name and, beside it, arrows in the direction in which disasters move. The core has an explosion
    instead of arrows."""
    color = ALERT if zone.name == "core" else INK
    canvas.text(x + 3.5, y + 2.2, zone.title.upper(), 9.5, font=BOLD, color=color, track=0.6)
    if zone.name == "core":
        emblems.burst(canvas, x + width - 9.5, y + 5.6, 6.2)
        canvas.text(x + width - 9.5, y + 3.6, "!", 6.2, font=BOLD, color=PAPER, align="center")
        return
    for index in range(3):
        _draw_chevron(canvas, x + width - 7 - index * 5, y + 5.5, 5.5, (ALERT, HAZARD, FAINT)[2 - index])


def _draw_chevron(canvas: Canvas, x: float, y: float, size: float, color: Color) -> None:
    """Draws an arrowhead that points left and is centered at (x, y)."""
    a, b = size / 2, size * 0.22
    canvas.shape(
        [(x - a, y), (x + b - a / 3, y + a), (x + a, y + a), (x, y), (x + a, y - a), (x + b - a / 3, y - a)],
        fill=color,
    )


def _draw_reactor(canvas: Canvas, x: float, y: float) -> None:
    """Draws the reactor in the column of the core: rings and rays around a point."""
    for radius, line in ((31, 0.8), (25, 2.4), (18, 0.8)):
        canvas.circle(x, y, radius, stroke=PALE, line=line)
    for turn in range(0, 360, 60):
        with canvas.at(x, y, turn):
            canvas.shape([(9, 2.4), (16, 5), (16, -5), (9, -2.4)], fill=PALE)
    canvas.circle(x, y, 6.5, fill=ALERT)
    canvas.circle(x, y, 9, stroke=PALE, line=0.8)


def _draw_card_places(canvas: Canvas, x: float, y: float, height: float) -> None:
    """Draws corner marks around the places of three cards, which are evenly spaced in a column."""
    step = (height - CARD_SIZE[1] - 2 * COLUMN_INSET_MM) / 2
    for number in range(3):
        _draw_ticks(canvas, x, y + COLUMN_INSET_MM + number * step, *CARD_SIZE)


def _draw_ticks(canvas: Canvas, x: float, y: float, width: float, height: float, color: Color = MUTED) -> None:
    for corner_x, inwards in ((x, 1), (x + width, -1)):
        for corner_y, up in ((y, 1), (y + height, -1)):
            elbow = [(corner_x + 5 * inwards, corner_y), (corner_x, corner_y), (corner_x, corner_y + 5 * up)]
            canvas.shape(elbow, stroke=color, line=0.3, closed=False)


def _draw_pile(canvas: Canvas, zone: Zone, color: Color) -> None:
    x, y, width, height = _edges(zone)
    canvas.box(x, y, width, height, fill=PAPER, stroke=color, line=0.8, radius=3)
    middle = (x + width / 2, y + height / 2)
    _draw_ticks(canvas, middle[0] - CARD_SIZE[0] / 2, middle[1] - CARD_SIZE[1] / 2, *CARD_SIZE)
    if zone.name == "escape":
        emblems.pod(canvas, *middle, 34, HexColor("#cfe7e4"), PAPER, HexColor("#fbe7b5"))
    elif zone.name == "deck":
        emblems.burst(canvas, *middle, 17, TINT)
        emblems.warning(canvas, middle[0], middle[1] + 1.5, 15, FAINT)
    else:
        for ring in (15, 10, 5):
            canvas.circle(*middle, ring, stroke=TINT, line=2)
    canvas.text(middle[0], middle[1] - 34, zone.title.upper(), 5.0, font=BOLD, color=color, align="center", track=0.4)


def _draw_seat(canvas: Canvas, zone: Zone) -> None:
    x, y, width, height = _edges(zone)
    canvas.box(x, y, width, height, fill=PAPER, stroke=INK, line=0.8, radius=3)
    _draw_ticks(canvas, x + 4, y + (height - CARD_SIZE[1]) / 2, *CARD_SIZE)
    _draw_ticks(canvas, x + 73, y + 12, 50, 56)
    canvas.text(x + 35.5, y + height / 2 - 2, "ROLE", 6, font=BOLD, color=FAINT, align="center", track=0.6)
    canvas.text(x + 98, y + 38, "FIRST PLAYER", 4.4, font=BOLD, color=FAINT, align="center", track=0.4)
    canvas.text(x + 73, y + height - 15, zone.title.upper(), 8, font=BOLD, track=0.5)


def _draw_meter_place(canvas: Canvas) -> None:
    left, top, width, height = METER
    y = _on_canvas(top + height)
    _draw_ticks(canvas, left + (width - 126) / 2, y + (height - 88) / 2, 126, 88)
    canvas.text(
        left + width / 2,
        y + height / 2 - 2,
        "METER CARD",
        6,
        font=BOLD,
        color=FAINT,
        align="center",
        track=0.6,
    )


def _draw_pool(canvas: Canvas, seat: int) -> None:
    """Draws a player's pool: the checkered pavement on which cubes are counted. The camera recognizes its pattern, so
    nothing is printed on it."""
    (width, height), margin, top = POOL_SIZE, POOL_MARGIN_MM, POOL_TOPS[seat]
    bottom = _on_canvas(top + height)
    light, dark = (HexColor(color) for color in PAVING_COLORS)
    squares = MAT.token_colors.light_stones[f"pool-{seat}"] if MAT.token_colors else ()
    with canvas.full_ink():
        canvas.box(
            POOL_LEFT - margin, bottom - margin, width + 2 * margin, height + 2 * margin, fill=HexColor(PAVING_GROUND)
        )
        canvas.box(POOL_LEFT, bottom, width, height, fill=dark)
        for square in squares:
            canvas.shape([(x, _on_canvas(y)) for x, y in square], fill=light)
    _draw_pool_label(canvas, seat, bottom + height + 2 if seat else bottom - LABEL_HEIGHT_MM)


def _draw_pool_label(canvas: Canvas, seat: int, bottom: float) -> None:
    """Draws the label of a pool, above it or below it. `bottom` is the lower edge of the space for the label."""
    middle = POOL_LEFT + POOL_SIZE[0] / 2
    canvas.text(middle, bottom + 11, f"POOL {seat + 1}", 4.4, font=BOLD, align="center", track=0.4)
    for line, words in enumerate(("10 cubes at most,", "none on another")):
        canvas.text(middle, bottom + 7.6 - 3.4 * line, words, 2.8, color=MUTED, align="center")


def _draw_banner(canvas: Canvas) -> None:
    """Draws the game's name and a picture of the ship in space, above the piles and the players' places."""
    left, width, height, y = 354.0, 208.0, 18.0, _on_canvas(TOP) + 4
    with canvas.clip_box(left, y, width, height, 3), canvas.at(left, y):
        canvas.box(0, 0, width, height, fill=emblems.SPACE)
        emblems.rocks(canvas, "banner", width, height)
        with canvas.at(14, height / 2, scale=0.36):
            emblems.ship(canvas)
        canvas.text(width - 10, 8.6, "SYSTEMS FAILING", 9, font=BOLD, color=PAPER, align="right", track=1)
        words = "Repair six escape sequences before the core blows"
        canvas.text(width - 10, 3.2, words, 4.4, color=PAPER, align="right", track=0.1)


def _draw_reminder(canvas: Canvas) -> None:
    """Draws a summary of the rules at the left edge: the steps of a round, the actions and the surge."""
    left, width, y = 5.0, 28.0, _on_canvas(49)
    canvas.text(left, y, "A ROUND", 4.8, font=BOLD, track=0.4)
    for number, (title, words) in enumerate(ROUND):
        y -= 10.5
        canvas.circle(left + 2.6, y + 1.4, 2.6, fill=INK)
        canvas.text(left + 2.6, y, str(number + 1), 4, font=BOLD, color=PAPER, align="center")
        canvas.text(left + 7, y, title, 4.7, font=BOLD)
        y = canvas.paragraph(left, y - 5.8, words, 4.0, width, color=MUTED)
    y -= 11
    canvas.text(left, y, "ACTIONS", 4.6, font=BOLD, track=0.4)
    for action in ACTIONS:
        y -= 6.6
        _draw_chevron(canvas, left + 1.4, y + 1.2, 2.8, ALERT)
        canvas.text(left + 4.2, y, action, 3.4)
    y -= 13
    canvas.text(left, y, "SURGE", 4.6, font=BOLD, track=0.4)
    words = "A white cube, or a fourth card in a zone: its lowest card goes on top of the column to the left."
    canvas.paragraph(left, y - 6, words, 4.0, width, color=MUTED)
