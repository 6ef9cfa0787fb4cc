"""What a journey would bring, told before it is made: the same as what it then brings."""

from __future__ import annotations

import json

import pytest

from companion.games.commute.game import GAME
from companion.games.commute.move_preview import foreseen, restored
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.rules import State
from companion.games.rules import Seat, play
from tests.commute_town import random_game


def as_told(state: State, seat: int) -> State:
    """The position made again from the JSON that a seat is told."""
    told = json.loads(json.dumps([state.seen_by(Seat(seat)), GAME.analysis.details(state, Seat(seat))]))
    return restored(*told)


@pytest.mark.parametrize("unseen", [0.0, 0.4])
def test_a_journey_brings_what_was_foreseen(unseen: float) -> None:
    """Minutes, arrival and who must be sent on, for every journey that a seat may make, from what it is told alone."""
    journeys = 0
    for state, _ in random_game(3, "foresight", unseen=unseen, rounds=1)[::2]:
        for move in state.legal_moves():
            if not isinstance(move, Travel | Bump):
                continue
            journeys += 1
            piece = state.bump.target if state.bump else move.seat
            landing, after = foreseen(as_told(state, int(move.seat)), move), play(state, move)
            if len(after.past) > len(state.past):
                assert landing.minutes == after.past[-1].minutes[piece]
                assert landing.arrives
                continue
            assert (landing.minutes, landing.arrives) == (after.minutes[piece], after.arrived[piece])
            assert landing.minutes == state.minutes[piece] + landing.adds
            assert landing.bumps == (after.bump.target if after.bump else None)
            assert landing.uh_oh == (len(after.landed) > len(state.landed))
    assert journeys > 100


def test_who_is_told_knows_what_may_be_done() -> None:
    """The position made again allows a seat the same moves, whoever looks."""
    for state, _ in random_game(3, "restored", rounds=1)[::3]:
        if isinstance(state.turn, int) and not state.question:
            assert list(as_told(state, state.turn).legal_moves()) == list(state.legal_moves())
