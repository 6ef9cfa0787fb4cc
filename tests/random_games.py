"""Plays random games, for tests that apply to every game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from companion.games.game import Game
from companion.games.rules import HOUSE, Move, State, play
from companion.match.chance_player import ChancePlayer
from tests.repetitions import is_thorough


def fewest_and_most_seats(game: Game[Any]) -> set[int]:
    """The smallest and the largest number of seats of a game."""
    return {game.rules.seats[0], game.rules.seats[-1]}


LONG = {"commute": {"rounds": "1"}}
"""The options of games that take long at random. A random game of Commute with five players has 14,000 positions."""


def options(name: str) -> Mapping[str, Any]:
    """The options with which a game is played at random: those of a usual game with --thorough, otherwise those of a
    short one."""
    return {} if is_thorough() else LONG.get(name, {})


def random_game(game: Game[Any], seats: int, seed: int) -> Iterator[tuple[State, Move | None]]:
    """Yields each position of a random game with the move that is made in it; the move is None at the end."""
    start, rng, ply = game.rules.begin(seats, options(game.name)), Random(seed), 0
    state, house = start.state, ChancePlayer(f"{seed}", start.script)
    while state.turn is not None and not game.playouts.is_stuck(state):
        move = house.next_move(state, ply) if state.turn == HOUSE else rng.choice(list(state.legal_moves()))
        yield state, move
        state, ply = play(state, move), ply + 1
    yield state, None
