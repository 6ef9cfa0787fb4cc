"""The careful player of Traffic Congestion: from the view alone, and that it beats one who plays at random."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from companion.commands.simulate import play_out
from companion.games.game import choose_at_random
from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.catalog import boards, files
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Signal
from companion.games.traffic_congestion.policy import SIDES, WHIM, careful, worths
from companion.games.traffic_congestion.rules import State
from tests.traffic import GRID, begin, streets

every_board = pytest.mark.parametrize("board", files())


class Sober(Random):
    """A generator that never has a whim."""

    def random(self) -> float:
        return max(WHIM, super().random())


def choice(state: State) -> Move:
    """What it does, told only what JSON can hold."""
    assert state.turn is not None
    return careful(json.loads(json.dumps(state.seen_by(state.turn))), state.turn, list(state.legal_moves()), Sober(1))


def duel(board: str, seats: int, seed: int) -> State:
    """A game of one careful player, in the seat that the seed says, among players at random."""
    state, rng = begin(seats, board=board), Random(seed)
    while state.turn is not None and not GAME.analysis.is_stuck(state):
        policy = careful if state.turn == seed % seats else choose_at_random
        state = state.play(policy(state.seen_by(state.turn), state.turn, list(state.legal_moves()), rng))
    return state


@every_board
@pytest.mark.parametrize("seats", [2, 4])
def test_it_beats_chance(board: str, seats: int) -> None:
    """In any seat, against one and against three; only a gridlock can come between."""
    winners = Counter(duel(board, seats, seed).winner == seed % seats for seed in range(8))
    assert winners[True] >= 6


@every_board
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_careful_games_end_soon(board: str, seats: int) -> None:
    """Among themselves they need far fewer turns than chance does, and do not hold each other up."""
    for seed in range(3):
        state, plies = play_out(GAME, GAME.rules.begin(seats, {"board": board}), careful, f"{seed}")
        assert isinstance(state, State)
        assert state.winner is not None
        assert plies < 100 * seats


def test_it_sends_its_cars_home() -> None:
    """And clears the entrance for more."""
    state = streets({"west1>A": "blue blue blue"}, {"west1>A": "A>north1"})
    assert choice(state) == Go(seat=Seat(0), lane=LaneId("west1>A"), then="remove")


def test_it_sets_the_signal_for_a_few_cars() -> None:
    """Not for one: there it enters another first."""
    state = streets({"west1>A": "blue blue blue blue"})
    assert choice(state) == Signal(seat=Seat(0), lane=LaneId("west1>A"), to=LaneId("A>north1"))
    state = streets({"west1>A": "blue"})
    assert choice(state) == Enter(seat=Seat(0), lane=LaneId("west1>A"))


def test_it_does_not_score_for_others() -> None:
    """Of two signals it goes by that which serves itself."""
    ways = {"east2>D": "D>south2", "south1>C": "C>A"}
    state = streets({"east2>D": "yellow yellow", "south1>C": "blue blue"}, ways, seats=3)
    chosen = choice(state)
    assert isinstance(chosen, (Go, Enter))
    assert chosen.lane != "east2>D"


@every_board
def test_it_knows_home_from_names(board: str) -> None:
    """What it reads off the lanes' names is what the board says: home is worth 1, other exits nothing."""
    roads = begin(board=board).roads
    assert boards()[board].sides == SIDES
    for color in SIDES:
        worth = worths(tuple(roads.lanes), color)
        for lane, colors in roads.goals.items():
            assert worth[lane] == (1 if color in colors else 0)
        assert all(0 < worth[lane] < 1 for lane in roads.turns)


def test_a_strange_board_does_not_stop_it(tmp_path: Path) -> None:
    """It plays legal moves where it doesn't know home either."""
    path = tmp_path / "strange.toml"
    path.write_text(GRID.replace('id = "north', 'id = "hill'), "utf-8")
    state, rng = begin(board=str(path)), Random(1)
    for _ in range(200):
        assert state.turn is not None
        move = careful(state.seen_by(state.turn), state.turn, list(state.legal_moves()), rng)
        assert move in list(state.legal_moves())
        state = state.play(move)
