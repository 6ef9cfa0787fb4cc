"""The playing cards: aces to tens of a standard deck."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NewType

from companion.text.translation import later

CardId = NewType("CardId", str)
"""A card by its face, "AH" to "10S"."""
Face = NewType("Face", str)
"""A card's face, or "?" for one that was dealt at the table and that nobody has reported."""

UNSEEN: Final = Face("?")
SUITS: Final[Mapping[str, str]] = {"H": "hearts", "D": "diamonds", "C": "clubs", "S": "spades"}
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")

DECK: Final = tuple(CardId(rank + suit) for suit in SUITS for rank in RANKS)
""" "A standard card deck in which all jacks, queens, and kings have been removed." """
VALUES: Final[Mapping[str, int]] = {rank + suit: number for suit in SUITS for number, rank in enumerate(RANKS, 1)}
""" "Aces have a value of one." """
HIGHEST: Final = len(RANKS)
HAND: Final = 3
"""Cards that each player is dealt, and replenishes to."""


def title(card: str) -> str:
    """ "7 of hearts"."""
    if card == UNSEEN:
        return later("a face-down card")
    rank = "ace" if card[0] == "A" else card[:-1]
    return f"{rank} of {SUITS[card[-1]]}"
