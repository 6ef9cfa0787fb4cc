"""What `tablekeeper simulate` measures in Traffic Congestion."""

from __future__ import annotations

from companion.games.game import GamePlayouts
from companion.games.traffic_congestion.legality import is_gridlocked
from companion.games.traffic_congestion.position import Position


def outcome(position: Position) -> dict[str, bool | float | str]:
    """The figures of a finished game: its winner and the number of turns."""
    return {"winner": _winner(position), "turns": position.turns_taken}


def _winner(position: Position) -> str:
    if position.winner is None:
        return "nobody (gridlock)" if is_gridlocked(position) else "nobody yet"
    return f"seat {position.winner} ({position.colors[position.winner]})"


PLAYOUTS: GamePlayouts[Position] = GamePlayouts(
    outcome=outcome,
    is_stuck=is_gridlocked,
)
