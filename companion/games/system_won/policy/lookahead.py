"""The value, in points, of the moves that the other seats are expected to make before a seat's next turn.

The lookahead assumes that the other seats follow the same conventions. About their own cards, it assumes that they know
only what this seat can be sure they know.

Law: pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from companion.games.rules import UNSEEN
from companion.games.system_won.catalog import catalog
from companion.games.system_won.policy.conventions import interpret_hand, next_discard
from companion.games.system_won.policy.seat_view import SeatView
from companion.games.system_won.possible_faces import Faces

ERROR_COST: Final = 1.0
"""The cost of a card on the error pile. Each such card subtracts a point from the score."""
LATER_PLAY_WEIGHT: Final = 0.5
"""The weight of a play after a seat's next turn. It is below 1 because somebody may give more information before that
play."""
MAX_LATER_PLAYS: Final = 2
"""The maximum number of plays after the next turn that are counted for each hand."""
FOLLOWING_CARD_LOSS: Final = 0.6
"""The additional cost of losing the last copy of a card, for each useful card above it. It is less than a point because
that useful card might not have been played anyway."""
SPARE_CARD_LOSS: Final = 0.25
"""The cost of losing a card if one other copy is left. If more copies are left, the cost is divided by their number."""
VISIBLE_SPARE_LOSS: Final = 0.05
"""The cost of losing a card if another copy is visible in a hand."""
DISCARD_PROBABILITIES: Final = (1.0, 0.5, 0.5)
"""The probabilities that a seat without a play discards. The index is the number of specification cards face up."""
LOW_DISCARD_PROBABILITY: Final = 0.2
"""The probability that a seat without a play discards if more specification cards are face up than
DISCARD_PROBABILITIES covers."""


def future_value(view: SeatView) -> float:
    """The points expected from the other seats' next turns, and from the cards that these seats can still play in later
    turns."""
    value = 0.0
    for seat in view.others:
        gain, view = _expected_turn(view, seat)
        value += gain
    if view.turns_left is None:
        for seat in view.others:
            gain, view = _expected_later_plays(view, seat)
            value += LATER_PLAY_WEIGHT * gain
    return value


def loss(view: SeatView, face: str) -> float:
    """The cost, in points, of losing a copy of `face`. 0 if the face can no longer join a system."""
    useful = view.useful
    if face not in useful:
        return 0.0
    copies = view.copies_left(face)
    if copies == 1:
        return 1.0 + FOLLOWING_CARD_LOSS * _useful_cards_above(useful, face)
    return VISIBLE_SPARE_LOSS if view.copies_in_hands(face) > 1 else SPARE_CARD_LOSS / (copies - 1)


@lru_cache(maxsize=1 << 12)
def _useful_cards_above(useful: Faces, face: str) -> int:
    """The number of useful cards of the same suit above `face`."""
    cards = catalog().cards
    return sum(cards[other].suit == cards[face].suit and cards[other].rank > cards[face].rank for other in useful)


def _expected_turn(view: SeatView, seat: int) -> tuple[float, SeatView]:
    """The points expected from a seat's next turn, and the table after this turn."""
    slot = interpret_hand(view, seat).next_play
    if slot is not None:
        return _expected_play(view, seat, slot)
    discard = next_discard(view.knowledge[seat])
    face = UNSEEN if discard is None else view.faces[seat][discard]
    risk = 0.0 if face == UNSEEN or view.is_last_round else loss(view, face)
    ready = view.specifications
    probability = DISCARD_PROBABILITIES[ready] if ready < len(DISCARD_PROBABILITIES) else LOW_DISCARD_PROBABILITY
    return -risk * probability, view.with_specifications_added(-1 if ready else 1)


def _expected_play(view: SeatView, seat: int, slot: int) -> tuple[float, SeatView]:
    """The points from playing the card in a slot, and the table after this play."""
    face, after = view.faces[seat][slot], view.with_card_replaced(seat, slot)
    if face == UNSEEN:
        return 0.0, after
    if face in view.playable:
        return 1.0, after.with_system_card(face)
    return -ERROR_COST - loss(view, face), after


def _expected_later_plays(view: SeatView, seat: int) -> tuple[float, SeatView]:
    """The points expected from a seat's plays after its next turn if nobody gives more information, and the table after
    these plays."""
    value = 0.0
    for _ in range(MAX_LATER_PLAYS):
        slot = interpret_hand(view, seat).next_play
        if slot is None:
            break
        gain, view = _expected_play(view, seat, slot)
        value += gain
    return value, view
