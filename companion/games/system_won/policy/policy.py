"""A careful player of System WON, for simulation; it knows the seat's view and nothing else.

Every move is weighed by what it brings at once and by what the others will then do before the next turn, as far as
that can be foreseen: a specification is good if it lets somebody play, or keeps somebody from an error or from
discarding a precious card. What specifications mean is in `conventions`. Weights are in points.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from companion.games.rules import Move, Seat
from companion.games.system_won.catalog import catalog
from companion.games.system_won.moves import Ability, Discard, Play, Specify
from companion.games.system_won.policy.abilities import weigh_ability, windfall
from companion.games.system_won.policy.beliefs import NEVER, SPECIFICATION, Mind
from companion.games.system_won.policy.conventions import is_pointed_at, oldest_blank, read_hand
from companion.games.system_won.policy.seat_view import Seen

OVERFLOW: Final = 0.3
"""A discard that restores nothing, and how much cheaper a specification is then."""
POINTED_AT: Final = 2.0
"""How much more it costs to discard a card that somebody thought worth a specification."""
NEWER: Final = 1.5
"""The same of a blank card that is not the oldest: nobody had the time to speak of it."""
SHORT: Final = 0.4
"""A discard when each card of the deck is needed for a play."""


def careful(view: dict[str, Any], seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The move that weighs most, the first of equals; before it, an ability that gains something without a turn."""
    seen = Seen.of(view, seat)
    mind = Mind(seen, read_hand(seen, seat))
    gains = {move: windfall(mind, move) for move in legal if isinstance(move, Ability) and move.ANY_TIME}
    if any(gain > 0 for gain in gains.values()):
        return max(gains, key=gains.__getitem__)
    return max(legal, key=lambda move: weigh(mind, move))


def weigh(mind: Mind, move: Move) -> float:
    """What a turn's move is worth, with what comes of it."""
    match move:
        case Play(slot=slot):
            return mind.played(slot) if mind.reading.next in (slot, None) else NEVER
        case Discard(slot=slot):
            return _discard(mind, slot)
        case Specify():
            cheaper = OVERFLOW if mind.seen.specifications == catalog().specifications else 0.0
            return mind.told((move,), 1) - SPECIFICATION + cheaper
        case Ability():
            return weigh_ability(mind, move)
    return NEVER


def _discard(mind: Mind, slot: int) -> float:
    seen = mind.seen
    marks, cost = seen.marks[seen.seat], mind.expected_loss(slot)
    if slot != oldest_blank(marks):
        cost *= POINTED_AT if is_pointed_at(marks[slot]) else NEWER
    if not seen.last_round and seen.deck + len(seen.marks) - 1 - len(seen.useful) <= 1:
        cost += SHORT
    restored = SPECIFICATION if seen.specifications < catalog().specifications else -OVERFLOW
    return restored - cost + mind.outlook_after_discard
