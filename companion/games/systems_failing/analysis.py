"""What `tablekeeper simulate` measures in Systems Failing, and the policies that play this game."""

from __future__ import annotations

from companion.games.game import GameAnalysis, choose_at_random
from companion.games.systems_failing.policy import choose_carefully
from companion.games.systems_failing.position import Position


def outcome(position: Position) -> dict[str, bool | float | str]:
    """The figures of one finished game: whether it was won, why it ended, and the number of its last round."""
    return {"won": position.is_won, "cause": position.end_cause or "", "rounds": position.round}


ANALYSIS: GameAnalysis[Position] = GameAnalysis(
    outcome=outcome,
    policies={"random": choose_at_random, "careful": choose_carefully},
)
