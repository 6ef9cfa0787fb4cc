"""The values that the careful policy of System WON assigns to the abilities of its role.

Each role can be used only once, so using an ability now means not using it later. This opportunity cost falls to zero
as the deck runs out. The policy uses an ability only if the gain is larger than this cost. It never uses `Undo`, since
a position doesn't say what the last turn was, or `Skip`, since it takes turns away.

Law: pure. Values are in points.
"""

from __future__ import annotations

from typing import Final

from companion.games.system_won.catalog import catalog
from companion.games.system_won.chance import RECYCLED_CARDS
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
from companion.games.system_won.policy.beliefs import NEVER, SPECIFICATION_VALUE, Beliefs, play_gain
from companion.games.system_won.policy.conventions import interpret_hand
from companion.games.system_won.policy.lookahead import ERROR_COST, FOLLOWING_CARD_LOSS, future_value

MAX_OPPORTUNITY_COST: Final = 0.6
"""The highest opportunity cost of an ability, in points. While the deck is large, an ability must be better than other
moves by this much. The cost falls to 0 as the deck runs out."""
FULL_COST_DECK_SIZE: Final = 10
"""The smallest deck size at which the opportunity cost is highest. In smaller decks, the cost is proportional to the
number of cards."""
EXTRA_CARD_VALUE: Final = 0.5
"""The value, in points, of each card that is added to a deck that is about to run out."""


def ability_value(beliefs: Beliefs, move: Ability) -> float:
    """The value of a turn in which the seat uses an ability. NEVER if the policy does not use this ability in this
    position."""
    view = beliefs.view
    match move:
        case SpecifyTwo(hints=hints) if {*hints} <= {*beliefs.best_hints}:
            return beliefs.hints_value(hints, 0) - _opportunity_cost(beliefs)
        case PlayTwo(slots=slots) if list(slots) == beliefs.playable_slots()[:2]:
            return beliefs.play_value(slots[0]) + beliefs.confidence(slots[1]) - _opportunity_cost(beliefs)
        case PlayFromDiscard(card=card) if card in view.playable:
            return _recovery_value(beliefs, card)
        case PlayFromErrors(card=card) if card in view.playable:
            return _recovery_value(beliefs, card) + ERROR_COST
        case Recycle() if view.deck_size <= len(view.knowledge):
            return beliefs.future_value + EXTRA_CARD_VALUE * RECYCLED_CARDS - _opportunity_cost(beliefs)
    return NEVER


def free_ability_gain(beliefs: Beliefs, move: Ability) -> float:
    """The gain from using an ability that takes no turn, compared with saving the ability. NEVER if the policy does not
    use this ability in this position."""
    view = beliefs.view
    match move:
        case Restore() if not view.specifications and view.deck_size <= len(view.knowledge):
            return SPECIFICATION_VALUE
        case PlayOther(target=target, slot=slot) if (face := view.faces[target][slot]) in view.playable:
            after = view.with_card_replaced(target, slot).with_system_card(face)
            return play_gain(face) + future_value(after) - beliefs.future_value - _opportunity_cost(beliefs)
        case ExtraTurn(target=target) if view.is_last_round:
            return _unused_plays(beliefs, target)
    return NEVER


def _opportunity_cost(beliefs: Beliefs) -> float:
    return MAX_OPPORTUNITY_COST * min(1.0, beliefs.view.deck_size / FULL_COST_DECK_SIZE)


def _recovery_value(beliefs: Beliefs, card: str) -> float:
    """The value of playing a card from the discard pile or the error pile. The play may make higher cards of the suit
    useful again."""
    view, index = beliefs.view, catalog().cards[card].face_index
    removed = tuple(count - (n == index) for n, count in enumerate(view.removed))
    after = view.replace(removed=removed).with_system_card(card)
    useful_again = len(after.useful - view.useful)
    return play_gain(card) + FOLLOWING_CARD_LOSS * useful_again + future_value(after) - _opportunity_cost(beliefs)


def _unused_plays(beliefs: Beliefs, target: int) -> float:
    """The number of cards that `target` could still play but for which it has no turn."""
    view = beliefs.view
    if target == view.seat:
        return len(beliefs.playable_slots()) - 1.0
    slot = interpret_hand(view, target).next_play
    is_playable = slot is not None and view.faces[target][slot] in view.playable
    return float(is_playable and target not in view.others)
