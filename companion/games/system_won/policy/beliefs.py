"""The careful policy's beliefs about its own cards, and the values of moves according to these beliefs.

Law: pure. Values are in points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from companion.games.rules import UNSEEN, Seat
from companion.games.system_won.catalog import HIGHEST_RANK, RANKS, catalog
from companion.games.system_won.moves import Color, Hint
from companion.games.system_won.policy.conventions import Interpretation
from companion.games.system_won.policy.lookahead import ERROR_COST, future_value, loss
from companion.games.system_won.policy.seat_view import SeatView
from companion.games.system_won.possible_faces import narrowed_faces

SPECIFICATION_VALUE: Final = 0.45
"""The value of having one more specification card face up."""
EARLY_PLAY_VALUE: Final = 0.15
"""The additional value of playing a card now instead of later, since other cards can then follow it."""
MIN_PLAY_PROBABILITY: Final = 0.7
"""The minimum probability that a card joins a system. With a lower probability, the policy does not play the card."""
MAX_PAIRED_HINTS: Final = 5
"""The number of hints from which the policy forms pairs. These are the hints with the highest values on their own."""
PROMISE_CONFIDENCE: Final = 0.93
"""The confidence, from 0 to 1, that a promise is true. It is below 1 because the player who made the promise doesn't
see their own cards."""
USEFULNESS_CONFIDENCE: Final = 0.9
"""The confidence, from 0 to 1, that a card at which a hint has pointed is useful."""
IDENTIFIED_CARD_VALUE: Final = 0.15
"""The value of identifying a useful card about which nothing was known."""
USELESS_CARD_WEIGHT: Final = 0.4
"""The factor by which the value of identifying a card is lower if the card is useless. The holder can then only discard
it."""
NEVER: Final = float("-inf")
"""The value of a move that the policy does not make in this position."""


@dataclass(frozen=True)
class Beliefs:
    """What a seat knows about the table (`view`), and how it interprets its own hand (`own_hand`)."""

    view: SeatView
    own_hand: Interpretation

    @cached_property
    def future_value(self) -> float:
        """The points expected from the other seats' next moves if this seat's move does not change the table."""
        return future_value(self.view)

    def face_probabilities(self, slot: int) -> list[tuple[str, float]]:
        """The faces that the card in `slot` of the seat's own hand can have, each with its probability."""
        copies = self.view.unaccounted[self.view.seat]
        believed = self.own_hand.believed[slot]
        counts = [(face, copies[catalog().cards[face].face_index]) for face in catalog().faces if face in believed]
        total = sum(count for _, count in counts)
        return [(face, count / total) for face, count in counts if count]

    def expected_loss(self, slot: int) -> float:
        """The expected cost of losing the card in `slot` of the seat's own hand."""
        if self.view.is_last_round or self.is_duplicate(slot):
            return 0.0
        return sum(probability * loss(self.view, face) for face, probability in self.face_probabilities(slot))

    def is_duplicate(self, slot: int) -> bool:
        """Whether the card in `slot` of the seat's own hand is certain to have the same face as another card in this
        hand."""
        possible = self.own_hand.possible
        return len(possible[slot]) == 1 and possible.count(possible[slot]) > 1

    @cached_property
    def future_value_after_discard(self) -> float:
        """The points expected from the other seats' next moves after this seat has discarded a card. They are the same
        for every card that this seat may discard."""
        return future_value(self.view.with_card_replaced(self.view.seat, 0).with_specifications_added(1))

    def play_value(self, slot: int) -> float:
        """The value of playing the card in `slot` of the seat's own hand. NEVER if the card joins a system with a
        probability below MIN_PLAY_PROBABILITY."""
        view, after = self.view, self.view.with_card_replaced(self.view.seat, slot)
        playable = [(face, probability) for face, probability in self.face_probabilities(slot) if face in view.playable]
        success = sum(probability for _, probability in playable)
        if success < MIN_PLAY_PROBABILITY:
            return NEVER
        confidence = self.confidence(slot)
        value = sum(
            probability * (play_gain(face) + future_value(after.with_system_card(face)))
            for face, probability in playable
        )
        error_value = self.future_value - ERROR_COST - self.expected_loss(slot)
        return confidence * value + (1 - confidence * success) * error_value

    def confidence(self, slot: int) -> float:
        """The confidence, from 0 to 1, that the card in `slot` of the seat's own hand is what the seat believes it to
        be."""
        if self.own_hand.possible[slot] == self.own_hand.believed[slot]:
            return 1.0
        return PROMISE_CONFIDENCE if slot in self.own_hand.promised else USEFULNESS_CONFIDENCE

    def playable_slots(self) -> list[int]:
        """The slots of the seat's own cards that the seat believes to be playable. The card that the seat would play
        next comes first. If several cards might have the same face, only the first is included."""
        slots, used_faces = list[int](), frozenset[str]()
        for slot in sorted(range(len(self.own_hand.believed)), key=lambda slot: slot != self.own_hand.next_play):
            believed = self.own_hand.believed[slot]
            if believed and believed <= self.view.playable and not believed & used_faces:
                slots.append(slot)
                used_faces |= believed
        return slots

    @cached_property
    def best_hints(self) -> tuple[Hint, ...]:
        """The hints with the highest values on their own, best first. There are at most MAX_PAIRED_HINTS, because no
        others are tried in pairs."""
        values = {hint: self.hints_value((hint,), 0) for hint in self._possible_hints()}
        return tuple(sorted(values, key=lambda hint: -values[hint])[:MAX_PAIRED_HINTS])

    def hints_value(self, hints: Sequence[Hint], specifications: int) -> float:
        """The value of giving `hints`. `specifications`: the number of specification cards that this turns face down.
        NEVER if a target's hand has unseen cards, because the policy can't know which unseen cards a hint would point
        at."""
        after = self.view.with_specifications_added(-specifications)
        for hint in hints:
            if UNSEEN in after.faces[hint.target]:
                return NEVER
            after = after.with_hint(hint)
        targets = {hint.target for hint in hints}
        return future_value(after) + sum(_information_value(self.view, after, target) for target in targets)

    def _possible_hints(self) -> Iterator[Hint]:
        for seat in self.view.others:
            hint_values = [catalog().hint_values[face] for face in self.view.faces[seat]]
            for color in catalog().colors:
                if any(color in values for values in hint_values):
                    yield Hint(target=Seat(seat), color=Color(color))
            for rank in RANKS:
                if any(rank in values for values in hint_values):
                    yield Hint(target=Seat(seat), rank=rank)


def play_gain(face: str) -> float:
    """The gain, in points, from adding a playable card to its system now. It includes a bonus for an early play and, if
    the card completes the system, the value of a specification card."""
    completes_system = catalog().cards[face].rank == HIGHEST_RANK
    return 1.0 + EARLY_PLAY_VALUE + (SPECIFICATION_VALUE if completes_system else 0.0)


def _information_value(before: SeatView, after: SeatView, target: int) -> float:
    """The value of what `target` learns about its own hand between two views. The moves that follow are not taken into
    account."""
    if before.is_last_round:
        return 0.0
    old = narrowed_faces(before.knowledge[target], before.unaccounted[target])
    new = narrowed_faces(after.knowledge[target], before.unaccounted[target])
    useful = before.useful
    return IDENTIFIED_CARD_VALUE * sum(
        (1.0 if face in useful else USELESS_CARD_WEIGHT) * (1 - len(narrower) / len(faces))
        for face, faces, narrower in zip(before.faces[target], old, new, strict=True)
        if narrower is not faces and faces
    )
