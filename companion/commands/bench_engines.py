"""The benchmark of the rules engines for `tablekeeper bench`: a move of each game, against a move in the Hanabi
Learning Environment, which is written in C++ and called from Python. Random players play whole games of two seats.

The games differ in how many moves are the house's, which take less time, and in how much a player may do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from random import Random
from statistics import median

from companion.commands import CommandError
from companion.commands.benchmark_comparison import Comparison
from companion.games import GAMES
from companion.playouts.series import Series

SEATS = 2
SECONDS, QUICK_SECONDS = 2.0, 0.2
"""How long an engine plays in a round, in seconds of processor time."""
ROUNDS, QUICK_ROUNDS = 5, 3
PEER = "the Hanabi Learning Environment"
INSTALL = "CMAKE_POLICY_VERSION_MINIMUM=3.5 pip install 'tablekeeper[peers]'"
"""CMake 4 accepts the project's old CMakeLists only with this variable."""

PlayGame = Callable[[int], int]
"""Plays the game with a number, and returns how many moves it had, including those of the house."""


def is_peer_installed() -> bool:
    """Whether the Hanabi Learning Environment is installed."""
    return find_spec("hanabi_learning_environment") is not None


def engines_benchmark(quick: bool) -> Iterator[Comparison]:
    """Yields a comparison for each game: the processor time for a move, including what the player may know of the
    position. All engines play in turn; the medians of all rounds are compared. Raises CommandError if the peer is not
    installed."""
    if not is_peer_installed():
        raise CommandError(f"This compares with {PEER}; install it with: {INSTALL}")
    engines = {PEER: _hanabi()} | {name: _engine(name) for name in GAMES}
    times: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(QUICK_ROUNDS if quick else ROUNDS):
        for name, play_game in engines.items():
            times[name].append(_move_ms(play_game, QUICK_SECONDS if quick else SECONDS))
    peer_ms = median(times.pop(PEER))
    for name, each in times.items():
        ours_ms = median(each)
        what = f"{name}, {SEATS} seats: a move"
        yield Comparison(what, round(ours_ms, 5), PEER, round(peer_ms, 5), round(ours_ms / peer_ms, 3))


def _move_ms(play_game: PlayGame, seconds: float) -> float:
    """The mean processor time for a move, in milliseconds. Plays whole games for `seconds`."""
    moves, number, start = 0, 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        moves += play_game(number)
        number += 1
    return spent * 1e3 / moves


def _engine(name: str) -> PlayGame:
    """Our engine of a game, with its usual options."""
    game = GAMES[name]
    series = Series.of(game, SEATS, game.rules.resolve_setup({}), ("random",), "bench")
    return lambda number: series.play([number])[0].moves


def _hanabi() -> PlayGame:
    """The Hanabi Learning Environment. Before each move, it makes the observation of the player whose turn it is."""
    from hanabi_learning_environment import pyhanabi

    game = pyhanabi.HanabiGame({"players": SEATS})

    def play_game(number: int) -> int:
        state, rng, moves = game.new_initial_state(), Random(number), 0
        while not state.is_terminal():
            moves += 1
            if state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
                state.deal_random_card()
                continue
            state.observation(state.cur_player())
            state.apply_move(rng.choice(state.legal_moves()))
        return moves

    return play_game
