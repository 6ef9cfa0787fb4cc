"""A series of playouts: the same game, played many times by the same policies.

Law: pure, apart from the random numbers that policies draw. A playout depends only on the series and on the playout's
number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Final, NamedTuple

from companion.games import GAMES
from companion.games.game import Game, Policy
from companion.games.rules import HOUSE, Json, Move, Seat, Start, State, play
from companion.match.chance_player import ChancePlayer

Figures = Mapping[str, bool | int | float | str]
"""The figures of a finished or abandoned game, by name, such as the score of each seat."""

MAX_MOVES: Final = 50_000
"""The number of moves after which a game is abandoned, because some rules allow endless games. The longest game so far
took a sixth of this number."""


class Playout(NamedTuple):
    """A game that policies played. `number`: its number in the series, counted from 0. `moves`: the number of its
    moves, including those of the house."""

    number: int
    moves: int
    outcome: Figures

    @property
    def is_unfinished(self) -> bool:
        """Whether the game was abandoned."""
        return self.moves >= MAX_MOVES


@dataclass(frozen=True)
class Series:
    """A series of games, in a form that can be sent to another process. `setup`: the resolved set-up as JSON.
    `policies`: the names of the policies, by seat; if there are more seats than names, the names repeat."""

    game: str
    seats: int
    setup: str
    policies: tuple[str, ...]
    seed: str

    @classmethod
    def of(cls, game: Game[Any], seats: int, setup: Mapping[str, Json], policies: Sequence[str], seed: str) -> Series:
        """Makes a series of games of `game`. `setup`: the resolved set-up, which has a value for every option."""
        return cls(game.name, seats, json.dumps(setup), tuple(policies), seed)

    @property
    def lineup(self) -> str:
        """The names of the policies, joined with commas."""
        return ",".join(self.policies)

    @cached_property
    def _start(self) -> Start[Any]:
        return GAMES[self.game].rules.begin(self.seats, json.loads(self.setup))

    def play(self, numbers: Iterable[int]) -> list[Playout]:
        """Plays the games with these numbers in the series. Returns them in the same order."""
        game = GAMES[self.game]
        policy, start, played = _policy_by_seat(game, self.policies), self._start, []
        for number in numbers:
            state, moves = play_out(game, start, policy, f"{self.seed}/{number}")
            played.append(Playout(number, moves, dict(game.playouts.outcome(state))))
        return played


def _policy_by_seat(game: Game[Any], names: Sequence[str]) -> Policy:
    """A policy for all seats, which uses for each seat the policy named for it. If there are more seats than names, the
    names repeat."""
    policies = [game.policies.by_name[name] for name in names]

    def choose(view: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
        return policies[seat % len(policies)](view, seat, legal, rng)

    return choose if len(policies) > 1 else policies[0]


def play_out(game: Game[Any], start: Start[Any], policy: Policy, seed: str) -> tuple[State, int]:
    """Plays a game until it ends, is stuck, or is abandoned after `MAX_MOVES` moves. Returns the last state and the
    number of moves."""
    state: State = start.state
    house, rng, ply = ChancePlayer(seed, start.script), Random(f"{seed}/policy"), 0
    while (turn := state.turn) is not None and ply < MAX_MOVES and not game.playouts.is_stuck(state):
        if turn == HOUSE:
            state = play(state, house.next_move(state, ply))
        else:
            legal = [move for move in state.legal_moves() if move.seat == turn]
            state = play(state, policy(state.as_known_to(turn), turn, legal, rng))
        ply += 1
    return state, ply
