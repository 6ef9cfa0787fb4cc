"""The club's tables: what is known of the tables, which of them the wall shows, and for how long."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from companion.venue import club_tables as club_tables_module
from companion.venue.club_tables import LINGER, MAX_TABLES, ROLL_CALL_S, ClubTables
from companion.venue.table_messages import WallReport

NOW = datetime(2026, 1, 31, 18, tzinfo=UTC)


class DateClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> DateClock:
    return DateClock()


@pytest.fixture
def club_tables(clock: DateClock) -> ClubTables:
    return ClubTables(clock, lambda: clock.now.timestamp())


def names(club_tables: ClubTables) -> list[str]:
    return [table.name for table in club_tables.on_wall()]


def test_tables_are_in_natural_order(club_tables: ClubTables) -> None:
    for name in ("table-10", "Bar", "table-2", "9", "annex"):
        club_tables.set_status(name, is_online=True)
    assert names(club_tables) == ["annex", "Bar", "table-2", "table-10", "9"]


def test_a_message_that_changes_nothing_is_no_change(club_tables: ClubTables, clock: DateClock) -> None:
    """A message that changes nothing does not count as a change. Only the time at which the table was last seen is
    updated."""
    club_tables.set_status("table-1", is_online=True)
    club_tables.set_wall("table-1", WallReport(round=1), is_retained=False)
    before = club_tables.revision
    clock.now += timedelta(minutes=1)
    club_tables.set_wall("table-1", WallReport(round=1), is_retained=False)
    assert club_tables.revision == before
    assert club_tables.all()[0].seen == clock.now


def test_each_table_knows_when_it_changed_last(club_tables: ClubTables) -> None:
    for name in ("table-1", "table-2"):
        club_tables.set_status(name, is_online=True)
    before = club_tables.revision
    club_tables.set_wall("table-2", WallReport(round=1), is_retained=False)
    assert [table.name for table in club_tables.all() if table.changed > before] == ["table-2"]
    assert club_tables.shown_since <= before


def test_an_offline_table_stays_on_the_wall_for_a_while(club_tables: ClubTables, clock: DateClock) -> None:
    """An offline table stays on the wall for a while, so that a short network failure moves nothing. Later it leaves
    the wall without any further message."""
    club_tables.set_status("table-1", is_online=True)
    clock.now += timedelta(hours=1)
    club_tables.set_status("table-1", is_online=False)
    assert names(club_tables) == ["table-1"]
    clock.now += LINGER
    before = club_tables.revision
    assert club_tables.wait(before, 0) == before + 1
    assert names(club_tables) == []
    assert club_tables.shown_since == before + 1
    assert [table.name for table in club_tables.all()] == ["table-1"]


def test_a_table_that_was_offline_all_the_time_was_not_seen(club_tables: ClubTables) -> None:
    """If a table is known only from the broker's retained messages, it does not count as seen, because these do not say
    when it was there."""
    club_tables.set_status("table-1", is_online=False)
    club_tables.set_wall("table-1", WallReport(round=1), is_retained=True)
    assert club_tables.all()[0].seen is None
    assert names(club_tables) == []


def test_a_table_that_does_not_answer_the_roll_call_is_offline(club_tables: ClubTables, clock: DateClock) -> None:
    """A table that does not answer the roll call is offline. A broker that was killed and has kept its retained
    messages does not report that a table has left in the meantime."""
    for name in ("table-1", "table-2", "table-3"):
        club_tables.set_status(name, is_online=True)
    club_tables.set_broker_problem("gone")
    clock.now += timedelta(hours=1)
    club_tables.set_broker_problem("")
    club_tables.set_status("table-1", is_online=True)
    club_tables.set_wall("table-2", WallReport(round=2), is_retained=False)
    clock.now += timedelta(seconds=ROLL_CALL_S - 1)
    club_tables.wait(club_tables.revision, 0)
    assert all(table.is_online for table in club_tables.all())
    clock.now += timedelta(seconds=1)
    before = club_tables.revision
    assert club_tables.wait(before, 0) > before
    assert [table.name for table in club_tables.all() if not table.is_online] == ["table-3"]
    assert names(club_tables) == ["table-1", "table-2"]


def test_a_status_that_was_not_repeated_in_time_is_out_of_date(club_tables: ClubTables, clock: DateClock) -> None:
    """A status that is valid for a limited time counts as offline after that time, even if the broker has sent it again
    since the venue connected. While the venue is not connected, no table goes offline."""
    club_tables.set_broker_problem("")
    for name in ("table-1", "table-2", "table-3"):
        club_tables.set_status(name, is_online=True, lifetime_s=90)
    club_tables.set_broker_problem("gone")
    clock.now += timedelta(hours=1)
    club_tables.wait(club_tables.revision, 0)
    assert all(table.is_online for table in club_tables.all())
    club_tables.set_broker_problem("")
    for name in ("table-1", "table-2"):  # as the broker has kept them
        club_tables.set_status(name, is_online=True, lifetime_s=80)
    clock.now += timedelta(seconds=60)
    club_tables.set_status("table-1", is_online=True, lifetime_s=90)
    clock.now += timedelta(seconds=29)
    club_tables.wait(club_tables.revision, 0)
    assert all(table.is_online for table in club_tables.all())
    clock.now += timedelta(seconds=1)
    club_tables.wait(club_tables.revision, 0)
    assert [table.name for table in club_tables.all() if table.is_online] == ["table-1"]
    club_tables.set_status("table-2", is_online=True)  # an earlier version, which sets no limit
    clock.now += timedelta(hours=1)
    club_tables.set_status("table-1", is_online=True, lifetime_s=90)
    club_tables.wait(club_tables.revision, 0)
    assert [table.name for table in club_tables.all() if table.is_online] == ["table-1", "table-2"]


def test_the_number_of_tables_is_limited(club_tables: ClubTables) -> None:
    """If there are too many tables, further ones are only counted. The known tables stay."""
    for n in range(MAX_TABLES + 5):
        club_tables.set_status(f"table-{n}", is_online=True)
    assert len(club_tables.all()) == MAX_TABLES
    assert club_tables.turned_away == 5
    club_tables.set_wall("table-3", WallReport(round=7), is_retained=False)
    assert next(table for table in club_tables.all() if table.name == "table-3").wall.round == 7
    club_tables.forget("table-3")
    club_tables.set_status("new", is_online=True)
    assert "new" in names(club_tables)


def test_waiting_ends_with_the_next_change(club_tables: ClubTables) -> None:
    waiter_ready, found = threading.Event(), []

    def wait() -> None:
        before = club_tables.revision
        waiter_ready.set()
        found.append(club_tables.wait(before, 30) != before)

    thread = threading.Thread(target=wait)
    thread.start()
    waiter_ready.wait(10)
    club_tables.set_status("table-1", is_online=True)
    thread.join(10)
    assert found == [True]


def test_a_problem_of_the_venue_is_a_change_once(club_tables: ClubTables) -> None:
    before = club_tables.revision
    club_tables.set_broker_problem("gone")
    club_tables.set_broker_problem("gone")
    assert (club_tables.revision, club_tables.broker_problem) == (before + 1, "gone")


def test_the_clock_runs_in_utc() -> None:
    assert club_tables_module.utc_now().tzinfo is UTC
