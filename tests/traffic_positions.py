"""Positions of Traffic Congestion for tests: builds them, makes moves and reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games import move_json
from companion.games.rules import Move, Seat, play
from companion.games.traffic_congestion.board_reader import board_files
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.rules import State

GRID = board_files()["grid-2x2"].read_text("utf-8")
"""The file of the default board."""


def begin(seats: int = 2, **setup: Any) -> State:
    """The position before the first turn."""
    return GAME.rules.begin(seats, GAME.rules.resolve_setup(setup)).state


def streets(
    queues: Mapping[str, str] | None = None,
    signals: Mapping[str, str] | None = None,
    scores: tuple[int, ...] = (),
    active_player: int = 0,
    seats: int = 2,
    **setup: Any,
) -> State:
    """A position with these queues of cars. Each is written in words, beginning with the car at the head of the queue:
    `{"west1>A": "blue red"}`."""
    start = begin(seats, **setup)
    cars = {lane: tuple(words.split()) for lane, words in (queues or {}).items()}
    lanes = {"queues": cars, "signals": dict(signals or {})}
    return start.replace(**lanes, scores=scores or start.scores, active_player=Seat(active_player))


def read(state: State, value: dict[str, Any]) -> Move:
    """A move from its JSON."""
    return move_json.from_json(GAME, len(state.colors), value)


def act(state: State, move: str, lane: str = "", to: str = "", **keys: Any) -> State:
    """The state after a move of the seat in turn, or of `seat`."""
    fields = {"lane": lane, "to": to, **keys}
    value = {"seat": state.active_player, "move": move} | {name: field for name, field in fields.items() if field != ""}
    return play(state, read(state, value))


def go(state: State, lane: str, then: Any = "keep") -> State:
    """The state after the cars in a lane have moved. `then`: what happens to the signal afterwards; a lane means that
    it is turned to that lane."""
    return act(state, "go", lane, then=then if then in ("keep", "remove") else {"to": then})


def waiting(state: State, lane: str) -> str:
    """The cars in a lane, in words."""
    return " ".join(state.to_json()["lanes"][lane])


def offered(state: State) -> list[dict[str, Any]]:
    """The legal moves as JSON."""
    return [move_json.to_json(move) for move in state.legal_moves()]
