"""The journal: the database of all games, each as a list of acts that are durable before they are acknowledged.

SQLite in WAL mode with `synchronous=FULL`, so an appended act survives a power cut. Each act is a row, with a line of
text for each of its moves; replaying the moves gives the position.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from companion.text.messages import TextError, _
from companion.text.player_names import bidi_isolate

ActKind = Literal["deal", "move", "undo", "redo"]
"""The kind of an act. A `deal` is what the companion dealt as the game began; it can't be undone."""

MIGRATIONS = (
    """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        rules_version INTEGER NOT NULL,
        seats INTEGER NOT NULL,
        setup TEXT NOT NULL,
        dealers TEXT NOT NULL,
        players TEXT NOT NULL,
        seed TEXT NOT NULL,
        started TEXT NOT NULL,
        closed TEXT
    );
    CREATE TABLE acts (
        game INTEGER NOT NULL REFERENCES games(id),
        version INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('deal', 'move', 'undo', 'redo')),
        seat INTEGER,
        request TEXT,
        moves TEXT NOT NULL,
        digest TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (game, version)
    );
    CREATE UNIQUE INDEX requests ON acts (game, seat, request) WHERE request IS NOT NULL;
    CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    """,
    "ALTER TABLE acts ADD COLUMN thing TEXT NOT NULL DEFAULT '';",
)
"""SQL scripts, each of which takes the schema one version further. Never edit a script that was released."""


class JournalError(TextError):
    """The journal or an exported game can't be read or written; the message says what to do. Acts that were
    acknowledged before are safe."""


@dataclass(frozen=True)
class Header:
    """The data with which a game was started. `dealers` maps a source of chance to one of DEALERS."""

    game: str
    rules_version: int
    seats: int
    setup: Mapping[str, Any]
    dealers: Mapping[str, str]
    players: tuple[str, ...]
    seed: str = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat, each isolated so that its writing direction does not disturb a sentence."""
        return tuple(map(bidi_isolate, self.players))


@dataclass(frozen=True)
class ActRecord:
    """A stored act. `seat` is who acted (None: the table), `request` the id of the phone's request, `moves` the moves
    as lines of text, `digest` a hash of the position after the act. `code`: the code of the card that was dealt or
    played, if reading this code led to the act."""

    version: int
    kind: ActKind
    seat: int | None
    request: str | None
    moves: tuple[str, ...]
    digest: str
    at: str
    code: str = ""


@dataclass(frozen=True)
class StoredGame:
    """A game in the journal with all its acts. `started` and `closed` are times in UTC; `closed` is None while the game
    is running."""

    id: int
    header: Header
    records: tuple[ActRecord, ...]
    started: str
    closed: str | None


HEADER_COLUMNS = "game, rules_version, seats, setup, dealers, players, seed"
"""The database columns of a header, in the order of its fields."""


def _header_from_row(game: str, rules: int, seats: int, setup: str, dealers: str, players: str, seed: str) -> Header:
    return Header(game, rules, seats, json.loads(setup), json.loads(dealers), tuple(json.loads(players)), seed)


def now() -> str:
    """The current date and time in UTC, to the second, in ISO format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Journal:
    """An open journal; without a `path` it is kept in memory. Any thread may use it, because statements and
    transactions never overlap."""

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.RLock()
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
            weakref.finalize(self, self._db.close)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA busy_timeout = 5000")
            self._migrate()
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                _(
                    "The journal {path} can't be opened ({error}); name another folder with --data.",
                    path=path or "",
                    error=error,
                )
            ) from error

    def close(self) -> None:
        """Closes the database."""
        self._db.close()

    def _migrate(self) -> None:
        version: int = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise sqlite3.DatabaseError(f"it was written by a newer Tablekeeper, schema {version}")
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            self._db.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")

    def _write(self, sql: str, values: tuple[Any, ...]) -> int:
        try:
            with self._lock:
                return self._db.execute(sql, values).lastrowid or 0
        except sqlite3.Error as error:
            message = _("This could not be saved ({error}): is the disk full? Nothing was changed.", error=error)
            raise JournalError(message) from error

    def _read(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            message = _("The journal can't be read ({error}); name another folder with --data.", error=error)
            raise JournalError(message) from error

    # Games -----------------------------------------------------------------------------------------

    def open_game(self, header: Header, records: Sequence[ActRecord] = ()) -> StoredGame:
        """Stores a new game with its first acts and closes the running game, both or neither; returns the new game."""
        stored = StoredGame(0, header, tuple(records), now(), None)
        with self._transaction():
            self.close_game()
            return replace(stored, id=self._insert_game_with_acts(stored))

    def close_game(self) -> None:
        """Closes the running game, if there is one."""
        self._write("UPDATE games SET closed = ? WHERE closed IS NULL", (now(),))

    def _insert_game_with_acts(self, stored: StoredGame) -> int:
        id = self._insert_game(stored.header, stored.started, stored.closed)
        for record in stored.records:
            self.append(id, record)
        return id

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Stores everything that is written within the block, or nothing if anything fails."""
        with self._lock:
            self._write("BEGIN IMMEDIATE", ())
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._write("COMMIT", ())

    def _insert_game(self, header: Header, started: str, closed: str | None) -> int:
        values = (
            header.game,
            header.rules_version,
            header.seats,
            json.dumps(header.setup),
            json.dumps(header.dealers),
            json.dumps(header.players),
            header.seed,
            started,
            closed,
        )
        return self._write(
            "INSERT INTO games (game, rules_version, seats, setup, dealers, players, seed, started, closed)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )

    def rename_players(self, game: int, players: tuple[str, ...]) -> None:
        """Stores new names for the players of a game."""
        self._write("UPDATE games SET players = ? WHERE id = ?", (json.dumps(players), game))

    def append(self, game: int, record: ActRecord) -> None:
        """Stores an act of a game. When this returns, the act is durable."""
        self._write(
            "INSERT INTO acts (game, version, kind, seat, request, moves, digest, at, thing)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                game,
                record.version,
                record.kind,
                record.seat,
                record.request,
                "\n".join(record.moves),
                record.digest,
                record.at,
                record.code,
            ),
        )

    def running_game(self) -> StoredGame | None:
        """The game that is not closed; None if there is none."""
        rows = self._read("SELECT id FROM games WHERE closed IS NULL ORDER BY id DESC LIMIT 1")
        return self.game(rows[0][0]) if rows else None

    def last_header(self) -> Header | None:
        """The header of the game that was started last, whether it is still running or not; None if there is no
        game."""
        rows = self._read(f"SELECT {HEADER_COLUMNS} FROM games ORDER BY started DESC, id DESC LIMIT 1")
        return _header_from_row(*rows[0]) if rows else None

    def game(self, id: int) -> StoredGame:
        """The game with this id; raises KeyError if there is none."""
        rows = self._read(f"SELECT started, closed, {HEADER_COLUMNS} FROM games WHERE id = ?", (id,))
        if not rows:
            raise KeyError(id)
        started, closed, *header = rows[0]
        return StoredGame(id, _header_from_row(*header), tuple(self._records(id)), started, closed)

    def _records(self, id: int) -> Iterator[ActRecord]:
        rows = self._read(
            "SELECT version, kind, seat, request, moves, digest, at, thing FROM acts WHERE game = ? ORDER BY version",
            (id,),
        )
        for version, kind, seat, request, moves, digest, at, code in rows:
            lines = tuple(moves.split("\n")) if moves else ()
            yield ActRecord(version, kind, seat, request, lines, digest, at, code)

    def games(self) -> tuple[StoredGame, ...]:
        """All games, oldest first."""
        return tuple(self.game(id) for (id,) in self._read("SELECT id FROM games ORDER BY id"))

    def add(self, stored: StoredGame) -> int:
        """Stores an imported game as a closed one; returns its new id."""
        with self._transaction():
            return self._insert_game_with_acts(replace(stored, closed=stored.closed or now()))

    def acts_before(self, id: int) -> int:
        """The number of acts in all games before this one. The game's versions count on from there."""
        count: int = self._read("SELECT count(*) FROM acts WHERE game < ?", (id,))[0][0]
        return count

    # Notes -----------------------------------------------------------------------------------------

    def note(self, key: str) -> Any:
        """The value stored under this key beside the games, such as who has which seat; None if there is none."""
        rows = self._read("SELECT value FROM notes WHERE key = ?", (key,))
        return json.loads(rows[0][0]) if rows else None

    def save_note(self, key: str, value: Any) -> None:
        """Stores a value under this key durably, beside the games."""
        self._write("INSERT OR REPLACE INTO notes (key, value) VALUES (?, ?)", (key, json.dumps(value)))
