"""When a careful player of System WON uses the role's ability. Each is used once, so while the deck lasts it must bring
more than its price.

An undo is never used: a view does not tell what was done. Nor is a skip: it takes turns away.

Law: pure. Weights are in points.
"""

from __future__ import annotations

from typing import Final

from companion.games.system_won.catalog import catalog
from companion.games.system_won.moves import (
    Ability,
    ExtraTurn,
    PlayFromDiscard,
    PlayFromErrors,
    PlayOther,
    PlayTwo,
    Recycle,
    Restore,
    SpecifyTwo,
)
from companion.games.system_won.policy.beliefs import NEVER, SPECIFICATION, Mind, gain
from companion.games.system_won.policy.conventions import read_hand
from companion.games.system_won.policy.lookahead import ABOVE, ERROR, outlook

PRICE: Final = 0.6
"""What an ability must bring more than other moves at the start of the game; nothing in the last round."""
LONGER: Final = 0.5
"""A card more to draw, as the deck runs out."""
RECYCLED: Final = 2


def weigh_ability(mind: Mind, move: Ability) -> float:
    """What an ability is worth that is used as a turn."""
    seen = mind.seen
    match move:
        case SpecifyTwo(hints=hints) if {*hints} <= {*mind.best_hints}:
            return mind.told(hints, 0) - _price(mind)
        case PlayTwo(slots=slots) if list(slots) == mind.ready()[:2]:
            return mind.played(slots[0]) + mind.trust(slots[1]) - _price(mind)
        case PlayFromDiscard(card=card) if card in seen.playable:
            return _recovered(mind, card)
        case PlayFromErrors(card=card) if card in seen.playable:
            return _recovered(mind, card) + ERROR
        case Recycle() if seen.deck <= len(seen.marks):
            return mind.outlook + LONGER * RECYCLED - _price(mind)
    return NEVER


def windfall(mind: Mind, move: Ability) -> float:
    """What an ability gains that takes no turn; it is used if that is more than nothing."""
    seen = mind.seen
    match move:
        case Restore() if not seen.specifications and seen.deck <= len(seen.marks):
            return SPECIFICATION
        case PlayOther(target=target, slot=slot) if (face := seen.faces[target][slot]) in seen.playable:
            after = seen.with_draw(target, slot).with_played(face)
            return gain(face) + outlook(after) - mind.outlook - _price(mind)
        case ExtraTurn(target=target) if seen.last_round:
            return _idle_plays(mind, target)
    return NEVER


def _price(mind: Mind) -> float:
    return PRICE * min(1.0, mind.seen.deck / 10)


def _recovered(mind: Mind, card: str) -> float:
    """What comes of playing a card from a pile: it, and what lay out of reach above it."""
    seen, number = mind.seen, catalog().cards[card].number
    gone = tuple(count - (n == number) for n, count in enumerate(seen.gone))
    after = seen.but(gone=gone).with_played(card)
    above = len(after.useful - seen.useful)
    return gain(card) + ABOVE * above + outlook(after) - _price(mind)


def _idle_plays(mind: Mind, target: int) -> float:
    """How many cards a seat could still play for which it has no turn."""
    seen = mind.seen
    if target == seen.seat:
        return len(mind.ready()) - 1.0
    slot = read_hand(seen, target).next
    fits = slot is not None and seen.faces[target][slot] in seen.playable
    return float(fits and target not in seen.others)
