"""The results of a venue, in SQLite: each is stored exactly once, however often its table reports it.

The database is in WAL mode with `synchronous=FULL`, so an acknowledged result survives a power cut. The key of a result
is its id together with the table that reported it, so no table can change another table's result.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from companion.match.journal_file_access import make_private_file, make_private_folder
from companion.text.player_names import name_key
from companion.venue.table_messages import Result

FILE: Final = "venue.sqlite3"
SCRIPTS: Final = (
    """
    CREATE TABLE results (
        number INTEGER PRIMARY KEY,
        reporter TEXT NOT NULL,
        id TEXT NOT NULL,
        version INTEGER NOT NULL,
        game TEXT NOT NULL,
        played TEXT NOT NULL,
        received TEXT NOT NULL,
        message TEXT NOT NULL,
        UNIQUE (reporter, id)
    );
    CREATE INDEX results_by_day ON results (reporter, received);
    CREATE INDEX results_by_time ON results (played);
    CREATE TABLE players (
        result INTEGER NOT NULL REFERENCES results(number) ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        name TEXT NOT NULL,
        won INTEGER NOT NULL,
        PRIMARY KEY (result, seat)
    );
    """,
)
"""SQL scripts, each of which updates the schema by one version. Never edit a script that has been released."""
EARLIEST: Final = datetime(2025, 1, 1, tzinfo=UTC)
"""The earliest plausible time. Tablekeeper did not exist before, so an earlier time means that the table's clock is
wrong."""
CLOCK_TOLERANCE: Final = timedelta(hours=1)
"""How far the clock of a table may be ahead."""
MAX_PER_DAY: Final = 500
"""How many results a table may report within 24 hours, so that a broken table can't fill the disk."""


@dataclass(frozen=True)
class StoredResult:
    """A result as it was stored. `played`: when the game ended or, if the table's clock can't be right, when the result
    was received."""

    number: int
    played: datetime
    result: Result


@dataclass(frozen=True)
class WeekOfPlayer:
    """A player's games and wins in one week. `week`: the Monday of the week. `name`: the player's name as it was last
    written."""

    player: str
    name: str
    week: date
    games: int
    won: int


class ResultStore:
    """The open database of the results that a venue has received. Any thread may use it. `unnamed`: the default names
    of players who have not given a name. Such players are not in the standings. Raises sqlite3.Error or OSError if the
    database can't be opened."""

    def __init__(self, folder: Path | None, unnamed: Collection[str] = ()) -> None:
        self._lock, self._unnamed = threading.RLock(), unnamed
        if folder:
            make_private_folder(folder)
            make_private_file(folder / FILE)
        path = folder / FILE if folder else ":memory:"
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for setting in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 5000", "foreign_keys = ON"):
            self._db.execute(f"PRAGMA {setting}")
        self._migrate()

    def _migrate(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > len(SCRIPTS):
            raise sqlite3.DatabaseError(f"it was written by a newer Tablekeeper, schema {version}")
        for number, script in enumerate(SCRIPTS[version:], version + 1):
            self._db.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {number}; COMMIT")

    def close(self) -> None:
        """Closes the database."""
        with self._lock:
            self._db.close()

    def add(self, results: Iterable[Result], now: datetime) -> tuple[Result, ...]:
        """Stores results in one transaction, and returns those that are durable now: the new ones, and those that were
        stored before. The other results are refused, because their tables report too many."""
        with self._transaction():
            return tuple(result for result in results if self._add(result, now))

    def _add(self, result: Result, now: datetime) -> bool:
        known = self._db.execute(
            "SELECT number, version FROM results WHERE reporter = ? AND id = ?", (result.table, result.id)
        ).fetchone()
        if known and known[1] >= result.version:
            return True
        if known:
            self._db.execute("DELETE FROM results WHERE number = ?", (known[0],))
        elif self._is_flooding(result.table, now):
            return False
        played = plausible_time(result.ended, now)
        values = (result.table, result.id, result.version, result.game, played.isoformat(), now.isoformat())
        row = self._db.execute(
            "INSERT INTO results (reporter, id, version, game, played, received, message) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*values, msgspec.json.encode(result).decode()),
        )
        self._db.executemany(
            "INSERT INTO players VALUES (?, ?, ?, ?, ?)",
            [
                (row.lastrowid, seat, self._player_key(name), name, has_won(result, seat))
                for seat, name in enumerate(result.players)
            ],
        )
        return True

    def _player_key(self, name: str) -> str:
        """The key of a player: the name, regardless of its capitalization; "" for a player who has not given a name."""
        return "" if name in self._unnamed else name_key(name)

    def _is_flooding(self, table: str, now: datetime) -> bool:
        (count,) = self._db.execute(
            "SELECT count(*) FROM results WHERE reporter = ? AND received > ?",
            (table, (now - timedelta(days=1)).isoformat()),
        ).fetchone()
        return bool(count >= MAX_PER_DAY)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def count(self) -> int:
        """The number of results."""
        return int(self._rows("SELECT count(*) FROM results")[0][0])

    def games(self) -> tuple[str, ...]:
        """The names of all games that have results."""
        return tuple(name for (name,) in self._rows("SELECT DISTINCT game FROM results ORDER BY game"))

    def latest(self, limit: int) -> tuple[StoredResult, ...]:
        """The latest results, at most `limit`, newest first."""
        return tuple(self._stored("ORDER BY played DESC, number DESC LIMIT ?", limit))

    def all(self) -> tuple[StoredResult, ...]:
        """All results, oldest first."""
        return tuple(self._stored("ORDER BY played, number"))

    def weeks(self, since: date, game: str | None = None) -> tuple[WeekOfPlayer, ...]:
        """The games and wins of each player in each week, starting with the Monday `since`, in this machine's time
        zone. `game`: the only game to count; None for all games. Players without a name are left out."""
        rows = self._rows(
            "SELECT player, name, date(played, 'localtime', 'weekday 0', '-6 days') AS week, count(*), sum(won), "
            "max(played) FROM players JOIN results ON number = result WHERE player != '' AND week >= ? "
            "AND (? IS NULL OR game = ?) GROUP BY player, week ORDER BY week, player",
            since.isoformat(),
            game,
            game,
        )
        return tuple(
            WeekOfPlayer(player, name, date.fromisoformat(week), games, won)
            for player, name, week, games, won, _ in rows
        )

    def _stored(self, order: str, *values: object) -> Iterator[StoredResult]:
        for number, played, message in self._rows(f"SELECT number, played, message FROM results {order}", *values):
            yield StoredResult(number, datetime.fromisoformat(played), msgspec.json.decode(message, type=Result))

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()


def plausible_time(ended: datetime, now: datetime) -> datetime:
    """When a game ended, in UTC: the time `ended` that the table has reported or, if the table's clock can't be right,
    `now`."""
    is_plausible = EARLIEST <= ended <= now + CLOCK_TOLERANCE
    return ended.astimezone(UTC) if is_plausible else now


def has_won(result: Result, seat: int) -> bool:
    """Whether the player of a seat has won, alone or together with the others."""
    outcome = result.result
    return seat in outcome.winners if outcome.won is None else outcome.won
