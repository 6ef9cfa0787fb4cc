"""Whose turn comes next, and when it ends.

Law: pure. `settle` passes the turn once its move is made and the house has drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.rules import Seat

if TYPE_CHECKING:
    from companion.games.system_won.rules import State


def settle(state: State) -> State:
    """Runs on to the next thing that waits for somebody."""
    if state.over or state.dealing or state.recycling or not state.acted:
        return state
    return _pass_turn(state)


def _pass_turn(state: State) -> State:
    """Extra turns come "right after the current turn, then play goes on as it would have"."""
    if state.extra:
        return state.but(player=state.extra[0], extra=state.extra[1:], on_top=True, acted=False)
    left = state.last_turns
    if left is not None:
        left -= 1 + state.skip
        if left < 0:
            return finish(state)
    player = (state.following + state.skip) % len(state.hands)
    return state.but(
        player=Seat(player), following=_after(state, player), last_turns=left, skip=0, on_top=False, acted=False
    )


def _after(state: State, seat: int) -> Seat:
    """ "Play continues to the left." """
    return Seat((seat + 1) % len(state.hands))


def finish(state: State) -> State:
    """Nothing follows: no card is drawn, no turn is pending."""
    return state.but(over=True, dealing=(), extra=(), skip=0)


def count_down(state: State) -> State:
    """ "If a player takes the last card from the pile: each player plays one more time." The round begins with the seat
    that play goes on to: with the turn in progress, if that is a regular one whose move is still to come."""
    if state.deck or state.last_turns is not None:
        return state
    in_progress = not (state.acted or state.on_top)
    return state.but(last_turns=len(state.hands) - in_progress)
