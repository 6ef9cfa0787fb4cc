"""Games of Traffic Congestion at a table with phones: starts them, plays at random and returns what the players see."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from companion.games import move_json
from companion.games.rules import Seat
from companion.games.traffic_congestion.moves import Enter, Go, Signal
from companion.games.view import View
from companion.match.journal import Journal
from companion.table.table import Table
from tests.systems_failing_tables import hasty_clock
from tests.web_table import WebTable

Action = dict[str, Any]

RUSH: tuple[Action, ...] = (
    {"move": "enter", "lane": "west1>A"},
    {"move": "enter", "lane": "west1>A"},
    {"move": "signal", "lane": "west1>A", "to": "A>B"},
    {"move": "enter", "lane": "north1>A"},
)
"""Moves after which a blue car and then a red one wait before a signal straight on, and seat 0 is in turn."""


def begun(*actions: Action, seats: int = 2, **options: str) -> WebTable:
    """A table at which the seats have made these moves in turn."""
    table = Table(Journal(None), hasty_clock())
    table.start("traffic-congestion", seats, options, {}, ("Ann", "Ben", "Cy", "Dee")[:seats], "a seed")
    for number, action in enumerate(actions):
        table.submit(Seat(number % seats), {"seat": number % seats, **action}, None, None)
    return WebTable(table)


def seen(web_table: WebTable, seat: int | None = None) -> View:
    """The view of the seat in turn, or of `seat`."""
    view = web_table.table.view(Seat(_turn(web_table) if seat is None else seat))
    assert view is not None
    return view


def _turn(web_table: WebTable) -> int:
    view = web_table.table.view()
    assert view is not None
    return view.turn if isinstance(view.turn, int) else 0


def played(count: int, seed: int, **options: str) -> Iterator[WebTable]:
    """Plays a random game. Yields the table after each move. Players add more cars than signals, so that queues
    grow."""
    web_table, rng = begun(seats=3, **options), Random(seed)
    for _ in range(count):
        view = seen(web_table)
        kinds = [kind for kind in (Enter, Go, Signal) if any(isinstance(move, kind) for move in view.choices.legal)]
        kind = rng.choice(kinds)
        web_table.table.submit(
            Seat(_turn(web_table)),
            move_json.to_json(rng.choice([move for move in view.choices.legal if isinstance(move, kind)])),
            None,
            None,
        )
        yield web_table


def won() -> WebTable:
    """A table at which a game has been won. Blue cars have scored five at a time, and red cars have left on a side
    where they do not score."""
    enters: list[Action] = [{"move": "enter"}] * 5
    trip: list[Action] = [*enters, {"move": "signal"}, {"move": "go", "then": "remove"}]
    actions = [_at(gate, action) for action in trip * 4 for gate in ("north1", "south1")]
    return begun(*actions[:-1], board="crossroads")


def _at(gate: str, action: Action) -> Action:
    return {**action, "lane": f"{gate}>A"} | ({"to": f"A>{gate}"} if action["move"] == "signal" else {})
