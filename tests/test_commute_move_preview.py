"""The preview of a journey is the same as its result."""

from __future__ import annotations

import pytest

from companion.games.commute.display_names import more_minutes
from companion.games.commute.log_lines import log_line
from companion.games.commute.move_preview import landing_after
from companion.games.commute.moves import Bump, Travel
from companion.games.rules import REFEREE, play
from tests.commute_positions import random_game


@pytest.mark.parametrize("unseen", [0.0, 0.4])
def test_a_journey_brings_what_its_preview_says(unseen: float) -> None:
    """For every journey that a seat may make, the minutes, the arrival and the bumped player are as previewed from the
    position as the seat knows it."""
    journeys = 0
    for state, _ in random_game(3, "foresight", unseen=unseen, rounds=1)[::2]:
        for move in state.legal_moves():
            if not isinstance(move, Travel | Bump):
                continue
            journeys += 1
            piece = state.bump.target if state.bump else move.seat
            landing, after = landing_after(state.as_known_to(move.seat), move), play(state, move)
            if len(after.results) > len(state.results):
                assert landing.minutes == after.results[-1].minutes[piece]
                assert landing.arrives
                continue
            assert (landing.minutes, landing.arrives) == (after.minutes[piece], after.arrived[piece])
            assert landing.minutes == state.minutes[piece] + landing.added_minutes
            assert landing.bumped == (after.bump.target if after.bump else None)
            assert landing.uh_oh == (len(after.uh_oh.queue) > len(state.uh_oh.queue))
    assert journeys > 100


def test_the_log_gives_the_minutes_of_the_preview() -> None:
    """The sheet of a move and the log give the same number of minutes: the sum for the card, the space and the metro
    lines."""
    amounts, names = set(), ("Ann", "Bob", "Cid")
    for state, _ in random_game(3, "foresight", rounds=1):
        for move in state.legal_moves():
            if isinstance(move, Travel | Bump):
                landing = landing_after(state.as_known_to(move.seat), move)
                line = log_line(state, move, play(state, move), REFEREE, names)
                if isinstance(move, Travel) or landing.added_minutes:
                    assert f" {more_minutes(landing.added_minutes)!s}" in str(line)
                amounts.add(landing.added_minutes)
    assert min(amounts) < 0 < max(amounts)


@pytest.mark.parametrize("unseen", [0.0, 0.4])
def test_a_seat_can_work_out_its_legal_moves(unseen: float) -> None:
    """The position as the seat in turn knows it has the same legal moves as the full position."""
    for state, _ in random_game(3, "restored", unseen=unseen, rounds=1)[::3]:
        if isinstance(state.turn, int):
            assert list(state.as_known_to(state.turn).legal_moves()) == list(state.legal_moves())
