"""Games of Commute at a table with phones: starts them, plays at random and returns what the players see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from companion.games import move_json
from companion.games.commute.moves import Travel
from companion.games.rules import Move, Seat
from companion.games.view import View
from companion.match.journal import Journal
from companion.table.table import Table
from tests.systems_failing_tables import hasty_clock
from tests.web_table import WebTable

NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve")


def begun(seats: int = 3, dealers: dict[str, str] | None = None, seed: str = "a seed", **setup: Any) -> WebTable:
    """A table at which a game has begun and the companion has dealt."""
    table = Table(Journal(None), hasty_clock())
    table.start("commute", seats, {"rounds": "1", **setup}, dealers or {}, NAMES[:seats], seed)
    return WebTable(table)


def seen(web_table: WebTable, seat: int | None = None) -> View:
    """The view of `seat`, by default that of the seat that must act."""
    public = web_table.table.view()
    assert public is not None
    if seat is None and not isinstance(public.turn, int):
        return public
    view = web_table.table.view(Seat(int(public.turn if seat is None else seat)))  # type: ignore[arg-type]
    assert view is not None
    return view


def act(web_table: WebTable, **move: Any) -> None:
    """Submits a move for the seat that makes it."""
    web_table.table.submit(None if move["seat"] == "house" else Seat(move["seat"]), move, None, None)


def played(web_table: WebTable, seed: int = 1) -> Iterator[View]:
    """Plays a game at random to its end. Yields, before each act, the view of the seat that must act. Players who can
    reach their work or a house usually do so."""
    rng = Random(seed)
    while (view := seen(web_table)).turn is not None:
        yield view
        if view.choices.pause_label:
            web_table.table.proceed(None)
        else:
            web_table.table.submit(Seat(int(view.turn)), move_json.to_json(_any(view, rng)), None, None)


def _any(view: View, rng: Random) -> Move:
    ends = {"work", *view.position.houses}
    arriving = [move for move in view.choices.legal if isinstance(move, Travel) and move.to in ends]
    return rng.choice(arriving if arriving and rng.random() < 0.6 else view.choices.legal)


def until(web_table: WebTable, wanted: Callable[[View], object], seed: int = 1) -> View:
    """Plays at random until the view of the seat that must act satisfies `wanted`. Returns that view."""
    return next(view for view in played(web_table, seed) if wanted(view))


def must_bump(view: View) -> bool:
    """Whether a player must bump another one."""
    return view.position.bump is not None


def asks(*what: str) -> Callable[[View], bool]:
    """A condition on views: that an “Uh-Oh!” card asks one of these questions."""
    return lambda view: view.position.question is not None and view.position.question.kind in what
