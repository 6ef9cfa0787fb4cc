"""A venue with fixed tables, for pictures and for tests of its pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

from companion.venue.club_tables import ClubTables
from companion.venue.results import ResultStore
from companion.venue.table_messages import read_result, read_wall
from tests.browser import new_page
from tests.page_states import LOOKS, PageState
from web.server.http_server import serve
from web.venue.app import VenueContext, create_venue_app

NOW = datetime(2026, 1, 31, 18, 0, tzinfo=UTC)
KEY = "staff-key"
PLAYERS = ("Ann", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gustav", "Hana", "Ida", "Jon", "Kim", "Leonora")
GAMES = ("commute", "system-won", "traffic-congestion", "systems-failing")

VENUE: tuple[PageState, ...] = (
    PageState(
        "venue-wall",
        "The wall of a club, for a screen that is read from five meters.",
        "/",
        looks=("desk", "desk-dark", "phone"),
    ),
    PageState(
        "venue-staff", "What the staff should look at.", f"/staff?key={KEY}", looks=("desk", "phone", "phone-dark")
    ),
    PageState("venue-standings", "Who has won how often, over weeks.", "/standings", looks=("desk", "phone")),
)
"""The pages of a venue."""


def wall_document(number: int, **more: object) -> dict[str, object]:
    """The document that table `number` publishes for the wall."""
    rng = Random(number)
    game = GAMES[number % len(GAMES)]
    players = rng.sample(PLAYERS, 2 if game == "systems-failing" else rng.randint(2, 4))
    document: dict[str, object] = {
        "game": game,
        "title": game,
        "round": rng.randint(1, 12) if game != "traffic-congestion" else None,
        "players": players,
        "free_seats": rng.choice((0, 0, 0, 1, 2)),
        "started": (NOW - timedelta(minutes=rng.randint(2, 95))).isoformat(),
        "over": rng.random() < 0.1,
    }
    if game in ("commute", "traffic-congestion"):
        document["scores"] = [rng.randint(0, 24) for _ in players]
    elif game == "system-won":
        document["score"] = rng.randint(0, 25)
    else:
        document["meters"] = {"Stability": rng.randint(1, 10), "Damage": rng.randint(0, 12)}
    return document | more


def club_tables_with(count: int) -> ClubTables:
    """A club with `count` tables: some need help, some are offline, one is idle."""
    club_tables = ClubTables(lambda: NOW)
    club_tables.set_broker_problem("")
    camera = {"device": "camera", "ok": False, "message": "The camera sees nothing: it is covered, or it is too dark."}
    special: dict[int, dict[str, object]] = {
        2: {"needs_help": True, "matches": False},
        5: {"needs_help": True, "devices": [camera]},
        6: {"game": None},
    }
    for number in range(1, count + 1):
        name = f"table-{number}"
        club_tables.set_status(name, is_online=True)
        document = wall_document(number, **special.get(number, {}))
        club_tables.set_wall(name, read_wall(json.dumps(document).encode()), is_retained=False)
    if count > 7:
        club_tables.set_status("table-8", is_online=False)
    return club_tables


def store_with(weeks: int) -> ResultStore:
    """A database with the results of some weeks."""
    store, rng = ResultStore(None), Random(7)
    for n in range(weeks * 14):
        game = rng.choice(GAMES)
        players = rng.sample(PLAYERS, 2 if game == "systems-failing" else rng.randint(2, 4))
        ended = NOW - timedelta(days=rng.randrange(weeks * 7), minutes=rng.randrange(300))
        together = game in ("system-won", "systems-failing")
        result = {"won": rng.random() < 0.6} if together else {"won": None, "winners": [rng.randrange(len(players))]}
        document = {
            "id": f"id-{n}",
            "table": (table := f"table-{rng.randint(1, 14)}"),
            "game": game,
            "players": players,
            "result": result,
            "started": (ended - timedelta(minutes=50)).isoformat(),
            "ended": ended.isoformat(),
        }
        store.add([read_result(json.dumps(document).encode(), table)], NOW)
    return store


@contextmanager
def opened_venue(browser: Any, tables: int = 14) -> Iterator[Callable[[PageState, str], Any]]:
    """Serves a venue. Yields a function that opens a page state in one of LOOKS."""
    with closing(store_with(8)) as store:
        context = VenueContext(club_tables_with(tables), store, KEY, today=lambda: date(2026, 1, 31))
        with closing(serve(create_venue_app(context), "127.0.0.1", 0)) as server:

            def open_page(page_state: PageState, look: str) -> Any:
                page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}", **LOOKS[look])
                page.goto(page_state.path)
                page.wait_for_load_state()
                page_state.reach(page)
                return page

            yield open_page
