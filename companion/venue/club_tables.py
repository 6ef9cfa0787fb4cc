"""The tables of a club, with the latest reports from each. The wall is the screen that shows many tables. Any thread
may use the tables. The number of tables is limited, and so is what is stored about a table."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from companion.text.messages import TextLike, _
from companion.venue.table_messages import WallReport

MAX_TABLES = 250
LINGER = timedelta(minutes=10)
"""How long a table that went offline stays on the wall."""


ROLL_CALL_S = 90.0
"""How long tables that were online have time to report after the venue has connected. Tables connect again within a
minute."""
NOTHING = WallReport()


@dataclass(frozen=True)
class TableState:
    """The latest reports from a table. `changed`: the value of `ClubTables.revision` after the last change of this
    table. `seen`: when the venue last heard from it; None if it has been offline since the venue was started.
    `online_until`: when it counts as offline unless it reports again, in seconds of a monotonic clock; None if it did
    not say so. `problem`: why the table's last message was refused; "" if it was not."""

    name: str
    changed: int = 0
    is_online: bool = False
    wall: WallReport = NOTHING
    seen: datetime | None = None
    online_until: float | None = None
    problem: TextLike = ""

    def is_on_wall(self, now: datetime) -> bool:
        """Whether the wall shows this table: while it is online, and for LINGER after that."""
        return self.is_online or (self.seen is not None and now - self.seen < LINGER)


def natural_order(name: str) -> tuple[tuple[bool, int, str], ...]:
    """The sort key for names that puts table-2 before table-10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part.casefold()) for part in parts)


def utc_now() -> datetime:
    """The current time."""
    return datetime.now(UTC)


class ClubTables:
    """All tables of a club, with the latest reports from each. `revision` counts the changes; `wait` waits for the next
    change."""

    def __init__(self, clock: Callable[[], datetime] = utc_now, seconds: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._seconds = clock, seconds
        self._changed = threading.Condition()
        self._tables: dict[str, TableState] = {}
        self._revision = 0
        self._shown: tuple[str, ...] = ()
        self._shown_since = 0
        self._connected: datetime | None = None
        """When the venue last connected."""
        self._connected_s = 0.0
        """The same, in seconds of the monotonic clock, which no one can set."""
        self.broker_problem: TextLike = _("The venue hasn’t reached the broker yet.")
        """Why nothing comes from the broker; "" while the venue is connected."""
        self.result_problem: TextLike = ""
        """Why results can't be stored; "" while they can."""
        self.turned_away = 0
        """How many messages came from tables beyond MAX_TABLES."""

    @property
    def revision(self) -> int:
        """The number of changes so far."""
        return self._revision

    @property
    def shown_since(self) -> int:
        """The revision at which a table last appeared on the wall or left it."""
        return self._shown_since

    def wait(self, revision: int, seconds: float) -> int:
        """Waits until a table has changed since `revision`, but not longer than `seconds`; returns the current
        revision.

        Also makes two changes that depend only on the time. A table that has been offline for LINGER leaves the wall. A
        table that is missing (see `_is_missing`) counts as offline.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._revision != revision, seconds)
            self._mark_missing()
            if self._names_on_wall() != self._shown:
                self._count_change()
            return self._revision

    def all(self) -> tuple[TableState, ...]:
        """All tables, by name."""
        with self._changed:
            return tuple(self._tables.values())

    def on_wall(self) -> tuple[TableState, ...]:
        """The tables that are on the wall, sorted by name."""
        with self._changed:
            return tuple(self._tables[name] for name in self._shown)

    def now(self) -> datetime:
        """The time by the club's clock."""
        return self._clock()

    def set_status(self, name: str, *, is_online: bool, lifetime_s: int | None = None) -> None:
        """Records whether a table is online. `lifetime_s`: for how many seconds that is certain; None if there is no
        limit."""

        def change(table: TableState) -> TableState:
            now = self._clock()
            # When the venue connects, the broker also reports tables that have been offline for a long time.
            seen = now if is_online or table.is_online else table.seen
            until = None if lifetime_s is None else self._seconds() + lifetime_s
            return replace(table, is_online=is_online, seen=seen, online_until=until)

        self._change(name, change)

    def set_wall(self, name: str, wall: WallReport, *, is_retained: bool) -> None:
        """Records what a table reports for the wall. `is_retained`: whether this is an earlier message that the broker
        has stored. It may be out of date."""

        def change(table: TableState) -> TableState:
            return replace(table, wall=wall, seen=table.seen if is_retained else self._clock(), problem="")

        self._change(name, change)

    def set_problem(self, name: str, problem: TextLike) -> None:
        """Records why a message of a table was refused."""
        self._change(name, lambda table: replace(table, problem=problem))

    def forget(self, name: str) -> None:
        """Removes a table, because its status was deleted from the broker."""
        with self._changed:
            if self._tables.pop(name, None):
                self._count_change()

    def set_broker_problem(self, problem: TextLike) -> None:
        """Records why nothing comes from the broker; "" if the venue is connected."""
        with self._changed:
            if not problem:
                self._connected, self._connected_s = self._clock(), self._seconds()
            self._set_problem("broker_problem", problem)

    def set_result_problem(self, problem: TextLike) -> None:
        """Records why results can't be stored; "" if they can."""
        self._set_problem("result_problem", problem)

    def _set_problem(self, name: str, problem: TextLike) -> None:
        with self._changed:
            if getattr(self, name) != problem:
                setattr(self, name, problem)
                self._count_change()

    def _change(self, name: str, change: Callable[[TableState], TableState]) -> None:
        with self._changed:
            if name not in self._tables and len(self._tables) >= MAX_TABLES:
                self._turn_away()
                return
            before = self._tables.get(name) or TableState(name)
            after = change(before)
            if name not in self._tables:
                tables = {**self._tables, name: after}
                self._tables = {each: tables[each] for each in sorted(tables, key=natural_order)}
            elif replace(after, seen=before.seen, online_until=before.online_until) == before:
                self._tables[name] = after
                return
            self._tables[name] = replace(after, changed=self._revision + 1)
            self._count_change()

    def _mark_missing(self) -> None:
        """Marks tables that are missing as offline. This is needed because a broker that was down does not report which
        tables have left in the meantime."""
        now = self._seconds()
        if self.broker_problem or now - self._connected_s < ROLL_CALL_S:
            return
        for name in [table.name for table in self._tables.values() if self._is_missing(table, now)]:
            self._change(name, lambda table: replace(table, is_online=False))

    def _is_missing(self, table: TableState, now: float) -> bool:
        """Whether a table counts as online, but has not reported in time: its status was valid for a limited time,
        which is over, or it had no limit, and the table has not reported since the venue connected."""
        if not table.is_online or table.seen is None:
            return False
        if table.online_until is not None:
            return table.online_until <= now
        return self._connected is not None and table.seen < self._connected

    def _turn_away(self) -> None:
        self.turned_away += 1
        if self.turned_away == 1:
            self._count_change()

    def _count_change(self) -> None:
        self._revision += 1
        if (shown := self._names_on_wall()) != self._shown:
            self._shown, self._shown_since = shown, self._revision
        self._changed.notify_all()

    def _names_on_wall(self) -> tuple[str, ...]:
        now = self._clock()
        return tuple(name for name, table in self._tables.items() if table.is_on_wall(now))
