"""The house's next move, where the possible moves differ only in their face: which card a seat is dealt, or which cube
comes out of the bag.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.rules import HouseMove, Seat
from companion.text.messages import Text, TextLike, _

OTHERWISE: Final = _("That is none of those that can come now")


@dataclass(frozen=True)
class Awaited:
    """The next move of the house: its description, the seat that it is for, and the weight of each possible face."""

    words: TextLike
    make: Callable[[Seat | None, str], HouseMove]
    to: Seat | None
    faces: Mapping[str, int]
    otherwise: Text = OTHERWISE
    """Why another face can't come. Every such face gets the same reason: a specific one might reveal a secret."""

    def refusal(self, move: HouseMove) -> Text | None:
        """Why this move can't come, or None if it can."""
        if move != self.make(self.to, move.face):
            return _("This can't come now; due is {what}.", what=self.words)
        if move.face in self.faces:
            return None
        return _("{why}; due is {what}.", why=self.otherwise, what=self.words)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        """Each move that may come, with its weight."""
        for face, weight in self.faces.items():
            yield self.make(self.to, face), weight
