"""How the mat of Systems Failing looks: the ship's columns, drifting left to the core; piles; players.

Everything stands where `mat.MAT` says; here y runs up, as the pen has it.
"""

from __future__ import annotations

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, TINT, Canvas
from companion.games.systems_failing import emblems
from companion.games.systems_failing.emblems import ALERT, HAZARD, POD
from companion.games.systems_failing.mat import BOTTOM, COLUMNS, MAT, METER, SIZE, TOP, WIDTH
from companion.tabletop.mat import Zone

CARD = (63.0, 88.0)
GROUND = HexColor("#f4f6fa")
COLUMN_TINTS = {
    "core": HexColor("#f6c9bd"),
    "zone-1": HexColor("#fbe0d3"),
    "zone-2": HexColor("#fdeede"),
    "zone-3": HexColor("#fdf6e6"),
}
GHOST = HexColor("#ffffff")
INSET = 4.0
"""From a column's ends to the places of its outer cards, mm."""

ROUND = (
    ("Act", "First player, then the other: up to 4 actions."),
    ("Stock up", "Pass the marker. Draw up to 6 cubes, no whites."),
    ("Advance", "All disasters move one column to the left."),
    ("Appear", "Reveal as many new ones as the meters say."),
)
ACTIONS = ("Scavenge 2 cubes", "Transfer 1 cube", "Repair 1 card", "Discard all cubes")


def _up(y: float) -> float:
    return SIZE[1] - y


def draw_mat(canvas: Canvas) -> None:
    """The whole mat but its corner codes."""
    canvas.box(0, 0, *SIZE, fill=GROUND)
    _hull(canvas)
    for name in COLUMN_TINTS:
        _column(canvas, MAT.zone(name))
    for name, color in (("escape", POD), ("deck", INK), ("discard", MUTED)):
        _pile(canvas, MAT.zone(name), color)
    for name in ("role-0", "role-1"):
        _seat(canvas, MAT.zone(name))
    _meter(canvas)
    _banner(canvas)
    _name(canvas)
    _reminder(canvas)


def _edges(zone: Zone) -> tuple[float, float, float, float]:
    """Left, bottom, width and height, y up."""
    (left, top), _, (right, bottom), _ = zone.polygon
    return left, _up(bottom), right - left, bottom - top


def _hull(canvas: Canvas) -> None:
    """The ship's outline around the columns, its bow to the right."""
    left, right = COLUMNS[0] - 4, COLUMNS[3] + WIDTH + 4
    low, high = _up(BOTTOM) - 4, _up(TOP) + 22
    canvas.box(left, low, right - left, high - low, fill=PAPER, stroke=FAINT, line=0.5, radius=5)


def _column(canvas: Canvas, zone: Zone) -> None:
    x, y, width, height = _edges(zone)
    canvas.box(x, y, width, height, fill=COLUMN_TINTS[zone.name], radius=3)
    if zone.name == "core":
        _reactor(canvas, x + width / 2, y + height / 2)
    else:
        for step in range(3):
            _chevron(canvas, x + width / 2, y + height * (5 - 2 * step) / 6, 26, GHOST)
    _places(canvas, x + (width - CARD[0]) / 2, y, height)
    _label(canvas, zone, x, y + height + 3.4, width)


def _label(canvas: Canvas, zone: Zone, x: float, y: float, width: float) -> None:
    """The column's name above it, with arrows to the left: there the disasters drift."""
    color = ALERT if zone.name == "core" else INK
    canvas.text(x + 3.5, y + 2.2, zone.title.upper(), 9.5, font=BOLD, color=color, track=0.6)
    if zone.name == "core":
        emblems.burst(canvas, x + width - 9.5, y + 5.6, 6.2)
        canvas.text(x + width - 9.5, y + 3.6, "!", 6.2, font=BOLD, color=PAPER, align="center")
        return
    for index in range(3):
        _chevron(canvas, x + width - 7 - index * 5, y + 5.5, 5.5, (ALERT, HAZARD, FAINT)[2 - index])


def _chevron(canvas: Canvas, x: float, y: float, size: float, color: Color) -> None:
    """An arrowhead to the left around a middle."""
    a, b = size / 2, size * 0.22
    canvas.shape(
        [(x - a, y), (x + b - a / 3, y + a), (x + a, y + a), (x, y), (x + a, y - a), (x + b - a / 3, y - a)],
        fill=color,
    )


def _reactor(canvas: Canvas, x: float, y: float) -> None:
    """The core's rings."""
    for radius, line in ((31, 0.8), (25, 2.4), (18, 0.8)):
        canvas.circle(x, y, radius, stroke=GHOST, line=line)
    for turn in range(0, 360, 60):
        with canvas.at(x, y, turn):
            canvas.shape([(9, 2.4), (16, 5), (16, -5), (9, -2.4)], fill=GHOST)
    canvas.circle(x, y, 6.5, fill=ALERT)
    canvas.circle(x, y, 9, stroke=GHOST, line=0.8)


def _places(canvas: Canvas, x: float, y: float, height: float) -> None:
    """Corner ticks where three cards lie, evenly spread."""
    step = (height - CARD[1] - 2 * INSET) / 2
    for number in range(3):
        _ticks(canvas, x, y + INSET + number * step, *CARD)


def _ticks(canvas: Canvas, x: float, y: float, width: float, height: float, color: Color = MUTED) -> None:
    for corner_x, inwards in ((x, 1), (x + width, -1)):
        for corner_y, up in ((y, 1), (y + height, -1)):
            elbow = [(corner_x + 5 * inwards, corner_y), (corner_x, corner_y), (corner_x, corner_y + 5 * up)]
            canvas.shape(elbow, stroke=color, line=0.3, closed=False)


def _pile(canvas: Canvas, zone: Zone, color: Color) -> None:
    x, y, width, height = _edges(zone)
    canvas.box(x, y, width, height, fill=PAPER, stroke=color, line=0.8, radius=3)
    middle = (x + width / 2, y + height / 2)
    _ticks(canvas, middle[0] - CARD[0] / 2, middle[1] - CARD[1] / 2, *CARD)
    if zone.name == "escape":
        emblems.pod(canvas, *middle, 34, HexColor("#cfe7e4"), PAPER, HexColor("#fbe7b5"))
    elif zone.name == "deck":
        emblems.burst(canvas, *middle, 17, TINT)
        emblems.warning(canvas, middle[0], middle[1] + 1.5, 15, FAINT)
    else:
        for ring in (15, 10, 5):
            canvas.circle(*middle, ring, stroke=TINT, line=2)
    canvas.text(middle[0], middle[1] - 34, zone.title.upper(), 5.0, font=BOLD, color=color, align="center", track=0.4)


def _seat(canvas: Canvas, zone: Zone) -> None:
    x, y, width, height = _edges(zone)
    canvas.box(x, y, width, height, fill=PAPER, stroke=INK, line=0.8, radius=3)
    _ticks(canvas, x + 4, y + (height - CARD[1]) / 2, *CARD)
    _ticks(canvas, x + 73, y + 12, 50, 56)
    canvas.text(x + 35.5, y + height / 2 - 2, "ROLE", 6, font=BOLD, color=FAINT, align="center", track=0.6)
    canvas.text(x + 98, y + 38, "FIRST PLAYER", 4.4, font=BOLD, color=FAINT, align="center", track=0.4)
    canvas.text(x + 73, y + height - 15, zone.title.upper(), 8, font=BOLD, track=0.5)


def _meter(canvas: Canvas) -> None:
    left, top, width, height = METER
    y = _up(top + height)
    _ticks(canvas, left + (width - 126) / 2, y + (height - 88) / 2, 126, 88)
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


def _banner(canvas: Canvas) -> None:
    """The ship under way, over the piles and players."""
    left, width, height, y = 354.0, 208.0, 18.0, _up(TOP) + 4
    with canvas.within(left, y, width, height, 3), canvas.at(left, y):
        canvas.box(0, 0, width, height, fill=emblems.SPACE)
        emblems.rocks(canvas, "banner", width, height)
        with canvas.at(14, height / 2, scale=0.36):
            emblems.ship(canvas)
        words = "Repair six escape sequences before the core blows"
        canvas.text(width - 10, 7.1, words, 5.8, color=PAPER, align="right", track=0.15)


def _name(canvas: Canvas) -> None:
    """The game's name up the left edge."""
    with canvas.at(22, SIZE[1] / 2, 90):
        canvas.text(0, -7, "SYSTEMS FAILING", 20, font=BOLD, align="center", track=3)


def _reminder(canvas: Canvas) -> None:
    """A round in four steps down the right edge."""
    left, width, y = 566.0, 37.0, _up(62)
    canvas.text(left, y, "A ROUND", 5, font=BOLD, track=0.5)
    for number, (title, words) in enumerate(ROUND):
        y -= 11
        canvas.circle(left + 3, y + 1.5, 3, fill=INK)
        canvas.text(left + 3, y, str(number + 1), 4.4, font=BOLD, color=PAPER, align="center")
        canvas.text(left + 8, y, title, 5, font=BOLD)
        y = canvas.paragraph(left, y - 6, words, 4.1, width, color=MUTED)
    y -= 12
    canvas.text(left, y, "ACTIONS", 5, font=BOLD, track=0.5)
    for action in ACTIONS:
        y -= 7.5
        _chevron(canvas, left + 1.6, y + 1.4, 3.2, ALERT)
        canvas.text(left + 5, y, action, 4.3)
    y -= 16
    canvas.text(left, y, "SURGE", 5, font=BOLD, track=0.5)
    words = "A white cube, or a fourth card in a zone: its lowest card goes on top of the column to the left."
    canvas.paragraph(left, y - 6.5, words, 4.1, width, color=MUTED)
