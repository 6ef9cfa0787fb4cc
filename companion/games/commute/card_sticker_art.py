"""Stickers that turn any standard deck into the deck of Commute. Each has the rank, the suit and the code of a printed
card.

A sticker goes in the middle of a card's face, so that the corners stay visible in a hand. Backs get no stickers. The
"Uh-Oh!" cards, the pieces and the mat are printed as usual.
"""

from __future__ import annotations

from typing import Final

from companion.drawing.canvas import BOLD, CAP_HEIGHT, MUTED, Canvas, with_quiet_zone
from companion.games.commute import emblems
from companion.games.commute.board import Board
from companion.games.commute.component_art import CommuteArt
from companion.games.commute.components import CARDS
from companion.games.commute.emblems import SUIT_COLORS
from companion.games.commute.suits_and_ranks import title
from companion.tabletop.components import Art, Component

MAX_CODE_MM: Final = 22.0
"""The side of the largest code on a sticker, in mm. It is the same as for the codes of pieces."""
STICKER_SIZE: Final = (32.0, 35.0)
"""Width and height of a sticker, in mm. A sticker has room for the code with its quiet zone, and for a line of text
above it. All forty stickers fit on one sheet."""
LABEL_HEIGHT: Final = 3.8
"""The height of the line with rank and suit above the code, in mm."""


class StickerArt:
    """Draws a sticker in place of each playing card, and everything else as `CommuteArt` does. Implements the `Art`
    protocol."""

    def __init__(self, board: Board) -> None:
        self._printed_art: Art = CommuteArt(board)

    def extras(self) -> tuple[Component, ...]:
        return self._printed_art.extras()

    def size(self, component: Component) -> tuple[float, float]:
        return STICKER_SIZE if component.id in CARDS else self._printed_art.size(component)

    def largest_code(self, component: Component) -> float:
        return MAX_CODE_MM if component.id in CARDS else self._printed_art.largest_code(component)

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component.id in CARDS:
            _draw_sticker(canvas, component.id, CARDS[component.id], min(code_mm, MAX_CODE_MM))
        else:
            self._printed_art.face(canvas, component, code_mm)

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        """Draws the back of a component. Draws nothing for a playing card, because stickers have no backs."""
        if component.id not in CARDS:
            self._printed_art.back(canvas, component, code_mm)

    def mat(self, canvas: Canvas) -> None:
        self._printed_art.mat(canvas)


def _draw_sticker(canvas: Canvas, code: str, card: str, code_mm: float) -> None:
    width, height = STICKER_SIZE
    low = (width - with_quiet_zone(MAX_CODE_MM)) / 2
    canvas.code(code, width / 2, low + with_quiet_zone(MAX_CODE_MM) / 2, code_mm)
    middle, color = height - LABEL_HEIGHT / 2, SUIT_COLORS[card[-1]]
    canvas.text(2.0, middle - LABEL_HEIGHT * CAP_HEIGHT / 2, card[:-1], LABEL_HEIGHT, font=BOLD, color=color)
    emblems.draw_suit(canvas, card[-1], 2.6 + (4.0 if len(card) == 3 else 2.6) + 1.0, middle, 3.4, color)
    canvas.text(width - 2.0, middle - 2.0 * CAP_HEIGHT / 2, title(card), 2.0, color=MUTED, align="right")
