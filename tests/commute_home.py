"""Games of Commute at a table with phones: begun, played on, looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from companion.games import notation
from companion.games.commute.moves import Travel
from companion.games.rules import Move, Seat
from companion.games.view import View
from companion.match.journal import Journal
from companion.table.table import Table
from tests.phones import Home

NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve")


def begun(seats: int = 3, dealers: dict[str, str] | None = None, seed: str = "a seed", **setup: Any) -> Home:
    """A home where a game has begun; what the companion deals is dealt."""
    table = Table(Journal(None))
    table.start("commute", seats, {"rounds": "1", **setup}, dealers or {}, NAMES[:seats], seed)
    return Home(table)


def seen(home: Home, seat: int | None = None) -> View:
    """The table through the eyes of who must act, or of a seat."""
    public = home.table.view()
    assert public is not None
    if seat is None and not isinstance(public.turn, int):
        return public
    view = home.table.view(Seat(int(public.turn if seat is None else seat)))  # type: ignore[arg-type]
    assert view is not None
    return view


def act(home: Home, **move: Any) -> None:
    """Somebody makes a move."""
    home.table.submit(None if move["seat"] == "house" else Seat(move["seat"]), move, None, None)


def played(home: Home, seed: int = 1) -> Iterator[View]:
    """A game played at random to its end, as who must act sees it before each act. Who can arrive mostly does."""
    rng = Random(seed)
    while (view := seen(home)).turn is not None:
        yield view
        if view.choices.pause_label:
            home.table.proceed(None)
        else:
            home.table.submit(Seat(int(view.turn)), notation.to_json(_any(view, rng)), None, None)


def _any(view: View, rng: Random) -> Move:
    ends = {"work", *view.position.houses}
    arriving = [move for move in view.choices.legal if isinstance(move, Travel) and move.to in ends]
    return rng.choice(arriving if arriving and rng.random() < 0.6 else view.choices.legal)


def until(home: Home, wanted: Callable[[View], object], seed: int = 1) -> View:
    """Plays at random until who must act sees what is wanted."""
    return next(view for view in played(home, seed) if wanted(view))


def owes(view: View) -> bool:
    """Whether somebody must be sent on."""
    return view.position.bump is not None


def asks(*what: str) -> Callable[[View], bool]:
    """Whether an “Uh-Oh!” card asks one of these."""
    return lambda view: view.position.question is not None and view.position.question.kind in what
