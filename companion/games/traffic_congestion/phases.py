"""The phases of a game of Traffic Congestion. After each move, either somebody has won or it is the next player's turn.

Law: pure.
"""

from __future__ import annotations

from companion.games.rules import Seat
from companion.games.traffic_congestion.position import CARS_TO_WIN, P, Position


def advance(position: P) -> P:
    """The position at the beginning of the next turn, or at the end of the game."""
    return position.replace(
        active_player=Seat((position.active_player + 1) % len(position.colors)),
        winner=_winner(position),
        turns_taken=position.turns_taken + 1,
    )


def _winner(position: Position) -> Seat | None:
    """The winner: the first seat in turn order, beginning with the active player, that has enough cars home. None if no
    seat has. One move can bring several players enough cars, because an exit may score for several colors."""
    if max(position.scores) < CARS_TO_WIN:
        return None
    seats = len(position.colors)
    in_turn_order = (Seat((position.active_player + step) % seats) for step in range(seats))
    return next((seat for seat in in_turn_order if position.scores[seat] >= CARS_TO_WIN), None)
