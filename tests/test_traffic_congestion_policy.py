"""The careful policy of Traffic Congestion: what it values, and that it beats random players."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from companion.games.game import choose_at_random
from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import COLORS
from companion.games.traffic_congestion.board_reader import board_files
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Signal
from companion.games.traffic_congestion.policy import RANDOM_MOVE_RATE, MoveEvaluator, choose_carefully
from companion.games.traffic_congestion.rules import State
from companion.playouts.series import play_out
from tests.traffic_positions import GRID, begin, streets

every_board = pytest.mark.parametrize("board", board_files())


class NeverRandom(Random):
    """A generator with which the policy never makes a random move."""

    def random(self) -> float:
        return max(RANDOM_MOVE_RATE, super().random())


def choice(state: State) -> Move:
    """The policy's move on its turn."""
    assert state.turn is not None
    return choose_carefully(state.as_known_to(state.turn), state.turn, list(state.legal_moves()), NeverRandom(1))


def careful_against_random(board: str, seats: int, seed: int) -> State:
    """A game of one careful player, whose seat depends on the seed, against random players."""
    state, rng = begin(seats, board=board), Random(seed)
    while state.turn is not None and not GAME.playouts.is_stuck(state):
        policy = choose_carefully if state.turn == seed % seats else choose_at_random
        state = state.play(policy(state.as_known_to(state.turn), state.turn, list(state.legal_moves()), rng))
    return state


@every_board
@pytest.mark.parametrize("seats", [2, 4])
def test_it_beats_chance(board: str, seats: int) -> None:
    """The careful policy beats one or three random players from any seat, unless there is a gridlock."""
    winners = Counter(careful_against_random(board, seats, seed).winner == seed % seats for seed in range(8))
    assert winners[True] >= 6


@every_board
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_careful_games_end_soon(board: str, seats: int) -> None:
    """Games between careful players take far fewer turns than random games and reach no gridlock."""
    for seed in range(3):
        state, plies = play_out(GAME, GAME.rules.begin(seats, {"board": board}), choose_carefully, f"{seed}")
        assert isinstance(state, State)
        assert state.winner is not None
        assert plies < 100 * seats


def test_it_sends_its_cars_home() -> None:
    """The policy moves its cars through their exit, which makes room at the entrance."""
    state = streets({"west1>A": "blue blue blue"}, {"west1>A": "A>north1"})
    assert choice(state) == Go(seat=Seat(0), lane=LaneId("west1>A"), then="remove")


def test_it_sets_the_signal_for_a_few_cars() -> None:
    """The policy places a signal once several cars wait in the lane. While only one waits, it first enters another
    car."""
    state = streets({"west1>A": "blue blue blue blue"})
    assert choice(state) == Signal(seat=Seat(0), lane=LaneId("west1>A"), to=LaneId("A>north1"))
    state = streets({"west1>A": "blue"})
    assert choice(state) == Enter(seat=Seat(0), lane=LaneId("west1>A"))


def test_it_does_not_score_for_others() -> None:
    """The policy does not send another player's cars home if it can do something for itself."""
    ways = {"east2>D": "D>south2", "south1>C": "C>A"}
    state = streets({"east2>D": "yellow yellow", "south1>C": "blue blue"}, ways, seats=3)
    chosen = choice(state)
    assert isinstance(chosen, (Go, Enter))
    assert chosen.lane != "east2>D"


@every_board
def test_a_car_is_worth_most_at_home(board: str) -> None:
    """A car is worth 1 in its own exit, nothing in other exits, and something in between in any other lane."""
    position = begin(board=board)
    for color in COLORS:
        evaluator = MoveEvaluator(position, color)
        for lane, colors in position.network.scoring_colors.items():
            assert evaluator.value(color, lane) == (1 if color in colors else 0)
        assert all(0 < evaluator.value(color, lane) < 1 for lane in position.network.signal_targets)


def test_it_plays_on_a_board_of_a_persons_own(tmp_path: Path) -> None:
    """On a user's own board, the policy finds its exits, whatever the gates are called, and makes legal moves."""
    path = tmp_path / "strange.toml"
    path.write_text(GRID.replace('id = "north', 'id = "hill'), "utf-8")
    state, rng = begin(board=str(path)), Random(1)
    assert MoveEvaluator(state, "blue").value("blue", "A>hill1") == 1
    while state.turn is not None and state.turns_taken < 200:
        move = choose_carefully(state.as_known_to(state.turn), state.turn, list(state.legal_moves()), rng)
        assert move in list(state.legal_moves())
        state = state.play(move)
