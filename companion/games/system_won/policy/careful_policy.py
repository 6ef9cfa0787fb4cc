"""The careful policy of System WON, for playouts.

The value of a move is its immediate value plus the value of the other seats' expected moves until the seat's next turn.
So a hint is good if it lets somebody play, or prevents an error or the discard of a valuable card. `conventions` says
what hints mean.

Law: pure. A seat's moves depend only on the position as that seat knows it. Values are in points.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from companion.games.rules import Move, Seat
from companion.games.system_won.catalog import catalog
from companion.games.system_won.moves import Ability, Discard, Play, Specify
from companion.games.system_won.policy.ability_values import ability_value, free_ability_gain
from companion.games.system_won.policy.beliefs import NEVER, SPECIFICATION_VALUE, Beliefs
from companion.games.system_won.policy.conventions import interpret_hand, is_pointed_at, next_discard
from companion.games.system_won.policy.seat_view import SeatView
from companion.games.system_won.position import Position

FULL_SPECIFICATIONS_VALUE: Final = 0.3
"""The cost of a discard, and the bonus for a hint, if all specification cards are face up. A discard then can't turn
another one face up."""
POINTED_AT_FACTOR: Final = 2.0
"""The factor by which the cost of discarding a card is multiplied if a hint has pointed at the card."""
NEWER_CARD_FACTOR: Final = 1.5
"""The factor by which the cost of discarding a card is multiplied if no hint has pointed at this card or at an older
one. Perhaps nobody has had time to give a hint about the card."""
SHORT_DECK_COST: Final = 0.4
"""The cost of a discard if every card in the deck is needed for a play."""


def choose_carefully(known: Position, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The move of the careful policy. If any ability that takes no turn has a gain above 0, the policy uses the one
    with the largest gain. Otherwise, it makes the first move that has the highest value."""
    view = SeatView.of(known, seat)
    beliefs = Beliefs(view, interpret_hand(view, seat))
    gains = {move: free_ability_gain(beliefs, move) for move in legal if isinstance(move, Ability) and move.ANY_TIME}
    if any(gain > 0 for gain in gains.values()):
        return max(gains, key=gains.__getitem__)
    return max(legal, key=lambda move: move_value(beliefs, move))


def move_value(beliefs: Beliefs, move: Move) -> float:
    """The value of a move that takes a turn. NEVER if the policy does not make this move in this position."""
    match move:
        case Play(slot=slot):
            return beliefs.play_value(slot) if beliefs.own_hand.next_play in (slot, None) else NEVER
        case Discard(slot=slot):
            return _discard_value(beliefs, slot)
        case Specify():
            is_full = beliefs.view.specifications == catalog().specifications
            bonus = FULL_SPECIFICATIONS_VALUE if is_full else 0.0
            return beliefs.hints_value((move,), 1) - SPECIFICATION_VALUE + bonus
        case Ability():
            return ability_value(beliefs, move)
    return NEVER


def _discard_value(beliefs: Beliefs, slot: int) -> float:
    view = beliefs.view
    knowledge, cost = view.knowledge[view.seat], beliefs.expected_loss(slot)
    if slot != next_discard(knowledge):
        cost *= POINTED_AT_FACTOR if is_pointed_at(knowledge[slot]) else NEWER_CARD_FACTOR
    if not view.is_last_round and view.deck_size + len(view.knowledge) - 1 - len(view.useful) <= 1:
        cost += SHORT_DECK_COST
    is_full = view.specifications == catalog().specifications
    restored = -FULL_SPECIFICATIONS_VALUE if is_full else SPECIFICATION_VALUE
    return restored - cost + beliefs.future_value_after_discard
