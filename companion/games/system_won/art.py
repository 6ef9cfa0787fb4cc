"""How the cards of System WON look.

A card is held with its front to the others, so its margins are for them: a wide strip in the suit's colour down either
side, with the rank as large as it can be, the suit's sign and letter, at both ends; any part of a fan shows them from
across the table. Between the strips a drawing, and the code on white for the camera.
"""

from __future__ import annotations

from reportlab.lib.colors import Color

from companion.drawing.canvas import BOLD, CAP, FAINT, INK, MUTED, PAPER, TINT, Canvas, fit, measure, with_quiet
from companion.games.system_won import emblems
from companion.games.system_won.card_pictures import draw_piece, piece
from companion.games.system_won.catalog import Card, Role, catalog
from companion.games.system_won.components import PREFIX, SPECIFICATION_KIND, role_component_id
from companion.games.system_won.emblems import PALE_SAY, ROAD, SAY, SUITS
from companion.games.system_won.legality import ABILITY_MOVES
from companion.games.system_won.mat import ROLE_CARD, SPECIFICATION_CARD
from companion.games.system_won.mat_art import draw_mat
from companion.games.system_won.text import ABILITY_TEXTS, ability_timing
from companion.tabletop.components import Component

CARD = ROLE_CARD
EDGE = 3.0
"""Unprinted paper around a card's face, mm, which forgives a cut that is a little off."""
INNER = CARD[0] - 2 * EDGE
STRIP = 11.2
"""The width of a strip, mm: what is left beside a code of 25 mm with its white."""
RANK = 19.8
"""The size of the large numbers, mm an em: 14 mm high, far more than eyes across a table need."""
TELLS = 34.0
"""Of the part of a role card that tells its abilities, mm."""


class SystemWonArt:
    """Implements the `Art` protocol."""

    def extras(self) -> tuple[Component, ...]:
        return ()

    def size(self, thing: Component) -> tuple[float, float]:
        return SPECIFICATION_CARD if thing.kind == SPECIFICATION_KIND else CARD

    def largest_code(self, thing: Component) -> float:
        return (INNER - 2 * STRIP) / with_quiet(1.0)

    def face(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        if thing.kind == SPECIFICATION_KIND:
            _specification(canvas, thing.id, code_mm, spent=False)
        elif role := _role_of(thing):
            _role(canvas, thing.id, role, code_mm)
        else:
            _card(canvas, thing.id, catalog().cards[thing.kind.removeprefix(PREFIX)], code_mm)

    def back(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        if thing.kind == SPECIFICATION_KIND:
            _specification(canvas, thing.reverse, code_mm, spent=True)
        elif role := _role_of(thing):
            _role_used(canvas, thing.reverse, role, code_mm)
        else:
            _card_back(canvas)

    def mat(self, canvas: Canvas) -> None:
        draw_mat(canvas)


def _role_of(thing: Component) -> Role | None:
    return next((role for role in catalog().roles.values() if role_component_id(role.id) == thing.id), None)


def _card(canvas: Canvas, code: str, card: Card, code_mm: float) -> None:
    suit = SUITS[card.color]
    width, height = CARD
    canvas.box(EDGE, EDGE, INNER, height - 2 * EDGE, fill=suit.color, radius=3)
    for turn in (0, 180):
        with canvas.at(width / 2, height / 2, turn):
            _index(canvas, card, -width / 2 + EDGE + STRIP / 2)
            _index(canvas, card, width / 2 - EDGE - STRIP / 2)
    _pips(canvas, EDGE + STRIP / 2, card)
    _pips(canvas, width - EDGE - STRIP / 2, card)
    window = INNER - 2 * STRIP
    with canvas.at(width / 2, 67):
        draw_piece(canvas, card.color, card.rank, window - 1.2, 32)
    canvas.box(EDGE + STRIP, 14.8, window, window, fill=PAPER, radius=1.5)
    canvas.code(code, width / 2, 14.8 + window / 2, code_mm)
    _caption(canvas, card, window - 1)


def _index(canvas: Canvas, card: Card, x: float) -> None:
    """The rank and the suit's sign at the upper end of a strip; the origin is the card's middle."""
    suit = SUITS[card.color]
    canvas.text(x, 40 - RANK * CAP, str(card.rank), RANK, font=BOLD, color=suit.ink, align="center")
    emblems.suit_sign(canvas, card.color, card.face[0], x, 19.2, 8.6, solid=False)


def _pips(canvas: Canvas, x: float, card: Card) -> None:
    """A little card for each copy that there is, around the strip's middle."""
    copies, ink = catalog().copies_by_rank[card.rank - 1], SUITS[card.color].ink
    for number in range(copies):
        y = CARD[1] / 2 + (number - (copies - 1) / 2) * 4.2
        canvas.box(x - 1.3, y - 1.7, 2.6, 3.4, fill=ink, radius=0.5)


def _caption(canvas: Canvas, card: Card, width: float) -> None:
    """What the card stands for, under the code."""
    suit = SUITS[card.color]
    kind, title = catalog().components[card.rank - 1].upper(), piece(card.color, card.rank).title
    canvas.text(CARD[0] / 2, 11.0, kind, 2.5, font=BOLD, color=suit.ink, align="center", track=0.5)
    canvas.text(CARD[0] / 2, 6.0, title, fit(title, 5.2, width), font=BOLD, color=suit.ink, align="center")


def _card_back(canvas: Canvas) -> None:
    """A city's ring road around an interchange. It has a top: holders may turn cards upside down to mark them."""
    width, height = CARD
    canvas.box(EDGE, EDGE, INNER, height - 2 * EDGE, fill=TINT, radius=3)
    with canvas.within(EDGE, EDGE, INNER, height - 2 * EDGE, 3):
        with canvas.at(width / 2, 36.5):
            _blocks(canvas)
            _interchange(canvas)
        canvas.box(0, 70, width, height, fill=INK)
    canvas.text(width / 2, 74.4, "SYSTEM WON", 8.6, font=BOLD, color=PAPER, align="center", track=1.1)


def _blocks(canvas: Canvas) -> None:
    """Houses in rows."""
    for column in range(-5, 6):
        for row in range(-6, 7):
            wide = 3.4 if (column * 3 + row * 5) % 4 else 2.2
            canvas.box(column * 5.2 - 1.8, row * 5.4 - 1.7, wide, 3.6, fill=FAINT, radius=0.6)


def _interchange(canvas: Canvas) -> None:
    """Two crossing roads, a ring around them, and a loop with a suit's sign in each quarter."""
    loops = ((-9.8, 9.8), (9.8, 9.8), (-9.8, -9.8), (9.8, -9.8))
    for color, more in ((TINT, 2.6), (ROAD, 0.0)):
        canvas.circle(0, 0, 24.6, stroke=color, line=4.4 + more)
        for x, y in loops:
            canvas.circle(x, y, 7.0, stroke=color, line=3.6 + more)
        for turn in (0, 90):
            with canvas.at(0, 0, turn):
                canvas.line((-60, 0), (60, 0), color=color, line=7.4 + more)
    canvas.circle(0, 0, 24.6, stroke=PAPER, line=0.45, dash=(2.4, 2))
    for turn in (0, 90):
        with canvas.at(0, 0, turn):
            canvas.line((-60, 0), (60, 0), color=PAPER, line=0.6, dash=(2.4, 2))
    for suit, (x, y) in zip(catalog().suits, loops, strict=False):
        canvas.circle(x, y, 5.2, fill=PAPER)
        emblems.suit_sign(canvas, suit.color, suit.letter, x, y, 6.6, solid=True)


def _heading(canvas: Canvas, kind: str, title: str, color: Color, width: float) -> None:
    canvas.box(EDGE, 73, INNER, 12, fill=color, radius=2)
    canvas.text(6, 81.4, kind.upper(), 2.4, color=PAPER, track=0.4)
    canvas.text(6, 75.4, title, fit(title, 6.6, width), font=BOLD, color=PAPER)


def _role(canvas: Canvas, code: str, role: Role, code_mm: float) -> None:
    _heading(canvas, "Role · one ability, once", role.title, INK, INNER - 6)
    _emblem(canvas, code, role, code_mm, SAY, PAPER)
    room = TELLS / max(len(role.abilities), 1)
    for number, use in enumerate(role.abilities):
        _ability(canvas, use, EDGE + TELLS - (number + 1) * room, room - 1)
    if len(role.abilities) == 2:
        canvas.circle(CARD[0] - 8, EDGE + TELLS / 2 - 0.5, 2.6, fill=PAPER)
        canvas.text(CARD[0] - 8, EDGE + TELLS / 2 - 1.4, "or", 3.2, font=BOLD, align="center")


def _emblem(canvas: Canvas, code: str, role: Role, code_mm: float, ground: Color, ink: Color) -> None:
    """The code at the left, the role's sign on a panel at its right."""
    side = with_quiet(code_mm)
    canvas.code(code, EDGE + side / 2, 54.6, code_mm)
    x, width = EDGE + side + 1, INNER - side - 1
    canvas.box(x, 37.5, width, 34.2, fill=ground, radius=2)
    with canvas.at(x + width / 2, 54.6, scale=min(width, 30) * 0.8):
        emblems.role_sign(canvas, role.id, ink, ground)


def _ability(canvas: Canvas, use: str, y: float, height: float) -> None:
    """What the role may do, and when."""
    when = ability_timing(use).upper()
    ground, color = (PALE_SAY, SAY) if ABILITY_MOVES[use].ANY_TIME else (TINT, INK)
    canvas.box(EDGE, y, INNER, height, fill=ground, radius=2)
    top = y + height - 4.8
    canvas.box(5, top - 0.4, measure(when, 2.7, BOLD, 0.3) + 2.6, 3.6, fill=color, radius=1.8)
    canvas.text(6.3, top + 0.4, when, 2.7, font=BOLD, color=PAPER, track=0.3)
    canvas.paragraph(5.6, top - 4.4, ABILITY_TEXTS[use], 3.9, INNER - 5)


def _role_used(canvas: Canvas, code: str, role: Role, code_mm: float) -> None:
    _heading(canvas, "Role", f"{role.title}: used", MUTED, INNER - 6)
    _emblem(canvas, code, role, code_mm, TINT, FAINT)
    canvas.box(EDGE, EDGE, INNER, TELLS - 1, fill=TINT, radius=2)
    canvas.text(CARD[0] / 2, 18, "USED", 13, font=BOLD, color=MUTED, align="center", track=1.5)
    canvas.text(CARD[0] / 2, 10, "A role has one ability in a game.", 3.6, color=MUTED, align="center")


def _specification(canvas: Canvas, code: str, code_mm: float, *, spent: bool) -> None:
    width, height = SPECIFICATION_CARD
    ground, ink, word = (ROAD, FAINT, "SPENT") if spent else (SAY, PAPER, "READY")
    canvas.box(EDGE, EDGE, width - 2 * EDGE, height - 2 * EDGE, fill=ground, radius=3)
    side = with_quiet(max(code_mm, 25.0))
    canvas.box((width - side) / 2, 7 + EDGE, side, side, fill=PAPER, radius=1.5)
    canvas.code(code, width / 2, 7 + EDGE + side / 2, code_mm)
    with canvas.at(11, height - 10, scale=8.4):
        emblems.bubble(canvas, ink)
    if spent:
        for color, line in ((ground, 2.4), (ink, 1)):
            canvas.line((6.4, height - 15), (15.6, height - 5.4), color=color, line=line)
    else:
        canvas.shape(
            [(8.8, height - 9.4), (10.4, height - 11), (13.4, height - 7.6)], stroke=SAY, line=1.2, closed=False
        )
    canvas.text(17.8, height - 12.6, word, fit(word, 9, width - EDGE - 20), font=BOLD, color=ink)
    canvas.text(width / 2, EDGE + 2.4, "SPECIFICATION", 3.2, font=BOLD, color=ink, align="center", track=0.5)
