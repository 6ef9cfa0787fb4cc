"""Stickers that make any standard deck the deck of Commute: rank and suit, and the code of our own card.

A sticker stands in the middle of a card's face, so that the corners by which a hand is held stay in sight; backs stay
as they are. The "Uh-Oh!" cards, the pieces and the mat are printed as always.
"""

from __future__ import annotations

from typing import Final

from companion.drawing.canvas import BOLD, CAP, MUTED, Canvas, with_quiet
from companion.games.commute import emblems
from companion.games.commute.board import Board
from companion.games.commute.components import CARDS
from companion.games.commute.deck import title
from companion.games.commute.emblems import SUIT_COLORS
from companion.tabletop.components import Art, Component

CODE: Final = 22.0
"""The largest code of a sticker, mm: as large as that of a piece."""
SIZE: Final = (32.0, 35.0)
"""Of a sticker, mm: the code with its white, and a line above it. All forty are cut from one sheet."""
LINE: Final = 3.8
"""Height of the rank and the suit above the code, mm."""


class StickerArt:
    """Implements the `Art` protocol: stickers for playing cards, all else as the game's own art has it."""

    def __init__(self, board: Board) -> None:
        from companion.games.commute.art import CommuteArt

        self._own: Art = CommuteArt(board)

    def extras(self) -> tuple[Component, ...]:
        return self._own.extras()

    def size(self, thing: Component) -> tuple[float, float]:
        return SIZE if thing.id in CARDS else self._own.size(thing)

    def largest_code(self, thing: Component) -> float:
        """A sticker's code is no larger than it has room for, whatever the others'."""
        return self._own.largest_code(thing)

    def face(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        if thing.id in CARDS:
            _sticker(canvas, thing.id, CARDS[thing.id], min(code_mm, CODE))
        else:
            self._own.face(canvas, thing, code_mm)

    def back(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        """A sticker has none."""
        if thing.id not in CARDS:
            self._own.back(canvas, thing, code_mm)

    def mat(self, canvas: Canvas) -> None:
        self._own.mat(canvas)


def _sticker(canvas: Canvas, thing: str, card: str, code_mm: float) -> None:
    width, height = SIZE
    low = (width - with_quiet(CODE)) / 2
    canvas.code(thing, width / 2, low + with_quiet(CODE) / 2, code_mm)
    middle, color = height - LINE / 2, SUIT_COLORS[card[-1]]
    canvas.text(2.0, middle - LINE * CAP / 2, card[:-1], LINE, font=BOLD, color=color)
    emblems.suit_sign(canvas, card[-1], 2.6 + (4.0 if len(card) == 3 else 2.6) + 1.0, middle, 3.4, color)
    canvas.text(width - 2.0, middle - 2.0 * CAP / 2, title(card), 2.0, color=MUTED, align="right")
