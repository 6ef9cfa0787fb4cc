"""The printed mat of System WON: city blocks for the cards, streets between them, and a summary of the turn.

The zones are those of `mat.MAT`. Here y points up, as on the canvas.
"""

from __future__ import annotations

from math import pi

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, Canvas
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


def draw_mat(canvas: Canvas) -> None:
    """Draws the whole mat except the corner codes."""
    canvas.box(0, 0, *SIZE, fill=GROUND)
    _streets(canvas)
    _corners(canvas)
    for zone in MAT.zones:
        _block(canvas, zone)
    for color in catalog().colors:
        _system(canvas, color)
    _play(canvas)
    _errors(canvas)
    _discard(canvas)
    _deck(canvas)
    _show(canvas)
    _roles(canvas)
    _specifications(canvas)
    _title(canvas)
    _turn(canvas)
    _aside(canvas)


def _up(y: float) -> float:
    return SIZE[1] - y


def _edges(name: str) -> tuple[float, float, float, float]:
    """The left edge, the bottom edge, the width and the height of a zone, with y pointing up."""
    (left, top), _, (right, bottom), _ = MAT.zone(name).polygon
    return left, _up(bottom), right - left, bottom - top


def _middle(name: str) -> tuple[float, float]:
    x, y, width, height = _edges(name)
    return x + width / 2, y + height / 2


def _streets(canvas: Canvas) -> None:
    """Draws dashed lines between the rows."""
    for row in (1, 2):
        y = _up(ROWS[row] - GAP / 2)
        canvas.line((8, y), (SIZE[0] - 8, y), color=PAPER, line=0.9, dash=(7, 5))


def _corners(canvas: Canvas) -> None:
    """Draws the white areas around the corner codes."""
    for corner in MAT.corners:
        x, y = corner.center
        canvas.box(x - 18.6, _up(y) - 18.6, 37.2, 37.2, fill=PAPER, radius=3)


def _block(canvas: Canvas, zone: Zone) -> None:
    x, y, width, height = _edges(zone.name)
    canvas.box(x, y, width, height, fill=PAPER, radius=4)


def _ticks(canvas: Canvas, x: float, y: float, width: float, height: float, color: Color = MUTED) -> None:
    """Marks the corners of the area for a card."""
    for corner_x, inwards in ((x, 1), (x + width, -1)):
        for corner_y, up in ((y, 1), (y + height, -1)):
            elbow = [(corner_x + 5 * inwards, corner_y), (corner_x, corner_y), (corner_x, corner_y + 5 * up)]
            canvas.shape(elbow, stroke=color, line=0.35, closed=False)


def _place(canvas: Canvas, name: str, ground: Color, edge: Color) -> tuple[float, float]:
    """Draws the area of a pile and returns its center."""
    x, y, width, height = _edges(name)
    canvas.box(x, y, width, height, fill=ground, stroke=edge, line=0.9, radius=4)
    middle = (x + width / 2, y + height / 2)
    _ticks(canvas, middle[0] - ROLE_CARD[0] / 2, middle[1] - ROLE_CARD[1] / 2, *ROLE_CARD, edge)
    return middle


def _label(canvas: Canvas, name: str, color: Color, words: str) -> None:
    """Draws a pile's name and what belongs there."""
    x, y = _middle(name)
    canvas.text(x, y - 22, MAT.zone(name).title.upper(), 6.4, font=BOLD, color=color, align="center", track=0.5)
    canvas.paragraph(x, y - 29, words, 4.6, SLOT[0] - 12, color=color, align="center")


def _system(canvas: Canvas, color: str) -> None:
    """Draws the area of a suit's system: its sign and five rising steps."""
    suit = SUITS[color]
    letter = next(each.letter for each in catalog().suits if each.color == color)
    x, y = _place(canvas, system(color), suit.pale, suit.color)
    emblems.draw_suit(canvas, color, letter, x, y + 17, 29, solid=True)
    for rank in RANKS:
        left = x + (rank - 3) * 11.4
        canvas.box(left - 4.9, y - 26, 9.8, 9 + rank * 2.2, fill=suit.color, radius=1.2)
        canvas.text(left, y - 23.6, str(rank), 8, font=BOLD, color=suit.ink, align="center")
    canvas.text(x, y - 37, MAT.zone(system(color)).title.upper(), 5.2, font=BOLD, align="center", track=0.5)


def _play(canvas: Canvas) -> None:
    x, y = _place(canvas, "play", PAPER, INK)
    with canvas.at(x, y + 8, scale=30):
        emblems.arrow(canvas, INK)
    _label(canvas, "play", INK, "One card, for all to see.")
    gap = (PLAY + SLOT[0], SYSTEMS)
    with canvas.at(sum(gap) / 2, y, scale=15):
        emblems.arrow(canvas, PAPER)


def _errors(canvas: Canvas) -> None:
    x, y = _place(canvas, "errors", PALE_INK, INK)
    with canvas.at(x, y + 12):
        canvas.shape(emblems.around([16.0] * 8, pi / 8), fill=INK)
        canvas.text(0, -5.8, "−1", 17, font=BOLD, color=PAPER, align="center")
    _label(canvas, "errors", INK, "Each one costs a point.")


def _discard(canvas: Canvas) -> None:
    x, y = _place(canvas, "discard", PAPER, MUTED)
    for turn in (16, -14, 2):
        with canvas.at(x, y + 11, turn):
            canvas.box(-9, -13, 18, 26, fill=PAPER, stroke=MUTED, line=1, radius=2)
    _label(canvas, "discard", MUTED, "Anyone may look through them.")


def _deck(canvas: Canvas) -> None:
    x, y = _place(canvas, "deck", PAPER, INK)
    for number in range(4):
        canvas.box(x - 12 + number * 1.6, y - 4 + number * 1.6, 19, 27, fill=INK, stroke=PAPER, line=0.8, radius=2)
    _label(canvas, "deck", INK, "Draw without looking.")


def _show(canvas: Canvas) -> None:
    x, y = _place(canvas, "show", PALE_SAY, SAY)
    with canvas.at(x, y + 12, scale=28):
        emblems.eye(canvas, SAY)
    canvas.text(x, y - 16, "SHOW THE CAMERA", 5.6, font=BOLD, color=SAY, align="center", track=0.4)
    words = "Lay your new card here, front up, and look away. Then take it up."
    canvas.paragraph(x, y - 23, words, 4.6, SLOT[0] - 10, color=SAY, align="center")


def _roles(canvas: Canvas) -> None:
    x, y, width, height = _edges("roles")
    canvas.box(x, y, width, height, stroke=INK, line=0.9, radius=4)
    for (left, top), role in zip(role_places(), catalog().roles, strict=False):
        low = _up(top + ROLE_CARD[1])
        _ticks(canvas, left, low, *ROLE_CARD)
        with canvas.at(left + ROLE_CARD[0] / 2, low + 50, scale=26):
            emblems.draw_role(canvas, role, FAINT, PAPER)
        canvas.text(left + ROLE_CARD[0] / 2, low + 22, "ROLE", 7, font=BOLD, color=MUTED, align="center", track=0.8)
        canvas.text(left + ROLE_CARD[0] / 2, low + 15.6, "Used? Turn it over.", 4.8, color=MUTED, align="center")


def _specifications(canvas: Canvas) -> None:
    x, y, width, height = _edges("specifications")
    canvas.box(x, y, width, height, fill=PALE_SAY, stroke=SAY, line=0.9, radius=4)
    with canvas.at(x + 14, y + height - 13.4, scale=12):
        emblems.bubble(canvas, SAY)
    canvas.text(x + 25, y + height - 15.6, "SPECIFICATIONS", 9, font=BOLD, color=SAY, track=0.7)
    words = "READY: one may be spent to tell something.  SPENT: a discard, or a finished system, turns one up again."
    canvas.text(x + width - 8, y + height - 15, words, 5, color=SAY, align="right")
    for number, (left, top) in enumerate(specification_places(), 1):
        low = _up(top + SPECIFICATION_CARD[1])
        canvas.box(left, low, *SPECIFICATION_CARD, fill=PAPER, radius=2)
        _ticks(canvas, left, low, *SPECIFICATION_CARD, SAY)
        canvas.text(left + 22, low + 25, str(number), 20, font=BOLD, color=PALE_SAY, align="center")


def _title(canvas: Canvas) -> None:
    """Draws the title and the aim of the game above the first row."""
    canvas.text(PLAY, _up(20.5), "SYSTEM WON", 19, font=BOLD, track=2.4)
    words = "Build all four traffic systems, 1 to 5, seeing every hand but your own"
    canvas.text(562, _up(20), words, 6.4, color=INK, align="right", track=0.1)


def _turn(canvas: Canvas) -> None:
    """Draws the summary of a turn, beside the systems."""
    left, width = HELP
    top = _up(ROWS[0])
    canvas.box(left, top - SLOT[1], width, SLOT[1], fill=INK, radius=4)
    canvas.text(left + 6, top - 11, "YOUR TURN: ONE OF THREE", 6.2, font=BOLD, color=PAPER, track=0.3)
    y = top - 22
    for number, (title, words) in enumerate(TURN, 1):
        canvas.circle(left + 9, y + 1.7, 3.6, fill=PAPER)
        canvas.text(left + 9, y - 0.1, str(number), 5.2, font=BOLD, align="center")
        canvas.text(left + 16, y, title, 6.2, font=BOLD, color=PAPER)
        y = canvas.paragraph(left + 16, y - 6.2, words, 4.9, width - 22, color=PAPER) - 4.6


def _aside(canvas: Canvas) -> None:
    """Draws the rules of scoring, beside the specifications."""
    left, width = HELP
    top = _up(ROWS[2])
    canvas.text(left + 6, top - 12, "SCORE", 6.2, font=BOLD, track=0.3)
    canvas.paragraph(left + 6, top - 20, SCORE, 5.2, width - 12)
    canvas.text(left + 6, top - 46, "LAST CARD DRAWN?", 6.2, font=BOLD, track=0.3)
    canvas.paragraph(left + 6, top - 54, "Everybody has one more turn.", 5.2, width - 12)
