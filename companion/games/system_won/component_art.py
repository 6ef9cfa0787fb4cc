"""The printed cards of System WON.

Players hold their cards so that the other players see the faces. Each card therefore has a wide strip in the suit's
color on either side, with a large rank and the suit's sign and letter at both ends. The other players can read these
across the table, wherever the card is in the fan. Between the strips are a drawing and, on a white ground, the code for
the camera.
"""

from __future__ import annotations

from reportlab.lib.colors import Color

from companion.drawing.canvas import (
    BOLD,
    CAP_HEIGHT,
    FAINT,
    INK,
    MUTED,
    PAPER,
    TINT,
    Canvas,
    fitting_size,
    text_width,
    with_quiet_zone,
)
from companion.games.system_won import emblems
from companion.games.system_won.catalog import Card, Role, catalog
from companion.games.system_won.components import SPECIFICATION_KIND, role_component_id
from companion.games.system_won.emblems import ASPHALT, PALE_SPEECH, SPEECH, SUITS
from companion.games.system_won.illustrations import draw_system_part, system_part
from companion.games.system_won.legality import ABILITY_MOVES
from companion.games.system_won.mat import ROLE_CARD, SPECIFICATION_CARD
from companion.games.system_won.mat_art import draw_mat
from companion.games.system_won.text import ABILITY_TEXTS, ability_timing
from companion.tabletop.components import Component

CARD = ROLE_CARD
EDGE = 3.0
"""The unprinted margin of a card, in mm. It allows for an inaccurate cut."""
INNER_WIDTH = CARD[0] - 2 * EDGE
STRIP_WIDTH = 11.2
"""The width of a strip, in mm. The space between the two strips has room for a code of 25 mm with its quiet zone."""
RANK_SIZE = 19.8
"""The font size of the ranks, in mm per em. The digits are 14 mm high and easy to read from across a table."""
ABILITIES_HEIGHT = 34.0
"""The height of the part of a role card that describes the abilities, in mm."""


class SystemWonArt:
    """Draws the cards and the mat of System WON; implements the `Art` protocol."""

    def extras(self) -> tuple[Component, ...]:
        return ()

    def size(self, component: Component) -> tuple[float, float]:
        return SPECIFICATION_CARD if component.kind == SPECIFICATION_KIND else CARD

    def largest_code(self, component: Component) -> float:
        return (INNER_WIDTH - 2 * STRIP_WIDTH) / with_quiet_zone(1.0)

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component.kind == SPECIFICATION_KIND:
            _draw_specification(canvas, component.id, code_mm, used=False)
        elif role := _role_of(component):
            _draw_role(canvas, component.id, role, code_mm)
        else:
            _draw_card(canvas, component.id, catalog().cards[component.face], code_mm)

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component.kind == SPECIFICATION_KIND:
            _draw_specification(canvas, component.reverse, code_mm, used=True)
        elif role := _role_of(component):
            _draw_used_role(canvas, component.reverse, role, code_mm)
        else:
            canvas.stamp("card-back", CARD, _draw_card_back)

    def mat(self, canvas: Canvas) -> None:
        draw_mat(canvas)


def _role_of(component: Component) -> Role | None:
    return next((role for role in catalog().roles.values() if role_component_id(role.id) == component.id), None)


def _draw_card(canvas: Canvas, code: str, card: Card, code_mm: float) -> None:
    suit = SUITS[card.color]
    width, height = CARD
    canvas.box(EDGE, EDGE, INNER_WIDTH, height - 2 * EDGE, fill=suit.color, radius=3)
    for turn in (0, 180):
        with canvas.at(width / 2, height / 2, turn):
            _draw_rank_and_sign(canvas, card, -width / 2 + EDGE + STRIP_WIDTH / 2)
            _draw_rank_and_sign(canvas, card, width / 2 - EDGE - STRIP_WIDTH / 2)
    _draw_copy_marks(canvas, EDGE + STRIP_WIDTH / 2, card)
    _draw_copy_marks(canvas, width - EDGE - STRIP_WIDTH / 2, card)
    window = INNER_WIDTH - 2 * STRIP_WIDTH
    with canvas.at(width / 2, 67):
        draw_system_part(canvas, card.color, card.rank, window - 1.2, 32)
    canvas.box(EDGE + STRIP_WIDTH, 14.8, window, window, fill=PAPER, radius=1.5)
    canvas.code(code, width / 2, 14.8 + window / 2, code_mm)
    _draw_caption(canvas, card, window - 1)


def _draw_rank_and_sign(canvas: Canvas, card: Card, x: float) -> None:
    """Draws the rank and the suit's sign at the upper end of a strip. The origin is the center of the card."""
    suit = SUITS[card.color]
    canvas.text(x, 40 - RANK_SIZE * CAP_HEIGHT, str(card.rank), RANK_SIZE, font=BOLD, color=suit.ink, align="center")
    emblems.draw_suit(canvas, card.color, card.face[0], x, 19.2, 8.6, solid=False)


def _draw_copy_marks(canvas: Canvas, x: float, card: Card) -> None:
    """Draws small cards in the middle of a strip, one for each copy of `card` in the game."""
    copies, ink = catalog().copies_by_rank[card.rank - 1], SUITS[card.color].ink
    for number in range(copies):
        y = CARD[1] / 2 + (number - (copies - 1) / 2) * 4.2
        canvas.box(x - 1.3, y - 1.7, 2.6, 3.4, fill=ink, radius=0.5)


def _draw_caption(canvas: Canvas, card: Card, width: float) -> None:
    """Writes below the code which part of a traffic system the card shows: "SENSOR", "Roadside radar"."""
    suit = SUITS[card.color]
    kind, title = catalog().components[card.rank - 1].upper(), system_part(card.color, card.rank).title
    canvas.text(CARD[0] / 2, 11.0, kind, 2.5, font=BOLD, color=suit.ink, align="center", track=0.5)
    canvas.text(CARD[0] / 2, 6.0, title, fitting_size(title, 5.2, width), font=BOLD, color=suit.ink, align="center")


def _draw_card_back(canvas: Canvas) -> None:
    """Draws the back of a system card: a ring road around an interchange. Its upper and lower ends look different, so
    that a player can mark a card by turning it upside down."""
    width, height = CARD
    canvas.box(EDGE, EDGE, INNER_WIDTH, height - 2 * EDGE, fill=TINT, radius=3)
    with canvas.clip_box(EDGE, EDGE, INNER_WIDTH, height - 2 * EDGE, 3):
        with canvas.at(width / 2, 36.5):
            _draw_houses(canvas)
            _draw_interchange(canvas)
        canvas.box(0, 70, width, height, fill=INK)
    canvas.text(width / 2, 74.4, "SYSTEM WON", 8.6, font=BOLD, color=PAPER, align="center", track=1.1)


def _draw_houses(canvas: Canvas) -> None:
    """Draws houses in rows."""
    for column in range(-5, 6):
        for row in range(-6, 7):
            wide = 3.4 if (column * 3 + row * 5) % 4 else 2.2
            canvas.box(column * 5.2 - 1.8, row * 5.4 - 1.7, wide, 3.6, fill=FAINT, radius=0.6)


def _draw_interchange(canvas: Canvas) -> None:
    """Draws two crossing roads, a ring around them, and in each quarter a loop with a suit's sign."""
    loops = ((-9.8, 9.8), (9.8, 9.8), (-9.8, -9.8), (9.8, -9.8))
    for color, more in ((TINT, 2.6), (ASPHALT, 0.0)):
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
        emblems.draw_suit(canvas, suit.color, suit.letter, x, y, 6.6, solid=True)


def _draw_role_heading(canvas: Canvas, kind: str, title: str, color: Color, width: float) -> None:
    canvas.box(EDGE, 73, INNER_WIDTH, 12, fill=color, radius=2)
    canvas.text(6, 81.4, kind.upper(), 2.4, color=PAPER, track=0.4)
    canvas.text(6, 75.4, title, fitting_size(title, 6.6, width), font=BOLD, color=PAPER)


def _draw_role(canvas: Canvas, code: str, role: Role, code_mm: float) -> None:
    _draw_role_heading(canvas, "Role · one ability, once", role.title, INK, INNER_WIDTH - 6)
    _draw_code_and_sign(canvas, code, role, code_mm, SPEECH, PAPER)
    room = ABILITIES_HEIGHT / max(len(role.abilities), 1)
    for number, use in enumerate(role.abilities):
        _draw_ability(canvas, use, EDGE + ABILITIES_HEIGHT - (number + 1) * room, room - 1)
    if len(role.abilities) == 2:
        canvas.circle(CARD[0] - 8, EDGE + ABILITIES_HEIGHT / 2 - 0.5, 2.6, fill=PAPER)
        canvas.text(CARD[0] - 8, EDGE + ABILITIES_HEIGHT / 2 - 1.4, "or", 3.2, font=BOLD, align="center")


def _draw_code_and_sign(canvas: Canvas, code: str, role: Role, code_mm: float, ground: Color, ink: Color) -> None:
    """Draws the code of a role card on the left, and the role's sign on a panel to its right."""
    side = with_quiet_zone(code_mm)
    canvas.code(code, EDGE + side / 2, 54.6, code_mm)
    x, width = EDGE + side + 1, INNER_WIDTH - side - 1
    canvas.box(x, 37.5, width, 34.2, fill=ground, radius=2)
    with canvas.at(x + width / 2, 54.6, scale=min(width, 30) * 0.8):
        emblems.draw_role(canvas, role.id, ink, ground)


def _draw_ability(canvas: Canvas, use: str, y: float, height: float) -> None:
    """Writes what an ability does and when it may be used. The text is in a box that is `height` mm high and has its
    lower edge at `y`."""
    when = str(ability_timing(use)).upper()
    ground, color = (PALE_SPEECH, SPEECH) if ABILITY_MOVES[use].ANY_TIME else (TINT, INK)
    canvas.box(EDGE, y, INNER_WIDTH, height, fill=ground, radius=2)
    top = y + height - 4.8
    canvas.box(5, top - 0.4, text_width(when, 2.7, BOLD, 0.3) + 2.6, 3.6, fill=color, radius=1.8)
    canvas.text(6.3, top + 0.4, when, 2.7, font=BOLD, color=PAPER, track=0.3)
    canvas.paragraph(5.6, top - 4.4, str(ABILITY_TEXTS[use]), 3.9, INNER_WIDTH - 5)


def _draw_used_role(canvas: Canvas, code: str, role: Role, code_mm: float) -> None:
    _draw_role_heading(canvas, "Role", f"{role.title}: used", MUTED, INNER_WIDTH - 6)
    _draw_code_and_sign(canvas, code, role, code_mm, TINT, FAINT)
    canvas.box(EDGE, EDGE, INNER_WIDTH, ABILITIES_HEIGHT - 1, fill=TINT, radius=2)
    canvas.text(CARD[0] / 2, 18, "USED", 13, font=BOLD, color=MUTED, align="center", track=1.5)
    canvas.text(CARD[0] / 2, 10, "A role has one ability in a game.", 3.6, color=MUTED, align="center")


def _draw_specification(canvas: Canvas, code: str, code_mm: float, *, used: bool) -> None:
    width, height = SPECIFICATION_CARD
    ground, ink, word = (ASPHALT, FAINT, "USED") if used else (SPEECH, PAPER, "READY")
    canvas.box(EDGE, EDGE, width - 2 * EDGE, height - 2 * EDGE, fill=ground, radius=3)
    side = with_quiet_zone(max(code_mm, 25.0))
    canvas.box((width - side) / 2, 7 + EDGE, side, side, fill=PAPER, radius=1.5)
    canvas.code(code, width / 2, 7 + EDGE + side / 2, code_mm)
    with canvas.at(11, height - 10, scale=8.4):
        emblems.draw_bubble(canvas, ink)
    if used:
        for color, line in ((ground, 2.4), (ink, 1)):
            canvas.line((6.4, height - 15), (15.6, height - 5.4), color=color, line=line)
    else:
        canvas.shape(
            [(8.8, height - 9.4), (10.4, height - 11), (13.4, height - 7.6)], stroke=SPEECH, line=1.2, closed=False
        )
    canvas.text(17.8, height - 12.6, word, fitting_size(word, 9, width - EDGE - 20), font=BOLD, color=ink)
    canvas.text(width / 2, EDGE + 2.4, "SPECIFICATION", 3.2, font=BOLD, color=ink, align="center", track=0.5)
