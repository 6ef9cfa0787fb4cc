"""The hall: what is known of the tables, which of them the wall shows, and for how long."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from companion.venue import hall as hall_module
from companion.venue.hall import LINGER, MAX_TABLES, ROLL_CALL, Hall
from companion.venue.messages import WallReport

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
def hall(clock: DateClock) -> Hall:
    return Hall(clock)


def names(hall: Hall) -> list[str]:
    return [table.name for table in hall.on_wall()]


def test_tables_are_in_natural_order(hall: Hall) -> None:
    for name in ("table-10", "Bar", "table-2", "9", "annex"):
        hall.set_status(name, is_online=True)
    assert names(hall) == ["annex", "Bar", "table-2", "table-10", "9"]


def test_a_message_that_changes_nothing_is_no_change(hall: Hall, clock: DateClock) -> None:
    """Only the time at which the table was last seen is updated."""
    hall.set_status("table-1", is_online=True)
    hall.set_wall("table-1", WallReport(round=1), is_retained=False)
    before = hall.revision
    clock.now += timedelta(minutes=1)
    hall.set_wall("table-1", WallReport(round=1), is_retained=False)
    assert hall.revision == before
    assert hall.tables()[0].seen == clock.now


def test_each_table_knows_when_it_changed_last(hall: Hall) -> None:
    for name in ("table-1", "table-2"):
        hall.set_status(name, is_online=True)
    before = hall.revision
    hall.set_wall("table-2", WallReport(round=1), is_retained=False)
    assert [table.name for table in hall.tables() if table.changed > before] == ["table-2"]
    assert hall.shown_since <= before


def test_an_offline_table_stays_on_the_wall_for_a_while(hall: Hall, clock: DateClock) -> None:
    """A short break in the network moves nothing on the wall. Later the table leaves the wall without any further
    message."""
    hall.set_status("table-1", is_online=True)
    clock.now += timedelta(hours=1)
    hall.set_status("table-1", is_online=False)
    assert names(hall) == ["table-1"]
    clock.now += LINGER
    before = hall.revision
    assert hall.wait(before, 0) == before + 1
    assert names(hall) == []
    assert hall.shown_since == before + 1
    assert [table.name for table in hall.tables()] == ["table-1"]


def test_a_table_that_was_offline_all_the_time_was_not_seen(hall: Hall) -> None:
    """A table is known from the broker's retained messages, which say nothing about when it was there."""
    hall.set_status("table-1", is_online=False)
    hall.set_wall("table-1", WallReport(round=1), is_retained=True)
    assert hall.tables()[0].seen is None
    assert names(hall) == []


def test_a_table_that_does_not_answer_the_roll_call_is_offline(hall: Hall, clock: DateClock) -> None:
    """A broker that was killed with its retained messages does not say that a table has left meanwhile."""
    for name in ("table-1", "table-2", "table-3"):
        hall.set_status(name, is_online=True)
    hall.set_broker_problem("gone")
    clock.now += timedelta(hours=1)
    hall.set_broker_problem("")
    hall.set_status("table-1", is_online=True)
    hall.set_wall("table-2", WallReport(round=2), is_retained=False)
    clock.now += ROLL_CALL - timedelta(seconds=1)
    hall.wait(hall.revision, 0)
    assert all(table.is_online for table in hall.tables())
    clock.now += timedelta(seconds=1)
    before = hall.revision
    assert hall.wait(before, 0) > before
    assert [table.name for table in hall.tables() if not table.is_online] == ["table-3"]
    assert names(hall) == ["table-1", "table-2"]


def test_the_number_of_tables_is_limited(hall: Hall) -> None:
    """Further tables are counted, and those that are known go on."""
    for n in range(MAX_TABLES + 5):
        hall.set_status(f"table-{n}", is_online=True)
    assert len(hall.tables()) == MAX_TABLES
    assert hall.turned_away == 5
    hall.set_wall("table-3", WallReport(round=7), is_retained=False)
    assert next(table for table in hall.tables() if table.name == "table-3").wall.round == 7
    hall.forget("table-3")
    hall.set_status("new", is_online=True)
    assert "new" in names(hall)


def test_waiting_ends_with_the_next_change(hall: Hall) -> None:
    waiter_ready, found = threading.Event(), []

    def wait() -> None:
        before = hall.revision
        waiter_ready.set()
        found.append(hall.wait(before, 30) != before)

    thread = threading.Thread(target=wait)
    thread.start()
    waiter_ready.wait(10)
    hall.set_status("table-1", is_online=True)
    thread.join(10)
    assert found == [True]


def test_a_problem_of_the_venue_is_a_change_once(hall: Hall) -> None:
    before = hall.revision
    hall.set_broker_problem("gone")
    hall.set_broker_problem("gone")
    assert (hall.revision, hall.broker_problem) == (before + 1, "gone")


def test_the_clock_runs_in_utc() -> None:
    assert hall_module.utc_now().tzinfo is UTC
