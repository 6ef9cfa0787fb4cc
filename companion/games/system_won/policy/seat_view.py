"""The table as one seat knows it, in the form that the careful policy uses for its computations.

Law: pure. A `SeatView` contains what the seat knows about a `Position`. Each hand is split into faces and knowledge,
because these are the keys of the policy's caches. Changed copies of a view represent the positions that the policy
considers.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Self, TypeVar

from companion.games.immutable import Immutable
from companion.games.rules import UNSEEN
from companion.games.system_won.card_knowledge import NO_KNOWLEDGE, HintValue, with_negative_hint, with_positive_hint
from companion.games.system_won.catalog import HIGHEST_RANK, catalog
from companion.games.system_won.moves import Hint
from companion.games.system_won.position import Position
from companion.games.system_won.possible_faces import (
    CopyCounts,
    Faces,
    HandKnowledge,
    hand_knowledge,
    unaccounted_copies,
)


class SeatView(Immutable, frozen=True):
    """The table as one seat knows it. Tuples that describe hands have one item for each seat."""

    seat: int
    faces: tuple[tuple[str, ...], ...]
    """The faces of each hand, oldest card first. The seat's own cards are "?"."""
    knowledge: tuple[HandKnowledge, ...]
    unaccounted: tuple[CopyCounts, ...]
    """For each hand and each face, the number of copies that the holder of the hand can't see, as far as this seat can
    tell."""
    systems: tuple[int, ...]
    removed: CopyCounts
    """The number of copies of each face in the discard pile and the error pile combined."""
    specifications: int
    deck_size: int
    turns_left: int | None
    """The number of turns still to be taken, including the present turn. None before the last round."""

    @classmethod
    def of(cls, known: Position, seat: int) -> Self:
        """The view of `seat`. `known` is the position as this seat knows it."""
        seats, piles = range(len(known.hands)), Counter((*known.discard, *known.errors))
        return cls(
            seat=seat,
            faces=tuple(tuple(card.face for card in hand) for hand in known.hands),
            knowledge=tuple(hand_knowledge(known, other) for other in seats),
            unaccounted=tuple(unaccounted_copies(known, other) for other in seats),
            systems=known.systems,
            removed=tuple(piles[face] for face in catalog().faces),
            specifications=known.specifications,
            deck_size=known.deck_size,
            turns_left=known.turns_left,
        )

    @property
    def playable(self) -> Faces:
        """The faces that would join a system now."""
        return _playable_faces(self.systems)

    @property
    def useful(self) -> Faces:
        """The faces that can still join a system, now or later."""
        return _useful_faces(self.systems, self.removed)

    @property
    def others(self) -> tuple[int, ...]:
        """The other seats that still have a turn, in the order of their turns."""
        seats = len(self.knowledge)
        coming = seats if self.turns_left is None else self.turns_left
        return tuple((self.seat + n) % seats for n in range(1, min(seats, coming)))

    @property
    def is_last_round(self) -> bool:
        """Whether the deck is empty. The last round has then begun."""
        return self.deck_size == 0

    def copies_left(self, face: str) -> int:
        """The number of copies of a face that are in neither the discard pile nor the error pile. Copies in a system
        are counted too."""
        index = catalog().cards[face].face_index
        return catalog().copies[index] - self.removed[index]

    def copies_in_hands(self, face: str) -> int:
        """The number of copies of a face that this seat sees in other seats' hands."""
        return sum(faces.count(face) for faces in self.faces)

    def with_hint(self, hint: Hint) -> Self:
        """The view after a hint. The seat with this view must know all faces of the target's hand."""
        target = hint.target
        after = _knowledge_after_hint(self.faces[target], self.knowledge[target], hint.value)
        return self.replace(knowledge=(*self.knowledge[:target], after, *self.knowledge[target + 1 :]))

    def with_specifications_added(self, count: int) -> Self:
        """The view with `count` more specification cards face up. If `count` is negative, fewer are face up. The result
        stays between 0 and the number of specification cards in the game."""
        return self.replace(specifications=min(max(self.specifications + count, 0), catalog().specifications))

    def with_system_card(self, face: str) -> Self:
        """The view after a playable card has been added to its system."""
        card = catalog().cards[face]
        after = self.replace(systems=(*self.systems[: card.suit], card.rank, *self.systems[card.suit + 1 :]))
        return after.with_specifications_added(1) if card.rank == HIGHEST_RANK else after

    def with_card_replaced(self, seat: int, slot: int) -> Self:
        """The view after the card in `slot` has left a seat's hand and, unless the deck is empty, the seat has drawn a
        new card."""
        drawn = min(1, self.deck_size)
        faces = (*_without(self.faces[seat], slot), *(UNSEEN,) * drawn)
        knowledge = (*_without(self.knowledge[seat], slot), *(NO_KNOWLEDGE,) * drawn)
        return self.replace(
            faces=(*self.faces[:seat], faces, *self.faces[seat + 1 :]),
            knowledge=(*self.knowledge[:seat], knowledge, *self.knowledge[seat + 1 :]),
            deck_size=self.deck_size - drawn,
            turns_left=len(self.knowledge) + 1 if self.deck_size == 1 else self.turns_left,
        )


T = TypeVar("T")


def _without(hand: tuple[T, ...], slot: int) -> tuple[T, ...]:
    return (*hand[:slot], *hand[slot + 1 :])


@lru_cache(maxsize=1 << 12)
def _knowledge_after_hint(faces: tuple[str, ...], knowledge: HandKnowledge, value: HintValue) -> HandKnowledge:
    hint_values = catalog().hint_values
    return tuple(
        with_positive_hint(card, value) if value in hint_values[face] else with_negative_hint(card, value)
        for face, card in zip(faces, knowledge, strict=True)
    )


@lru_cache(maxsize=1 << 12)
def _playable_faces(systems: tuple[int, ...]) -> Faces:
    return frozenset(card.face for card in catalog().cards.values() if card.rank == systems[card.suit] + 1)


@lru_cache(maxsize=1 << 12)
def _useful_faces(systems: tuple[int, ...], removed: CopyCounts) -> Faces:
    """The faces that can still join a system. In each suit, these are the faces above the top card of the system and
    below the first face of which no copy is left."""
    useful, blocked_suits = set[str](), set[int]()
    for card in catalog().cards.values():
        if card.rank > systems[card.suit] and card.suit not in blocked_suits:
            if removed[card.face_index] < catalog().copies[card.face_index]:
                useful.add(card.face)
            else:
                blocked_suits.add(card.suit)
    return frozenset(useful)
