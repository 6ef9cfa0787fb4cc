"""Tables with a game of Systems Failing, and functions that play at random on them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random

from companion.games import move_json
from companion.games.rules import Seat
from companion.games.view import View
from companion.match.journal import Journal
from companion.table.table import Table
from tests.rendered_texts import english

SEED = "a seed for tests"


def new_table(
    path: Path | None = None, *, dealers: dict[str, str] | None = None, seed: str = SEED, **setup: object
) -> Table:
    """A table on which a game has begun. It is kept in memory unless `path` is given."""
    table = Table(Journal(path), hasty_clock())
    table.start("systems-failing", None, setup, dealers or {}, ("Ann", "Bob"), seed)
    return table


def hasty_clock() -> Callable[[], float]:
    """A clock that advances by ten seconds each time it is read, so that every discrepancy is reported at once."""
    return count(0.0, 10.0).__next__


def seen(table: Table, seat: int = 0) -> View:
    """The view of a seat, in English. A game must be running."""
    return english(_view(table, seat))


def _view(table: Table, seat: int = 0) -> View:
    view = table.view(Seat(seat))
    assert view is not None
    return view


def act(table: Table, rng: Random, request: str | None = None) -> None:
    """Makes a random legal move for the seat that must act. If the companion is waiting, lets it proceed."""
    view = _view(table)
    if view.choices.pause_label:
        table.proceed(Seat(0), view.version, request)
        return
    assert isinstance(view.turn, int)
    legal = _view(table, view.turn).choices.legal
    table.submit(Seat(view.turn), move_json.to_json(rng.choice(legal)), view.version, request)


def act_some(table: Table, rng: Random, acts: int) -> int:
    """Makes up to `acts` random acts; fewer if the game ends. Returns how many were made."""
    for done in range(acts):
        if _view(table).turn is None:
            return done
        act(table, rng)
    return acts


def play_to_the_end(table: Table, rng: Random) -> None:
    """Plays at random until the game is over."""
    while _view(table).turn is not None:
        act(table, rng)
