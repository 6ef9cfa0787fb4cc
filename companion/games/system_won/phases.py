"""The phases of a game of System WON: one turn after another, the last round, and the end.

Law: pure.
"""

from __future__ import annotations

from functools import cache

from companion.games.rules import Seat
from companion.games.system_won.position import P, Position
from companion.games.system_won.upcoming_turns import UpcomingTurns


def advance(position: P) -> P:
    """Passes the turn to the next player if this turn's move has been made and all its cards have been drawn. Otherwise
    returns the position unchanged."""
    if position.is_over or position.pending_draws or position.is_recycling or not position.has_moved:
        return position
    return _pass_turn(position)


def _pass_turn(position: P) -> P:
    """The position at the start of the next turn. Extra turns come first. After them, the regular turns continue as if
    there had been no extra turns."""
    coming = position.upcoming_turns
    if coming.extra_turns:
        player, *others = coming.extra_turns
        return position.replace(
            active_player=player,
            upcoming_turns=coming.replace(extra_turns=tuple(others)),
            is_extra_turn=True,
            has_moved=False,
        )
    left = coming.regular_turns_left
    if left is not None:
        left -= 1 + coming.skip_count
        if left < 0:
            return end_game(position)
    player = Seat((coming.next_regular_player + coming.skip_count) % len(position.hands))
    return position.replace(
        active_player=player,
        upcoming_turns=_regular_turns(_left_neighbor(position, player), left),
        is_extra_turn=False,
        has_moved=False,
    )


@cache
def _regular_turns(next_player: Seat, left: int | None) -> UpcomingTurns:
    return UpcomingTurns(next_player, regular_turns_left=left)


def _left_neighbor(position: Position, seat: Seat) -> Seat:
    """The seat to the left of `seat`. Turns pass to the left."""
    return Seat((seat + 1) % len(position.hands))


def end_game(position: P) -> P:
    """The position at the end of the game, without pending draws or turns."""
    coming = position.upcoming_turns.replace(extra_turns=(), skip_count=0)
    return position.replace(is_over=True, pending_draws=(), upcoming_turns=coming)


def start_last_round(position: P) -> P:
    """Starts the last round, in which each player has one more turn, if the deck is empty. Returns the position
    unchanged if the deck has cards or the last round has already begun.

    If the present turn is a regular one and its move has not been made yet, it is the first turn of the last round.
    Otherwise, the last round begins with the next regular turn.
    """
    coming = position.upcoming_turns
    if position.deck_size or coming.regular_turns_left is not None:
        return position
    counts_this_turn = not (position.has_moved or position.is_extra_turn)
    return position.replace(upcoming_turns=coming.replace(regular_turns_left=len(position.hands) - counts_this_turn))
