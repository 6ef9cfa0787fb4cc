"""The components of Commute that have a code: the playing cards, the "Uh-Oh!" cards and the pieces.

Law: pure data.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from companion.games.commute.board import Board
from companion.games.commute.mat import DECK as DECK_ZONE
from companion.games.commute.mat import UH_OH_DECK
from companion.games.commute.moves import Deal, UhOh
from companion.games.commute.suits_and_ranks import DECK, CardId, title
from companion.games.commute.uh_oh_cards import uh_oh_cards
from companion.tabletop.component_outline import Outline
from companion.tabletop.components import Component

PREFIX: Final = "CM-"
PIECE: Final = f"{PREFIX}P"
"""The prefix of the component ids of all pieces. A number, counted from 1, follows it."""
COLORS: Final = ("amber", "violet", "teal", "rose", "brown")
"""The colors of the pieces and the houses. The houses take them in the board's order."""
CARDS: Final[Mapping[str, CardId]] = {f"{PREFIX}{card}": card for card in DECK}
"""The playing cards by component id."""
CARD_OUTLINE: Final = Outline((63.0, 88.0), (7.0, 19.5))
UH_OH_OUTLINE: Final = Outline((63.0, 88.0), (-8.3, 20.8))
PIECE_OUTLINE: Final = Outline((34.0, 34.0), code_mm=22.0)


def card_component(card: str) -> str:
    """The component id of a card. `card` is the face of a playing card or the id of an "Uh-Oh!" card."""
    return PREFIX + card


def piece_component(board: Board, seat: int, house: str) -> str:
    """The component id of a seat's piece."""
    return f"{PIECE}{color_index(board, seat, house) + 1}"


def color_index(board: Board, seat: int, house: str) -> int:
    """The index in COLORS of the color of a seat's piece. This is the index of the seat's house on the board or, if the
    board has more houses than there are colors, the number of the seat."""
    return board.houses.index(house) if len(board.houses) <= len(COLORS) else seat


@cache
def all_components() -> tuple[Component, ...]:
    """All components with a code, in the order in which they fill printed sheets best."""
    deck, uh_oh = "face down on the deck, or in the hand it came from", "face down on the “Uh-Oh!” deck"
    return (
        *(
            _card(card, f"the {title(card)}", title(card), deck, DECK_ZONE, Deal.CHANCE_SOURCE, CARD_OUTLINE)
            for card in DECK
        ),
        *(
            _card(card.id, f"“{card.title}”", card.title, uh_oh, UH_OH_DECK, UhOh.CHANCE_SOURCE, UH_OH_OUTLINE)
            for card in uh_oh_cards().values()
        ),
        *(
            Component(f"{PIECE}{number}", f"the {color} piece", f"The {color} piece", outline=PIECE_OUTLINE)
            for number, color in enumerate(COLORS, 1)
        ),
    )


def _card(card: str, name: str, title: str, home: str, deck: str, source: str, outline: Outline) -> Component:
    return Component(card_component(card), name, title, home, deck, face=card, chance_source=source, outline=outline)
