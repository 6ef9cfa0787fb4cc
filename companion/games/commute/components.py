"""What Commute prints with a code: the playing cards, the "Uh-Oh!" cards and the pieces.

Law: pure data.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from companion.games.commute.board import Board
from companion.games.commute.deck import DECK, CardId, title
from companion.games.commute.mat import DECK as DECK_ZONE
from companion.games.commute.mat import UH_OH_DECK, mat_of
from companion.games.commute.moves import Deal, UhOh
from companion.games.commute.uh_oh import uh_oh_cards
from companion.tabletop.components import Component, ComponentSet, Stickers

if TYPE_CHECKING:
    from companion.games.commute.art import CommuteArt
    from companion.games.commute.stickers import StickerArt

PREFIX: Final = "CM-"
PIECE: Final = f"{PREFIX}P"
COLORS: Final = ("amber", "violet", "teal", "rose", "brown")
"""What the pieces are called by, and the houses are painted in, in the board's order."""
CARDS: Final[Mapping[str, CardId]] = {f"{PREFIX}{card}": card for card in DECK}
"""The playing cards by their codes."""
ADVICE: Final = (
    "Stick the small codes on your own deck",
    "Print their page on matt label paper, on one side. Leave jacks, queens and kings out of the deck. Stick each code "
    "in the middle of its card's face, edges straight, so that the corners stay in sight.",
)
"""How to make a standard deck the game's."""
PLACES: Final = {f"hand-{seat}": f"{{{seat}}}'s hand" for seat in range(len(COLORS))}


def card_thing(card: str) -> str:
    """The id of a playing card or of an "Uh-Oh!" card."""
    return PREFIX + card


def piece(board: Board, seat: int, house: str) -> str:
    """The id of a seat's piece: the one in its house's colour, where the houses are no more than the pieces."""
    return f"{PIECE}{paint(board, seat, house) + 1}"


def paint(board: Board, seat: int, house: str) -> int:
    """The number of a seat's color, among COLORS."""
    return board.houses.index(house) if len(board.houses) <= len(COLORS) else seat


@lru_cache(maxsize=8)
def equipment_on(board: Board) -> ComponentSet:
    """What lies on the table of a board."""

    def art() -> CommuteArt:
        from companion.games.commute.art import CommuteArt

        return CommuteArt(board)

    def stickers() -> StickerArt:
        from companion.games.commute.stickers import StickerArt

        return StickerArt(board)

    return ComponentSet(
        prefix=PREFIX, things=things(), mat=mat_of(board), places=PLACES, art=art, stickers=Stickers(stickers, ADVICE)
    )


@cache
def things() -> tuple[Component, ...]:
    """Everything that is printed with a code, in the order in which it fills sheets best."""
    deck, uh_oh = "on the deck, or in the hand that it came from", "on the “Uh-Oh!” deck"
    return (
        *(
            Component(card_thing(card), f"the {title(card)}", title(card), deck, DECK_ZONE, component=Deal.DEALS)
            for card in DECK
        ),
        *(
            Component(card_thing(card.id), f"“{card.title}”", card.title, uh_oh, UH_OH_DECK, component=UhOh.DEALS)
            for card in uh_oh_cards().values()
        ),
        *(
            Component(f"{PIECE}{number}", f"the {color} piece", f"The {color} piece")
            for number, color in enumerate(COLORS, 1)
        ),
    )
