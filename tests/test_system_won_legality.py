"""The legal moves of System WON are exactly those that no rule refuses."""

from __future__ import annotations

import pytest

from companion.games.rules import HOUSE, Move, Seat
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.legality import refusal
from companion.games.system_won.moves import Color, Discard, Play, Specify
from tests.repetitions import repetitions
from tests.system_won_positions import random_game

SEATS = 3


def every_plain_move(seat: Seat) -> list[Move]:
    """Every hint, discard and play that a seat could submit, and some with slots and ranks that don't exist."""
    hints: list[Move] = []
    for target in map(Seat, range(SEATS)):
        hints += [Specify(seat=seat, target=target, color=Color(color)) for color in catalog().colors]
        hints += [Specify(seat=seat, target=target, rank=rank) for rank in (*RANKS, RANKS[-1] + 1)]
    return hints + [kind(seat=seat, slot=slot) for slot in range(-1, 7) for kind in (Discard, Play)]


@pytest.mark.parametrize("seed", range(repetitions(10)))
def test_legal_moves_are_what_no_rule_refuses(seed: int) -> None:
    """In every position of a game, no rule refuses a legal move, and the rules refuse all others. Checked by brute
    force over all hints, discards and plays."""
    for state in random_game(seed, SEATS):
        if state.turn not in (HOUSE, None):
            legal = {move for move in state.legal_moves() if move.NAME != "ability"}
            assert legal == {move for move in every_plain_move(state.active_player) if refusal(state, move) is None}
