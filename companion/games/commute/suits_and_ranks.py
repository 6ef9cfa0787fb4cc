"""The suits, ranks and values of the playing cards: the aces to tens of a standard deck."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NewType

from companion.text.messages import gettext_noop

CardId = NewType("CardId", str)
"""The face of a card, from "AH" (ace of hearts) to "10S" (ten of spades)."""
Face = NewType("Face", str)
"""The face of a card, or "?" for a card that was dealt at the table and has not been reported."""

UNSEEN: Final = Face("?")
SUITS: Final[Mapping[str, str]] = {"H": "hearts", "D": "diamonds", "C": "clubs", "S": "spades"}
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")

DECK: Final = tuple(CardId(rank + suit) for suit in SUITS for rank in RANKS)
"""A standard deck without jacks, queens and kings."""
VALUES: Final[Mapping[str, int]] = {rank + suit: number for suit in SUITS for number, rank in enumerate(RANKS, 1)}
"""The value of each card. An ace counts as one."""
HIGHEST_VALUE: Final = len(RANKS)
HAND_SIZE: Final = 3
"""The number of cards in a hand, both after the first deal of a commute and at the end of each turn."""


def title(card: str) -> str:
    """The English name of a card: "7 of hearts"."""
    if card == UNSEEN:
        return gettext_noop("a face-down card")
    rank = "ace" if card[0] == "A" else card[:-1]
    return f"{rank} of {SUITS[card[-1]]}"
