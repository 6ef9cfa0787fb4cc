"""Results are stored exactly once, and acknowledged only when they are durable."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from companion.venue import results as results_module
from companion.venue.club_tables import ClubTables
from companion.venue.csv_files import results_csv, standings_csv
from companion.venue.results import FILE, ResultStore
from companion.venue.standings import curves, last_weeks, standings
from companion.venue.table_messages import Result, read_result
from companion.venue.venue import MAX_WAITING, Venue
from tests.running_service import until
from tests.test_venue_messages import RESULT, as_bytes
from web.people.all_default_names import all_default_names

NOW = datetime(2026, 1, 31, 18, 30, tzinfo=UTC)
SUNDAY, MONDAY = date(2026, 2, 1), date(2026, 1, 26)


def result(table: str = "table-1", **change: object) -> Result:
    return read_result(as_bytes(RESULT | {"table": table} | change), table)


def ended(when: datetime) -> dict[str, object]:
    return {"ended": when.isoformat()}


@pytest.fixture
def store() -> Iterator[ResultStore]:
    with closing(ResultStore(None, all_default_names())) as opened:
        yield opened


class VenueWithDatabase:
    """A venue with a list of what it publishes. `stored_before`: how many results its database had when each message
    was published."""

    def __init__(self, folder: Path) -> None:
        self.published: list[tuple[str, Any]] = []
        self.club_tables, self.store = ClubTables(lambda: NOW), ResultStore(folder)
        self.stored_before: list[int] = []
        self.folder = folder
        self.venue = Venue(self.club_tables, self.store, self._publish)

    def _publish(self, topic: str, payload: bytes) -> None:
        with closing(sqlite3.connect(self.folder / FILE)) as db:
            self.stored_before.append(db.execute("SELECT count(*) FROM results").fetchone()[0])
        self.published.append((topic, json.loads(payload)))

    def report(self, table: str = "table-1", **change: object) -> None:
        self.venue.receive(f"tablekeeper/{table}/result", as_bytes(RESULT | {"table": table} | change))

    def close(self) -> None:
        self.venue.close()
        self.store.close()


@pytest.fixture
def club(tmp_path: Path) -> Iterator[VenueWithDatabase]:
    with closing(VenueWithDatabase(tmp_path)) as opened:
        yield opened


def test_a_result_is_stored_once_and_acknowledged_each_time(club: VenueWithDatabase) -> None:
    for _ in range(3):
        club.report()
    until(lambda: len(club.published) == 3)
    assert club.published == [("tablekeeper/table-1/result/ack", {"id": "a1-1", "version": 4})] * 3
    assert club.store.count() == 1


def test_it_is_acknowledged_after_it_is_committed(club: VenueWithDatabase) -> None:
    """When an acknowledgment is sent, another connection to the database already sees the result."""
    club.report()
    club.report(id="a1-2")
    until(lambda: len(club.published) == 2)
    assert min(club.stored_before) >= 1
    assert club.stored_before[-1] == 2


def test_a_result_that_can_not_be_stored_is_not_acknowledged(club: VenueWithDatabase) -> None:
    """A result that can't be stored is not acknowledged, and the staff is told why. Once there is room again, the
    repeated result is stored, and the notice disappears."""
    club.store._db.execute("CREATE TRIGGER full BEFORE INSERT ON results BEGIN SELECT RAISE(FAIL, 'disk full'); END")
    club.report()
    until(lambda: club.club_tables.result_problem)
    assert "disk full" in str(club.club_tables.result_problem)
    assert (club.published, club.store.count()) == ([], 0)
    club.store._db.execute("DROP TRIGGER full")
    club.report()
    until(lambda: club.published)
    assert club.club_tables.result_problem == ""


def test_a_newer_version_replaces_a_result(store: ResultStore) -> None:
    """If a game went on after an undo, its new result replaces the old one. An older version that arrives late changes
    nothing."""
    store.add([result(version=4)], NOW)
    store.add([result(version=6, players=["Ann", "Cleo"])], NOW)
    assert store.add([result(version=4)], NOW) == (result(version=4),)
    assert [each.result.players for each in store.all()] == [("Ann", "Cleo")]
    assert [week.name for week in store.weeks(MONDAY)] == ["Ann", "Cleo"]


def test_a_table_can_not_take_the_id_of_another(store: ResultStore) -> None:
    store.add([result("table-1"), result("table-2", players=["Eve"])], NOW)
    assert [each.result.table for each in store.all()] == ["table-1", "table-2"]


def test_a_table_that_reports_too_many_results_has_to_wait(
    club: VenueWithDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that reports too many results has to wait. Other tables do not, and the staff sees which table it is."""
    monkeypatch.setattr(results_module, "MAX_PER_DAY", 2)
    for n in range(4):
        club.report(id=f"a1-{n}")
    club.report("table-2")
    until(lambda: any(topic.startswith("tablekeeper/table-2/") for topic, _ in club.published))
    assert {message["id"] for topic, message in club.published if "table-1" in topic} == {"a1-0", "a1-1"}
    until(lambda: [table.name for table in club.club_tables.all() if table.problem] == ["table-1"])
    assert club.store.add([result(id="a1-9")], NOW + timedelta(days=1, seconds=1))


def test_results_are_there_after_a_restart(tmp_path: Path) -> None:
    with closing(ResultStore(tmp_path)) as store:
        store.add([result()], NOW)
    with closing(ResultStore(tmp_path)) as store:
        assert store.add([result()], NOW) == (result(),)
        assert store.count() == 1
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with closing(ResultStore(tmp_path)) as store:
        store._db.execute("PRAGMA user_version = 99")
    with pytest.raises(sqlite3.DatabaseError, match="newer"):
        ResultStore(tmp_path)


@pytest.mark.slow
def test_a_flood_of_results_is_dropped_and_not_kept(tmp_path: Path) -> None:
    """In a flood of results, those that don't fit into the queue are dropped without acknowledgment, so the tables
    repeat them."""
    with closing(VenueWithDatabase(tmp_path)) as club, club.store._lock:  # nothing can be stored meanwhile
        for n in range(MAX_WAITING + 500):
            club.report(id=f"a1-{n}")
        assert club.venue._waiting.qsize() <= MAX_WAITING


def test_closing_stores_what_waits(tmp_path: Path) -> None:
    club = VenueWithDatabase(tmp_path)
    for n in range(40):
        club.report(id=f"a1-{n}")
    club.venue.close()
    assert club.store.count() == 40
    club.store.close()


def test_messages_are_handled_by_topic(club: VenueWithDatabase) -> None:
    """A refused message is recorded for its table, messages on other topics are ignored, and an empty status removes a
    table."""
    club.venue.receive("tablekeeper/table-1/status", b"online")
    club.venue.receive("tablekeeper/table-1/wall", b'{"round": "x"}')
    club.venue.receive("tablekeeper/table-1/state", b"whatever")
    (table,) = club.club_tables.all()
    assert "round" in str(table.problem)
    club.venue.receive("tablekeeper/table-1/wall", b'{"round": 3}')
    (table,) = club.club_tables.all()
    assert (table.problem, table.wall.round) == ("", 3)
    club.venue.receive("tablekeeper/table-1/status", b"")
    assert club.club_tables.all() == ()


def test_names_are_compared_without_regard_to_capitals(store: ResultStore) -> None:
    for n, name in enumerate(("ANN", "ann", "\uff21nn", "Anna")):
        store.add([result(id=f"a{n}", players=[name])], NOW)
    assert [(week.player, week.games) for week in store.weeks(MONDAY)] == [("ann", 3), ("anna", 1)]


def test_players_without_a_name_do_not_count(store: ResultStore) -> None:
    """Default names in any language are left out of the standings, because different people have them."""
    store.add([result(players=["Player 1", "Person 2", "Spieler 3", "Ann", ""])], NOW)
    assert [week.name for week in store.weeks(MONDAY)] == ["Ann"]


def test_weeks_begin_on_monday(store: ResultStore) -> None:
    for n, day in enumerate((25, 26, 31)):
        store.add([result(id=f"a{n}", **ended(datetime(2026, 1, day, 12, tzinfo=UTC)))], NOW)
    found = [(week.name, week.week, week.games, week.won) for week in store.weeks(date(2026, 1, 19))]
    assert found == [
        ("Ann", date(2026, 1, 19), 1, 1),
        ("Ben", date(2026, 1, 19), 1, 0),
        ("Ann", MONDAY, 2, 2),
        ("Ben", MONDAY, 2, 0),
    ]
    assert len(store.weeks(MONDAY)) == 2


@pytest.mark.parametrize("when", [datetime(1970, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)])
def test_a_clock_that_can_not_be_right_is_not_believed(store: ResultStore, when: datetime) -> None:
    """If a table's clock can't be right, as on a Pi without a network that thinks it is 1970, its result gets the time
    at which it arrived."""
    store.add([result(**ended(when))], NOW)
    assert store.latest(1)[0].played == NOW


def test_all_win_together(store: ResultStore) -> None:
    store.add([result(game="system-won", result={"won": True, "winners": []})], NOW)
    store.add([result(id="a2", game="system-won", result={"won": False, "winners": []})], NOW)
    assert [(week.games, week.won) for week in store.weeks(MONDAY)] == [(2, 1), (2, 1)]
    assert store.weeks(MONDAY, "commute") == ()
    assert store.games() == ("system-won",)


def test_standings(store: ResultStore) -> None:
    """The standings list players with the most wins first, then those with the fewest games. Equal players share a
    place. A name is shown in its most recent spelling."""
    for n, (players, winner, day) in enumerate(
        ((["Ann", "Ben"], 0, 20), (["ANN", "Cleo"], 0, 27), (["Cleo", "Ben"], 0, 28), (["Dora", "Eve"], 0, 28))
    ):
        more = ended(datetime(2026, 1, day, 12, tzinfo=UTC))
        store.add([result(id=f"a{n}", players=players, result={"won": None, "winners": [winner]}, **more)], NOW)
    weeks = last_weeks(SUNDAY, 2)
    assert weeks == (date(2026, 1, 19), MONDAY)
    found = standings(store.weeks(weeks[0]), weeks)
    assert [(each.rank, each.name, each.won, each.games, each.by_week) for each in found] == [
        (1, "ANN", 2, 2, (1, 1)),
        (2, "Dora", 1, 1, (0, 1)),
        (3, "Cleo", 1, 2, (0, 1)),
        (4, "Eve", 0, 1, (0, 0)),
        (5, "Ben", 0, 2, (0, 0)),
    ]
    assert found[0].percent == 100
    assert [curve.values for curve in curves(found)][:2] == [(0, 1, 2, 2), (0, 0, 1, 1)]
    assert curves(()) == ()


def test_equal_players_share_a_place(store: ResultStore) -> None:
    store.add([result(result={"won": True})], NOW)
    weeks = last_weeks(SUNDAY, 1)
    assert [each.rank for each in standings(store.weeks(weeks[0]), weeks)] == [1, 1]


def test_csv_files_are_safe_for_spreadsheets(store: ResultStore) -> None:
    """A name is never taken for a formula, and a comma or a quote in it stays in its cell."""
    store.add([result(players=['=HYPERLINK("x")', 'a,b"c'], game="@sum")], NOW)
    weeks = last_weeks(SUNDAY, 1)
    rows = list(csv.reader(StringIO(standings_csv(standings(store.weeks(weeks[0]), weeks), weeks))))
    assert rows[0] == ["place", "player", "games", "won", "won in week of 2026-01-26"]
    assert {row[1] for row in rows[1:]} == {'\'=HYPERLINK("x")', 'a,b"c'}
    (head, first, second) = csv.reader(StringIO(results_csv(store.all())))
    assert head[:3] == ["played", "table", "game"]
    assert (first[2], first[6:], second[6:]) == ("'@sum", ["1", "3"], ["0", "1"])
