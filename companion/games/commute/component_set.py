"""The component set of a Commute board: everything that can lie on the table, and the art that draws it for print."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from companion.games.commute.board import Board
from companion.games.commute.components import COLORS, all_components
from companion.games.commute.mat import mat_for
from companion.tabletop.components import Art, ComponentSet, Stickers

STICKER_ADVICE: Final = (
    "Stick the small codes on your own deck",
    "Print their page on matte label paper, on one side. Leave jacks, queens and kings out of the deck. Stick each "
    "code in the middle of its card’s face, edges straight, so that the corners stay in sight.",
)
"""A heading, and instructions for turning a standard deck into the game's deck."""
HANDS: Final = {f"hand-{seat}": f"{{{seat}}}’s hand" for seat in range(len(COLORS))}
"""The name of each hand for people, by the hand's place in a layout. "{0}" is replaced by the first player's name."""


@lru_cache(maxsize=8)
def component_set_for(board: Board) -> ComponentSet:
    """The components, the mat and the art for a board. The drawing code is imported only when something is drawn."""

    def art() -> Art:
        from companion.games.commute.component_art import CommuteArt

        return CommuteArt(board)

    def sticker_art() -> Art:
        from companion.games.commute.card_sticker_art import StickerArt

        return StickerArt(board)

    return ComponentSet(
        components=all_components(),
        mat=mat_for(board),
        places=HANDS,
        art=art,
        stickers=Stickers(sticker_art, STICKER_ADVICE),
    )
