"""The table as one seat sees it, for the careful policy: its view as values, and what would change in it.

Law: pure; made of the view alone. The own cards are `?`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self, TypeVar

from companion.games.system_won.card_counting import Copies, Faces, Marks, View, marks_of, unaccounted
from companion.games.system_won.catalog import HIGHEST, catalog
from companion.games.system_won.knowledge import BLANK, UNKNOWN, Said, passed_over, pointed_at
from companion.games.system_won.moves import Hint


@dataclass(frozen=True)
class Seen:
    """What a seat sees."""

    seat: int
    faces: tuple[tuple[str, ...], ...]
    """Of each hand, the oldest card first."""
    marks: tuple[Marks, ...]
    left: tuple[Copies, ...]
    """For each hand, the copies that its holder sees nowhere, as far as this seat can tell."""
    systems: tuple[int, ...]
    gone: Copies
    """The copies in the discard pile and the error pile."""
    specifications: int
    deck: int
    turns_left: int | None
    """None before the last round; then the turns still to be taken, this one included."""

    @classmethod
    def of(cls, view: View, seat: int) -> Self:
        """What a seat's view tells."""
        seats, piles = range(len(view["hands"])), Counter((*view["discard"], *view["errors"]))
        return cls(
            seat=seat,
            faces=tuple(map(tuple, view["hands"])),
            marks=tuple(marks_of(view, other) for other in seats),
            left=tuple(unaccounted(view, other) for other in seats),
            systems=tuple(view["systems"][color] for color in catalog().colors),
            gone=tuple(piles[face] for face in catalog().faces),
            specifications=view["specifications"],
            deck=view["deck"],
            turns_left=view["turns_left"],
        )

    @property
    def playable(self) -> Faces:
        """The faces that a system waits for."""
        return _playable(self.systems)

    @property
    def useful(self) -> Faces:
        """The faces that can still be played, now or later."""
        return _useful(self.systems, self.gone)

    @property
    def others(self) -> tuple[int, ...]:
        """The other seats in the order of their turns, as far as they still have one."""
        seats = len(self.marks)
        coming = seats if self.turns_left is None else self.turns_left
        return tuple((self.seat + n) % seats for n in range(1, min(seats, coming)))

    @property
    def last_round(self) -> bool:
        """Whether no card is worth keeping for later."""
        return self.deck == 0

    def copies_left(self, face: str) -> int:
        """The copies of a face that are in no pile (the one in a system counts)."""
        number = catalog().cards[face].number
        return catalog().deck[number] - self.gone[number]

    def in_hands(self, face: str) -> int:
        """How many copies this seat sees in hands."""
        return sum(faces.count(face) for faces in self.faces)

    # What would change -----------------------------------------------------------------------------

    def but(self, **changes: Any) -> Self:
        """`dataclasses.replace`, faster."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **changes)
        return other

    def with_hint(self, hint: Hint) -> Self:
        """With the marks of a specification; the hand's faces must be known."""
        target = hint.target
        told = _told(self.faces[target], self.marks[target], hint.said)
        return self.but(marks=(*self.marks[:target], told, *self.marks[target + 1 :]))

    def with_specifications(self, more: int) -> Self:
        """With more (or fewer) specifications face up."""
        return self.but(specifications=min(max(self.specifications + more, 0), catalog().specifications))

    def with_played(self, face: str) -> Self:
        """With a card that fits on its system."""
        card = catalog().cards[face]
        after = self.but(systems=(*self.systems[: card.suit], card.rank, *self.systems[card.suit + 1 :]))
        return after.with_specifications(1) if card.rank == HIGHEST else after

    def with_draw(self, seat: int, slot: int) -> Self:
        """With a card gone from a hand and another one off the deck."""
        drawn = min(1, self.deck)
        faces = (*_without(self.faces[seat], slot), *(UNKNOWN,) * drawn)
        marks = (*_without(self.marks[seat], slot), *(BLANK,) * drawn)
        return self.but(
            faces=(*self.faces[:seat], faces, *self.faces[seat + 1 :]),
            marks=(*self.marks[:seat], marks, *self.marks[seat + 1 :]),
            deck=self.deck - drawn,
            turns_left=len(self.marks) + 1 if self.deck == 1 else self.turns_left,
        )


T = TypeVar("T")


def _without(hand: tuple[T, ...], slot: int) -> tuple[T, ...]:
    return (*hand[:slot], *hand[slot + 1 :])


@lru_cache(maxsize=1 << 12)
def _told(faces: tuple[str, ...], marks: Marks, said: Said) -> Marks:
    says = catalog().says
    return tuple(
        pointed_at(mark, said) if said in says[face] else passed_over(mark, said)
        for face, mark in zip(faces, marks, strict=True)
    )


@lru_cache(maxsize=1 << 12)
def _playable(systems: tuple[int, ...]) -> Faces:
    return frozenset(card.face for card in catalog().cards.values() if card.rank == systems[card.suit] + 1)


@lru_cache(maxsize=1 << 12)
def _useful(systems: tuple[int, ...], gone: Copies) -> Faces:
    """Those above a system's top card, up to the first of which every copy is gone."""
    cards, found, ends = catalog(), set[str](), set[int]()
    for card in cards.cards.values():
        if card.rank > systems[card.suit] and card.suit not in ends:
            if gone[card.number] < cards.deck[card.number]:
                found.add(card.face)
            else:
                ends.add(card.suit)
    return frozenset(found)
