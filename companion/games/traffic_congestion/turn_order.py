"""How the game goes on after a move: somebody has won, or the turn passes.

Law: pure.
"""

from __future__ import annotations

from dataclasses import replace

from companion.games.rules import Seat
from companion.games.traffic_congestion.position import CARS_TO_WIN, P, Position


def advance(position: P) -> P:
    """The position at the next turn, or at the end of the game."""
    return replace(
        position,
        active_player=Seat((position.active_player + 1) % len(position.colors)),
        winner=_winner(position),
        turns_taken=position.turns_taken + 1,
    )


def _winner(position: Position) -> Seat | None:
    """The first seat in turn order, from the active player on, with enough cars home: one exit may score for several
    colors at once."""
    seats = len(position.colors)
    in_turn_order = (Seat((position.active_player + step) % seats) for step in range(seats))
    return next((seat for seat in in_turn_order if position.scores[seat] >= CARS_TO_WIN), None)
