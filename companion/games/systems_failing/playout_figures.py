"""What `tablekeeper simulate` measures in Systems Failing."""

from __future__ import annotations

from companion.games.game import GamePlayouts
from companion.games.systems_failing.position import Position


def outcome(position: Position) -> dict[str, bool | float | str]:
    """The figures of a finished game: whether it was won, why it ended, and the number of its last round."""
    return {"won": position.is_won, "cause": position.end_cause or "", "rounds": position.round}


PLAYOUTS: GamePlayouts[Position] = GamePlayouts(
    outcome=outcome,
)
