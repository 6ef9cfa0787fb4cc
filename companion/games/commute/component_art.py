"""The printed cards and pieces of Commute: draws their fronts and backs.

Players fan their hands, so each playing card has a strip along its left side, with the value and suit at both ends.
Beside the strip are a drawing of a walk, with as many steps as the card's value, and the code on a white ground.
"Uh-Oh!" cards are yellow, so that nobody deals them by mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import cos, pi, sin
from typing import Final

from reportlab.lib.colors import Color, HexColor

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
    with_quiet_zone,
    wrapped_lines,
)
from companion.drawing.polygon_corners import points_around
from companion.games.commute import emblems
from companion.games.commute.board import Board
from companion.games.commute.components import CARDS, PIECE
from companion.games.commute.display_names import signed
from companion.games.commute.emblems import HOUSES, SUIT_COLORS, UH_OH, UH_OH_DARK
from companion.games.commute.mat_art import draw_mat
from companion.games.commute.suits_and_ranks import VALUES
from companion.games.commute.uh_oh_cards import UhOhCard, uh_oh_cards
from companion.games.commute.uh_oh_effect_types import (
    AllOf,
    AtStation,
    ByCommute,
    Choice,
    CloseLine,
    Effect,
    Minutes,
    Reputation,
    SkipTurn,
    Swap,
)
from companion.tabletop.components import Component
from companion.tabletop.mat import Point

CARD_SIZE: Final = (63.0, 88.0)
"""Width and height of a card, in mm."""
EDGE: Final = 3.0
"""The width of the unprinted margin around the face of a card, in mm. It allows for an inaccurate cut."""
FACE_SIZE: Final = (CARD_SIZE[0] - 2 * EDGE, CARD_SIZE[1] - 2 * EDGE)
"""Width and height of the printed part of a card, in mm."""
STRIP_WIDTH: Final = 14.0
"""The width of the strip with a card's value, in mm."""
CODE_SIDE: Final = 38.0
"""The side of the white square around the code of a card, in mm."""
PIECE_SIZE: Final = (34.0, 34.0)
"""Width and height of a piece, in mm."""
MAX_PIECE_CODE_MM: Final = 22.0
"""The side of the largest code on a piece, in mm. The white square around it leaves room for a frame."""
PALE_UH_OH = HexColor("#fff6d6")


class CommuteArt:
    """Draws the components of Commute and the mat of one board; implements the `Art` protocol."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def extras(self) -> tuple[Component, ...]:
        return ()

    def size(self, component: Component) -> tuple[float, float]:
        return PIECE_SIZE if component.id.startswith(PIECE) else CARD_SIZE

    def largest_code(self, component: Component) -> float:
        if component.id.startswith(PIECE):
            return MAX_PIECE_CODE_MM
        return CODE_SIDE / with_quiet_zone(1.0)

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component.id.startswith(PIECE):
            _draw_piece(canvas, component.id, min(code_mm, MAX_PIECE_CODE_MM))
        elif component.id in CARDS:
            _draw_card(canvas, component.id, CARDS[component.id], code_mm)
        else:
            _draw_uh_oh_card(canvas, component.id, uh_oh_cards()[component.face], code_mm)

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component.id.startswith(PIECE):
            _draw_piece_back(canvas, _piece_index(component.id))
        elif component.id in CARDS:
            canvas.stamp("card-back", CARD_SIZE, _draw_card_back)
        else:
            canvas.stamp("uh-oh-back", CARD_SIZE, _draw_uh_oh_back)

    def mat(self, canvas: Canvas) -> None:
        draw_mat(canvas, self._board)


def _draw_card(canvas: Canvas, code: str, card: str, code_mm: float) -> None:
    color = SUIT_COLORS[card[-1]]
    canvas.box(EDGE, EDGE, *FACE_SIZE, fill=TINT, radius=3)
    with canvas.clip_box(EDGE, EDGE, *FACE_SIZE, 3):
        canvas.box(EDGE, EDGE, STRIP_WIDTH, FACE_SIZE[1], fill=color)
    for turn in (0, 180):
        with canvas.at(EDGE + STRIP_WIDTH / 2, CARD_SIZE[1] / 2, turn):
            size = 15.5 if len(card) == 2 else 12.6
            canvas.text(0, 37.5 - 15.5 * CAP_HEIGHT, card[:-1], size, font=BOLD, color=PAPER, align="center")
            emblems.draw_suit(canvas, card[-1], 0, 19, 8.4, PAPER)
    left, side = EDGE + STRIP_WIDTH, FACE_SIZE[0] - STRIP_WIDTH
    _draw_walk(canvas, left + side / 2, 66.2, VALUES[card], color)
    steps = "1 STEP · 1 MINUTE" if VALUES[card] == 1 else f"{VALUES[card]} STEPS · {VALUES[card]} MINUTES"
    canvas.text(left + side / 2, 45.9, steps, 3.1, font=BOLD, color=MUTED, align="center", track=0.35)
    low = EDGE + (side - CODE_SIDE) / 2
    canvas.box(left + (side - CODE_SIDE) / 2, low, CODE_SIDE, CODE_SIDE, fill=PAPER, radius=1.5)
    canvas.code(code, left + side / 2, low + CODE_SIDE / 2, code_mm)


ROAD: Final = (24.0, 4.6)
"""The length of a straight part of the winding road, and the radius of its bends, in mm."""


def _draw_walk(canvas: Canvas, x: float, y: float, steps: int, color: Color) -> None:
    """Draws a winding road with its center near (x, y). The road begins at a house and has `steps` stops, with a walker
    on the last one."""
    rows = 1 if steps < 4 else 2 if steps < 7 else 3
    stretch, bend = ROAD
    length = rows * stretch + (rows - 1) * pi * bend
    with canvas.at(x, y - 3 - (rows - 1) * bend):
        road = [_road_point(part * length / 90) for part in range(91)]
        canvas.shape(road, stroke=PAPER, line=6.4, closed=False)
        canvas.shape(road, stroke=FAINT, line=0.5, dash=(1.4, 1.2), closed=False)
        with canvas.at(*road[0]):
            emblems.draw_house(canvas, 5, MUTED)
        for stop in range(1, steps):
            canvas.circle(*_road_point(stop * length / steps), 2.1, fill=PAPER, stroke=color, line=0.9)
        (end_x, end_y) = road[-1]
        canvas.circle(end_x, end_y, 2.6, fill=color)
        emblems.draw_walker(canvas, end_x, end_y + 1.4, 9.5, INK)


def _road_point(distance: float) -> Point:
    """The point on the winding road that is `distance` mm from its start. Coordinates are in mm, relative to the middle
    of the road's first straight part."""
    stretch, bend = ROAD
    row, rest = divmod(distance, stretch + pi * bend)
    side = 1 if row % 2 == 0 else -1
    low = 2 * bend * row
    if rest <= stretch:
        return side * (rest - stretch / 2), low
    turn = (rest - stretch) / bend
    return side * (stretch / 2 + bend * sin(turn)), low + bend * (1 - cos(turn))


def _draw_card_back(canvas: Canvas) -> None:
    """Draws the back of a playing card: a pattern of streets at night."""
    canvas.box(EDGE, EDGE, *FACE_SIZE, fill=INK, radius=3)
    with canvas.clip_box(EDGE, EDGE, *FACE_SIZE, 3):
        for number, color in enumerate((HexColor("#223256"), HexColor("#2c3f69"))):
            for at in range(-100, 160, 24):
                start, shift = at + 12 * number, 100
                canvas.line((start, -6), (start + shift, 94), color=color, line=3.4 - number)
                canvas.line((start, -6), (start - shift, 94), color=color, line=3.4 - number)
    canvas.box(EDGE + 3, 35, FACE_SIZE[0] - 6, 18, fill=INK, radius=2)
    canvas.text(CARD_SIZE[0] / 2, 41, "COMMUTE", 10, font=BOLD, color=PAPER, align="center", track=1.2)
    for x, turn in ((CARD_SIZE[0] / 2, 0), (CARD_SIZE[0] / 2, 180)):
        with canvas.at(x, CARD_SIZE[1] / 2, turn):
            canvas.circle(0, 24, 8.6, fill=INK)
            emblems.draw_walker(canvas, 0.1, 18.7, 10.5, PAPER)


def _draw_uh_oh_card(canvas: Canvas, code: str, card: UhOhCard, code_mm: float) -> None:
    canvas.box(EDGE, EDGE, *FACE_SIZE, fill=PALE_UH_OH, radius=3)
    with canvas.clip_box(EDGE, EDGE, *FACE_SIZE, 3):
        canvas.box(EDGE, 69.5, FACE_SIZE[0], 20, fill=UH_OH)
    canvas.text(EDGE + 3.5, 79.6, "UH-OH!", 4.2, font=BOLD, color=UH_OH_DARK, track=0.4)
    canvas.text(CARD_SIZE[0] - EDGE - 3.5, 79.6, card.id, 3.2, font=BOLD, color=UH_OH_DARK, align="right")
    canvas.text(EDGE + 3.5, 72.6, card.title, fitting_size(card.title, 7.2, FACE_SIZE[0] - 7), font=BOLD)
    width = FACE_SIZE[0] - 7
    size = next(
        size for size in (5.2, 4.8, 4.5, 4.2, 3.9, 3.6) if len(wrapped_lines(card.text, size, width)) * size < 20.5
    )
    canvas.paragraph(EDGE + 3.5, 63.6, card.text, size, width, leading=1.16)
    low = EDGE + 1.2
    canvas.box(EDGE + 1.2, low, CODE_SIDE, CODE_SIDE, fill=PAPER, radius=1.5)
    canvas.code(code, EDGE + 1.2 + CODE_SIDE / 2, low + CODE_SIDE / 2, code_mm)
    _draw_effect_symbols(
        canvas, card.effect, EDGE + 1.2 + CODE_SIDE + (FACE_SIZE[0] - 1.2 - CODE_SIDE) / 2, low + CODE_SIDE / 2
    )


DrawSymbol = Callable[[Canvas, float, float, float, Color], None]
EFFECT_SYMBOLS: Mapping[type, DrawSymbol] = {
    Minutes: emblems.draw_clock,
    Reputation: emblems.draw_star,
    Swap: emblems.draw_swap_arrows,
    SkipTurn: emblems.draw_pause_sign,
    CloseLine: emblems.draw_closure_sign,
}


def _draw_effect_symbols(canvas: Canvas, effect: Effect, x: float, y: float) -> None:
    """Draws a symbol for each effect of a card, stacked vertically around (x, y), with "or" between the options of a
    choice."""
    rows = list(_symbol_rows(effect))
    pitch = min(9.0, 37.0 / len(rows))
    y += pitch * (len(rows) - 1) / 2
    for row in rows:
        if isinstance(row, str):
            canvas.text(x, y - 1.3, row, 3.8, font=BOLD, color=MUTED, align="center")
        else:
            draw, amount = row
            draw(canvas, x - (4 if amount else 0), y, 2.9 if amount else 3.4, UH_OH_DARK)
            if amount:
                canvas.text(x + 0.4, y - 4.9 * CAP_HEIGHT / 2, amount, 4.9, font=BOLD)
        y -= pitch


def _symbol_rows(effect: Effect) -> Iterator[str | tuple[DrawSymbol, str]]:
    """Yields the rows of symbols for an effect. A row is either a word, or a pair: the function that draws a symbol,
    and the amount to print beside it."""
    match effect:
        case Minutes(amount) | Reputation(amount):
            yield EFFECT_SYMBOLS[type(effect)], signed(amount)
        case ByCommute(morning, evening):
            yield "A.M."
            yield from _symbol_rows(morning)
            yield "P.M."
            yield from _symbol_rows(evening)
        case Choice(effects):
            for number, option in enumerate(effects):
                yield from ["or"] * bool(number)
                yield from _symbol_rows(option)
        case AllOf(effects):
            for each in effects:
                yield from _symbol_rows(each)
        case AtStation(then, otherwise):
            yield emblems.draw_metro_sign, ""
            yield from _symbol_rows(then)
            if otherwise:
                yield "else"
                yield from _symbol_rows(otherwise)
        case _:
            yield EFFECT_SYMBOLS[type(effect)], ""


def _draw_uh_oh_back(canvas: Canvas) -> None:
    """Draws the back of an "Uh-Oh!" card: a burst that looks the same upside down."""
    canvas.box(EDGE, EDGE, *FACE_SIZE, fill=UH_OH, radius=3)
    center = (CARD_SIZE[0] / 2, CARD_SIZE[1] / 2)
    with canvas.clip_box(EDGE, EDGE, *FACE_SIZE, 3), canvas.at(*center):
        for corner, other in zip(*(points_around([70.0] * 36, turn) for turn in (0, 5)), strict=True):
            canvas.shape([(0, 0), corner, other], fill=PALE_UH_OH)
    emblems.draw_burst(canvas, *center, 25, UH_OH_DARK, 18)
    for turn in (0, 180):
        with canvas.at(*center, turn):
            canvas.text(0, 2.2, "UH-OH!", 11, font=BOLD, color=PAPER, align="center", track=0.5)


def _piece_index(code: str) -> int:
    """The index of a piece, counted from 0, as given by its component id."""
    return int(code.removeprefix(PIECE)) - 1


def _draw_piece(canvas: Canvas, code: str, code_mm: float) -> None:
    """Draws the front of a piece: its code in a frame of the house's color. Each side of the frame has one notch for
    house A, two notches for house B, and so on."""
    number, side = _piece_index(code), PIECE_SIZE[0]
    white = with_quiet_zone(MAX_PIECE_CODE_MM)
    frame = (side - white) / 2
    canvas.box(0, 0, side, side, fill=HOUSES[number])
    for turn in range(4):
        with canvas.at(side / 2, side / 2, 90 * turn):
            for notch in range(number + 1):
                canvas.box((notch - number / 2) * 3.2 - 0.6, white / 2 - 0.1, 1.2, frame * 0.62, fill=PAPER)
    canvas.box(frame, frame, white, white, fill=PAPER)
    canvas.code(code, side / 2, side / 2, code_mm)


def _draw_piece_back(canvas: Canvas, number: int) -> None:
    """Draws the back of a piece: the badge of its house."""
    side = PIECE_SIZE[0]
    canvas.box(0, 0, side, side, fill=HOUSES[number])
    with canvas.at(side / 2, side / 2):
        emblems.draw_house_badge(canvas, number, "ABCDE"[number], 11)
