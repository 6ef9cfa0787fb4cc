"""How the mat of System WON looks: city blocks for the cards, streets between them, words about a turn.

Everything stands where `mat.MAT` says; here y runs up, as the pen has it.
"""

from __future__ import annotations

from math import pi

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, Pen
from companion.games.system_won import emblems
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.emblems import PALE_SAY, SAY, SUITS
from companion.games.system_won.mat import (
    GAP,
    HELP,
    MAT,
    PLAY,
    ROLE_CARD,
    ROWS,
    SIZE,
    SLOT,
    SPECIFICATION_CARD,
    SYSTEMS,
    role_places,
    specification_places,
    system,
)
from companion.tabletop.mat import Zone

GROUND = HexColor("#dde3ea")
PALE_INK = HexColor("#cfd6e1")

TURN = (
    ("Specify", "Turn a specification card over. Tell one player all their cards of one colour or one number."),
    ("Discard", "Lay a card on the discards. A specification card turns up again. Draw."),
    ("Play", "Lay a card on Play. If it is next in its colour, it joins that system; if not, it is an error. Draw."),
)
SCORE = "The highest number of each system, minus one for each error. 20 is a perfect system."


def draw_mat(pen: Pen) -> None:
    """The whole mat but its corner codes."""
    pen.box(0, 0, *SIZE, fill=GROUND)
    _streets(pen)
    _corners(pen)
    for zone in MAT.zones:
        _block(pen, zone)
    for color in catalog().colors:
        _system(pen, color)
    _play(pen)
    _errors(pen)
    _discard(pen)
    _deck(pen)
    _show(pen)
    _roles(pen)
    _specifications(pen)
    _title(pen)
    _turn(pen)
    _aside(pen)


def _up(y: float) -> float:
    return SIZE[1] - y


def _edges(name: str) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of a zone, y up."""
    (left, top), _, (right, bottom), _ = MAT.zone(name).polygon
    return left, _up(bottom), right - left, bottom - top


def _middle(name: str) -> tuple[float, float]:
    x, y, width, height = _edges(name)
    return x + width / 2, y + height / 2


def _streets(pen: Pen) -> None:
    """Dashed lines between the rows."""
    for row in (1, 2):
        y = _up(ROWS[row] - GAP / 2)
        pen.line((8, y), (SIZE[0] - 8, y), color=PAPER, line=0.9, dash=(7, 5))


def _corners(pen: Pen) -> None:
    """Paper around the corner codes."""
    for corner in MAT.corners:
        x, y = corner.center
        pen.box(x - 18.6, _up(y) - 18.6, 37.2, 37.2, fill=PAPER, radius=3)


def _block(pen: Pen, zone: Zone) -> None:
    x, y, width, height = _edges(zone.name)
    pen.box(x, y, width, height, fill=PAPER, radius=4)


def _ticks(pen: Pen, x: float, y: float, width: float, height: float, color: Color = MUTED) -> None:
    """The corners of a place for a card."""
    for corner_x, inwards in ((x, 1), (x + width, -1)):
        for corner_y, up in ((y, 1), (y + height, -1)):
            elbow = [(corner_x + 5 * inwards, corner_y), (corner_x, corner_y), (corner_x, corner_y + 5 * up)]
            pen.shape(elbow, stroke=color, line=0.35, closed=False)


def _place(pen: Pen, name: str, ground: Color, edge: Color) -> tuple[float, float]:
    """A pile's place; returns its middle."""
    x, y, width, height = _edges(name)
    pen.box(x, y, width, height, fill=ground, stroke=edge, line=0.9, radius=4)
    middle = (x + width / 2, y + height / 2)
    _ticks(pen, middle[0] - ROLE_CARD[0] / 2, middle[1] - ROLE_CARD[1] / 2, *ROLE_CARD, edge)
    return middle


def _label(pen: Pen, name: str, color: Color, words: str) -> None:
    """A pile's name and what goes there."""
    x, y = _middle(name)
    pen.text(x, y - 22, MAT.zone(name).title.upper(), 6.4, font=BOLD, color=color, align="center", track=0.5)
    pen.paragraph(x, y - 29, words, 4.6, SLOT[0] - 12, color=color, align="center")


def _system(pen: Pen, color: str) -> None:
    """A suit's place: its sign, and its five steps upwards."""
    suit = SUITS[color]
    letter = next(each.letter for each in catalog().suits if each.color == color)
    x, y = _place(pen, system(color), suit.pale, suit.color)
    emblems.suit_sign(pen, color, letter, x, y + 17, 29, solid=True)
    for rank in RANKS:
        left = x + (rank - 3) * 11.4
        pen.box(left - 4.9, y - 26, 9.8, 9 + rank * 2.2, fill=suit.color, radius=1.2)
        pen.text(left, y - 23.6, str(rank), 8, font=BOLD, color=suit.ink, align="center")
    pen.text(x, y - 37, MAT.zone(system(color)).title.upper(), 5.2, font=BOLD, align="center", track=0.5)


def _play(pen: Pen) -> None:
    x, y = _place(pen, "play", PAPER, INK)
    with pen.at(x, y + 8, scale=30):
        emblems.arrow(pen, INK)
    _label(pen, "play", INK, "One card, for all to see.")
    gap = (PLAY + SLOT[0], SYSTEMS)
    with pen.at(sum(gap) / 2, y, scale=15):
        emblems.arrow(pen, PAPER)


def _errors(pen: Pen) -> None:
    x, y = _place(pen, "errors", PALE_INK, INK)
    with pen.at(x, y + 12):
        pen.shape(emblems.around([16.0] * 8, pi / 8), fill=INK)
        pen.text(0, -5.8, "−1", 17, font=BOLD, color=PAPER, align="center")
    _label(pen, "errors", INK, "Each one costs a point.")


def _discard(pen: Pen) -> None:
    x, y = _place(pen, "discard", PAPER, MUTED)
    for turn in (16, -14, 2):
        with pen.at(x, y + 11, turn):
            pen.box(-9, -13, 18, 26, fill=PAPER, stroke=MUTED, line=1, radius=2)
    _label(pen, "discard", MUTED, "Anyone may look through them.")


def _deck(pen: Pen) -> None:
    x, y = _place(pen, "deck", PAPER, INK)
    for number in range(4):
        pen.box(x - 12 + number * 1.6, y - 4 + number * 1.6, 19, 27, fill=INK, stroke=PAPER, line=0.8, radius=2)
    _label(pen, "deck", INK, "Draw without looking.")


def _show(pen: Pen) -> None:
    x, y = _place(pen, "show", PALE_SAY, SAY)
    with pen.at(x, y + 12, scale=28):
        emblems.eye(pen, SAY)
    pen.text(x, y - 16, "SHOW THE CAMERA", 5.6, font=BOLD, color=SAY, align="center", track=0.4)
    words = "Lay your new card here, front up, and look away. Then take it up."
    pen.paragraph(x, y - 23, words, 4.6, SLOT[0] - 10, color=SAY, align="center")


def _roles(pen: Pen) -> None:
    x, y, width, height = _edges("roles")
    pen.box(x, y, width, height, stroke=INK, line=0.9, radius=4)
    for (left, top), role in zip(role_places(), catalog().roles, strict=False):
        low = _up(top + ROLE_CARD[1])
        _ticks(pen, left, low, *ROLE_CARD)
        with pen.at(left + ROLE_CARD[0] / 2, low + 50, scale=26):
            emblems.role_sign(pen, role, FAINT, PAPER)
        pen.text(left + ROLE_CARD[0] / 2, low + 22, "ROLE", 7, font=BOLD, color=MUTED, align="center", track=0.8)
        pen.text(left + ROLE_CARD[0] / 2, low + 15.6, "Used? Turn it over.", 4.8, color=MUTED, align="center")


def _specifications(pen: Pen) -> None:
    x, y, width, height = _edges("specifications")
    pen.box(x, y, width, height, fill=PALE_SAY, stroke=SAY, line=0.9, radius=4)
    with pen.at(x + 14, y + height - 13.4, scale=12):
        emblems.bubble(pen, SAY)
    pen.text(x + 25, y + height - 15.6, "SPECIFICATIONS", 9, font=BOLD, color=SAY, track=0.7)
    words = "READY: one may be spent to tell something.  SPENT: a discard, or a finished system, turns one up again."
    pen.text(x + width - 8, y + height - 15, words, 5, color=SAY, align="right")
    for number, (left, top) in enumerate(specification_places(), 1):
        low = _up(top + SPECIFICATION_CARD[1])
        pen.box(left, low, *SPECIFICATION_CARD, fill=PAPER, radius=2)
        _ticks(pen, left, low, *SPECIFICATION_CARD, SAY)
        pen.text(left + 22, low + 25, str(number), 20, font=BOLD, color=PALE_SAY, align="center")


def _title(pen: Pen) -> None:
    """The name above the first row, and the four suits."""
    pen.text(PLAY, _up(20.5), "SYSTEM WON", 19, font=BOLD, track=2.4)
    words = "Build all four traffic systems, 1 to 5, seeing every hand but your own"
    pen.text(562, _up(20), words, 6.4, color=INK, align="right", track=0.1)


def _turn(pen: Pen) -> None:
    """What a turn is, beside the systems."""
    left, width = HELP
    top = _up(ROWS[0])
    pen.box(left, top - SLOT[1], width, SLOT[1], fill=INK, radius=4)
    pen.text(left + 6, top - 11, "YOUR TURN: ONE OF THREE", 6.2, font=BOLD, color=PAPER, track=0.3)
    y = top - 22
    for number, (title, words) in enumerate(TURN, 1):
        pen.circle(left + 9, y + 1.7, 3.6, fill=PAPER)
        pen.text(left + 9, y - 0.1, str(number), 5.2, font=BOLD, align="center")
        pen.text(left + 16, y, title, 6.2, font=BOLD, color=PAPER)
        y = pen.paragraph(left + 16, y - 6.2, words, 4.9, width - 22, color=PAPER) - 4.6


def _aside(pen: Pen) -> None:
    """The score, beside the specifications."""
    left, width = HELP
    top = _up(ROWS[2])
    pen.text(left + 6, top - 12, "SCORE", 6.2, font=BOLD, track=0.3)
    pen.paragraph(left + 6, top - 20, SCORE, 5.2, width - 12)
    pen.text(left + 6, top - 46, "LAST CARD DRAWN?", 6.2, font=BOLD, track=0.3)
    pen.paragraph(left + 6, top - 54, "Everybody has one more turn.", 5.2, width - 12)
