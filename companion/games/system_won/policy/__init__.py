"""The policies of System WON: a careful one, which looks ahead, and a simple one."""

from __future__ import annotations

from companion.games.game import GamePolicies, choose_at_random
from companion.games.system_won.policy.careful_policy import choose_carefully
from companion.games.system_won.policy.simple_policy import choose_simply
from companion.games.system_won.position import Position
from companion.text.messages import Text, _


def companion_problem(position: Position) -> Text | None:
    """The reason why the companion can't play in this position. None if it can. It can't while a hand contains a card
    that nobody has shown to the camera. Everyone else at the table sees this card and would have to state its face by
    the rules, so the companion would have to guess."""
    if not position.unseen_in_hands:
        return None
    return _("The companion only plays while every card in a hand is known. Show drawn cards to the camera.")


POLICIES: GamePolicies[Position] = GamePolicies(
    by_name={"random": choose_at_random, "careful": choose_carefully, "simple": choose_simply},
    companion_problem=companion_problem,
)
