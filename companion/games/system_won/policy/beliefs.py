"""What a careful player of System WON makes of what it sees: of its own cards, and of what it could tell others.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from companion.games.rules import Seat
from companion.games.system_won.card_counting import narrowed
from companion.games.system_won.catalog import HIGHEST, RANKS, catalog
from companion.games.system_won.knowledge import UNKNOWN
from companion.games.system_won.moves import Color, Hint
from companion.games.system_won.policy.conventions import Reading
from companion.games.system_won.policy.lookahead import ERROR, loss, outlook
from companion.games.system_won.policy.seat_view import Seen

SPECIFICATION: Final = 0.45
"""One more face up."""
PLAYED: Final = 0.15
"""A card that is played now lets others follow."""
GAMBLE: Final = 0.7
"""A card less likely to fit is not played."""
BEST: Final = 5
"""How many pieces of information are tried in pairs."""
PROMISED: Final = 0.93
"""How far a promise is trusted: its giver does not see the own cards."""
BELIEVED: Final = 0.9
"""How far it is trusted that a card was worth its specification."""
LEARNT: Final = 0.15
"""Knowing a card fully, of which nothing was known."""
LEARNT_USELESS: Final = 0.4
"""The same of a card to discard, against that."""
NEVER: Final = float("-inf")


@dataclass(frozen=True)
class Mind:
    """What a seat sees, and what it makes of its own hand."""

    seen: Seen
    reading: Reading

    @cached_property
    def outlook(self) -> float:
        """What the others will do if nothing changes."""
        return outlook(self.seen)

    def chances(self, slot: int) -> list[tuple[str, float]]:
        """How likely each face of an own card is."""
        left = self.seen.left[self.seen.seat]
        believed = self.reading.believed[slot]
        counted = [(face, left[catalog().cards[face].number]) for face in catalog().faces if face in believed]
        total = sum(count for _, count in counted)
        return [(face, count / total) for face, count in counted if count]

    def expected_loss(self, slot: int) -> float:
        """What it costs, on average, that this card goes."""
        if self.seen.last_round or self.is_second(slot):
            return 0.0
        return sum(chance * loss(self.seen, face) for face, chance in self.chances(slot))

    def is_second(self, slot: int) -> bool:
        """Whether another own card is known to be the same."""
        own = self.reading.possible
        return len(own[slot]) == 1 and own.count(own[slot]) > 1

    @cached_property
    def outlook_after_discard(self) -> float:
        """What they will do if this seat discards, whichever card."""
        return outlook(self.seen.with_draw(self.seen.seat, 0).with_specifications(1))

    def played(self, slot: int) -> float:
        """What comes of playing a card."""
        seen, after = self.seen, self.seen.with_draw(self.seen.seat, slot)
        good = [(face, chance) for face, chance in self.chances(slot) if face in seen.playable]
        likely = sum(chance for _, chance in good)
        if likely < GAMBLE:
            return NEVER
        trust = self.trust(slot)
        fits = sum(chance * (gain(face) + outlook(after.with_played(face))) for face, chance in good)
        return trust * fits + (1 - trust * likely) * (self.outlook - ERROR - self.expected_loss(slot))

    def trust(self, slot: int) -> float:
        """How far it is trusted that a card is what it is believed to be."""
        if self.reading.possible[slot] == self.reading.believed[slot]:
            return 1.0
        return PROMISED if slot in self.reading.promised else BELIEVED

    def ready(self) -> list[int]:
        """The slots of cards that are believed to be playable, each with faces of its own; the next play first."""
        found, faces = list[int](), frozenset[str]()
        for slot in sorted(range(len(self.reading.believed)), key=lambda slot: slot != self.reading.next):
            believed = self.reading.believed[slot]
            if believed and believed <= self.seen.playable and not believed & faces:
                found.append(slot)
                faces |= believed
        return found

    @cached_property
    def best_hints(self) -> tuple[Hint, ...]:
        """The pieces of information that are worth most by themselves."""
        worth = {hint: self.told((hint,), 0) for hint in self._hints()}
        return tuple(sorted(worth, key=lambda hint: -worth[hint])[:BEST])

    def told(self, hints: Sequence[Hint], used: int) -> float:
        """What comes of pieces of information that use up so many specifications. Never of a hand with cards that
        nobody has seen: one could not point at all that match."""
        after = self.seen.with_specifications(-used)
        for hint in hints:
            if UNKNOWN in after.faces[hint.target]:
                return NEVER
            after = after.with_hint(hint)
        return outlook(after) + sum(_learnt(self.seen, after, target) for target in {hint.target for hint in hints})

    def _hints(self) -> Iterator[Hint]:
        for seat in self.seen.others:
            says = [catalog().says[face] for face in self.seen.faces[seat]]
            for color in catalog().colors:
                if any(color in said for said in says):
                    yield Hint(target=Seat(seat), color=Color(color))
            for rank in RANKS:
                if any(rank in said for said in says):
                    yield Hint(target=Seat(seat), rank=rank)


def gain(face: str) -> float:
    """What a card that fits brings at once."""
    return 1.0 + PLAYED + (SPECIFICATION if catalog().cards[face].rank == HIGHEST else 0.0)


def _learnt(seen: Seen, after: Seen, target: int) -> float:
    """What the holder knows more of the cards, whatever comes next."""
    if seen.last_round:
        return 0.0
    before = narrowed(seen.marks[target], seen.left[target])
    now = narrowed(after.marks[target], seen.left[target])
    useful = seen.useful
    return LEARNT * sum(
        (1.0 if face in useful else LEARNT_USELESS) * (1 - len(fewer) / len(faces))
        for face, faces, fewer in zip(seen.faces[target], before, now, strict=True)
        if fewer is not faces and faces
    )
