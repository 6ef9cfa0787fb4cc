"""The journal: the database of all games, each as a list of acts that are durable before they are acknowledged.

The database is SQLite in WAL mode with `synchronous=FULL`, so an appended act survives a power cut. Each act is a row,
with a line of text for each of its moves; replaying the moves gives the position. `journal_schema` describes the
digests of the rows, `journal_counter` the counter beside the database, `journal_repair` what happens to a damaged
journal.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from companion.games.what_if import WhatIf
from companion.match.fair_shuffle import FairShuffle
from companion.match.journal_counter import Count, Counter, counter_path
from companion.match.journal_files import (
    check_room,
    connect_database,
    connect_in_memory,
    make_private_file,
    make_private_folder,
)
from companion.match.journal_integrity import count_in
from companion.match.journal_repair import check_and_repair, copy_for_reading, finish, is_unfinished
from companion.match.journal_schema import (
    ACT_COLUMNS,
    CHANGES,
    GAME_COLUMNS,
    NewerSchema,
    chain_after,
    chain_start,
    hash_of,
    migrate,
    schema_version,
)
from companion.platform_calls import FolderLock
from companion.text.messages import TextError, TextLike, _
from companion.text.player_names import bidi_isolate

ActKind = Literal["deal", "move", "undo", "redo"]
"""The kind of an act. A `deal` is what the companion dealt as the game began; it can't be undone."""


class JournalError(TextError):
    """The error for a journal or an exported game that can't be read or written; the message says what to do. Acts that
    were acknowledged before are safe."""


@dataclass(frozen=True)
class Header:
    """The data with which a game was started. `dealers` maps each chance source to who deals from it, one of DEALERS.
    `shuffle` is None in games from before shuffles could be checked. `what_if`: the origin of a what-if; None for any
    other game."""

    game: str
    rules_version: int
    seats: int
    setup: Mapping[str, Any]
    dealers: Mapping[str, str]
    players: tuple[str, ...]
    seed: str = field(repr=False)
    shuffle: FairShuffle | None = None
    what_if: WhatIf | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat, each wrapped (see `bidi_isolate`) so that its writing direction does not disturb
        a sentence."""
        return tuple(map(bidi_isolate, self.players))


@dataclass(frozen=True)
class ActRecord:
    """A stored act. `seat` is who acted (None: the table), `request` the id that the phone gave to this action, `moves`
    the moves as lines of text, `digest` a hash of the position after the act. `code`: the code of the card that was
    dealt or played, if reading this code led to the act."""

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


def _header_from_row(
    game: str, rules: int, seats: int, setup: str, dealers: str, players: str, seed: str, shuffle: str
) -> Header:
    value = json.loads(shuffle) if shuffle else {}
    fair = FairShuffle.from_json(value) if "commitment" in value else None
    origin = WhatIf.from_json(value["what_if"]) if "what_if" in value else None
    names = tuple(json.loads(players))
    return Header(game, rules, seats, json.loads(setup), json.loads(dealers), names, seed, fair, origin)


def _shuffle_text(header: Header) -> str:
    """What the column `shuffle` holds: the shuffle, and the origin of a what-if."""
    value = header.shuffle.to_json() if header.shuffle else {}
    value |= {"what_if": header.what_if.to_json()} if header.what_if else {}
    return json.dumps(value) if value else ""


def now() -> str:
    """The current date and time in UTC, to the second, in ISO format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


HEADER_COLUMNS = "game, rules_version, seats, setup, dealers, players, seed, shuffle"
"""The database columns of a header, in the order of its fields."""
UNCERTAIN = _("The last move may not be saved. Stop Tablekeeper, check the disk, and start it again.")

Connect = Callable[[Path | str], sqlite3.Connection]
"""A function that opens a database."""


def _unsaved(error: Exception) -> JournalError:
    return JournalError(_("This could not be saved ({error}): is the disk full? Nothing was changed.", error=error))


@contextmanager
def _explaining_errors(path: Path | None) -> Iterator[None]:
    """Within the block, an error that occurs while the journal is opened becomes a JournalError."""
    try:
        yield
    except (OSError, sqlite3.Error, NewerSchema) as error:
        raise JournalError(
            _(
                "The journal {path} can't be opened ({error}); name another folder with --data.",
                path=path or "",
                error=error,
            )
        ) from error


class Journal:
    """An open journal; without a `path` it is kept in memory. Any thread may use it, because statements and
    transactions never overlap.

    Opening a journal checks it and repairs any damage. If another process has the journal open, that process has done
    so already. `damage` says what was wrong; "" if nothing was. `connect` is the function that opens the database for
    writing.
    """

    def __init__(self, path: Path | None, connect: Connect = connect_database) -> None:
        self._lock = threading.RLock()
        self._counter: Counter | None = None
        self._count = Count()
        self._is_count_lost = False
        self._is_in_transaction = False
        self._unfinished_repair: Path | None = None
        self._path = path
        self.damage: TextLike = ""
        with _explaining_errors(path), ExitStack() as resources:
            if path:
                self._open(path, connect, resources)
            else:
                self._db = connect_in_memory()
                resources.callback(self._db.close)
                migrate(self._db)
            self._close = weakref.finalize(self, resources.pop_all().close)

    @classmethod
    def read_only(cls, path: Path) -> Journal:
        """A copy of the journal in memory, made without changing or creating any file. If the journal is damaged, the
        copy has what can be read, and `damage` says what is wrong."""
        journal = cls(None)
        with _explaining_errors(path):
            journal.close()
            journal._db, journal.damage = copy_for_reading(path)
            journal._close = weakref.finalize(journal, journal._db.close)
        return journal

    def _open(self, path: Path, connect: Connect, resources: ExitStack) -> None:
        make_private_folder(path.parent)
        folder = FolderLock(path.parent)
        resources.callback(folder.close)
        is_alone = folder.acquire()
        self.damage = check_and_repair(path) if is_alone else ""
        self._counter = Counter(counter_path(path))
        resources.callback(self._counter.close)
        if is_alone:
            make_private_file(path)
        self._db = connect(path)
        resources.callback(self._db.close)
        schema_version(self._db)
        for setting in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "busy_timeout = 5000"):
            self._db.execute(f"PRAGMA {setting}")
        migrate(self._db)
        if is_alone and self._counter.read() != (count := count_in(self._db)):
            self._counter.write(count)
        self._unfinished_repair = path if is_unfinished(path) else None
        folder.share()

    def close(self) -> None:
        """Closes the database."""
        self._close()

    @property
    def needs_restart(self) -> bool:
        """Whether nothing can be stored until the journal is opened again."""
        return self._is_count_lost

    def saving_problem(self) -> TextLike:
        """Why nothing can be stored now; "" if the journal can be written. The check leaves nothing behind. It waits
        for a transaction in progress."""
        try:
            with self._lock:
                with self._counter.exclusive() if self._counter else nullcontext():
                    self._begin()
                    self._write("ROLLBACK", ())
                if self._path:
                    check_room(self._path.parent)
        except JournalError as error:
            return error.message
        except OSError as error:
            return _unsaved(error).message
        return ""

    def _write(self, sql: str, values: tuple[Any, ...]) -> int:
        try:
            with self._lock:
                return self._db.execute(sql, values).lastrowid or 0
        except sqlite3.Error as error:
            raise _unsaved(error) from error

    def _read(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            message = _("The journal can't be read ({error}); name another folder with --data.", error=error)
            raise JournalError(message) from error

    # Games -----------------------------------------------------------------------------------------

    def open_game(self, header: Header, records: Sequence[ActRecord] = ()) -> StoredGame:
        """Stores a new game with its first acts, and closes the running game. Does both or neither. Returns the new
        game."""
        stored = StoredGame(0, header, tuple(records), now(), None)
        with self.transaction():
            self.close_game()
            id = self._insert_game_with_acts(stored)
        return replace(stored, id=id)

    def close_game(self) -> None:
        """Closes the running game, if there is one."""
        with self.transaction():
            for (id,) in self._read("SELECT id FROM games WHERE closed IS NULL"):
                self._change_game(id, "closed", now())

    def _change_game(self, id: int, column: str, value: str) -> None:
        self._write(f"UPDATE games SET {column} = ? WHERE id = ?", (value, id))
        (game,) = self._read(f"SELECT {', '.join(GAME_COLUMNS)} FROM games WHERE id = ?", (id,))
        self._write("UPDATE games SET checksum = ? WHERE id = ?", (hash_of(game), id))
        self._count_change()

    def _count_change(self) -> None:
        self._count = replace(self._count, changes=self._count.changes + 1)
        self._store_note(CHANGES, str(self._count.changes))

    def _insert_game_with_acts(self, stored: StoredGame) -> int:
        id = self._insert_game(stored.header, stored.started, stored.closed)
        for record in stored.records:
            self.append(id, record)
        return id

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Makes everything that the block writes durable, and counts it. If anything fails, nothing is stored. A nested
        transaction is part of the outer one."""
        with self._lock:
            if self._is_in_transaction:
                yield
                return
            self._is_in_transaction = True
            try:
                with self._counter.exclusive() if self._counter else nullcontext():
                    self._begin()
                    with self._rolling_back():
                        yield
                        self._write("COMMIT", ())
                    self._save_count()
            finally:
                self._is_in_transaction = False

    def _begin(self) -> None:
        if self._is_count_lost:
            raise JournalError(UNCERTAIN)
        if self._unfinished_repair:
            self._finish_repair(self._unfinished_repair)
        if self._counter:
            self._count = self._counter.read() or self._count
        self._write("BEGIN IMMEDIATE", ())

    def _finish_repair(self, journal: Path) -> None:
        try:
            finish(journal)
        except OSError as error:
            raise _unsaved(error) from error
        self._unfinished_repair = None

    @contextmanager
    def _rolling_back(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # after some errors SQLite has rolled back already
                self._db.execute("ROLLBACK")
            raise

    def _save_count(self) -> None:
        """Counts what was stored. If that fails, the transaction is not acknowledged, although a restart will find it
        in the database. So the journal stores nothing more until it is opened again."""
        try:
            if self._counter:
                self._counter.write(self._count)
        except OSError as error:
            self._is_count_lost = True
            raise JournalError(UNCERTAIN) from error

    def _insert_game(self, header: Header, started: str, closed: str | None) -> int:
        id = (self._read("SELECT max(id) FROM games")[0][0] or 0) + 1
        game = (
            id,
            header.game,
            header.rules_version,
            header.seats,
            json.dumps(header.setup),
            json.dumps(header.dealers),
            header.seed,
            started,
            json.dumps(header.players),
            closed,
            _shuffle_text(header),
        )
        self._insert("games", (*GAME_COLUMNS, "checksum"), (*game, hash_of(game)))
        games = self._count.games + 1
        self._count = replace(self._count, games=games, game=id, version=0, chain=chain_start(game))
        return id

    def _insert(self, table: str, columns: tuple[str, ...], values: tuple[Any, ...]) -> None:
        self._write(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", values)

    def rename_players(self, game: int, players: tuple[str, ...]) -> None:
        """Stores new names for the players of a game."""
        with self.transaction():
            self._change_game(game, "players", json.dumps(players))

    def rename_in_all_games(self, renamed: Callable[[Sequence[str]], Sequence[str]], notes: Mapping[str, Any]) -> None:
        """Gives players other names in all games, and stores notes; does all of it or nothing. `renamed` returns the
        new names for the players of a game. The earlier names are then overwritten in the journal's files."""
        with self.transaction():
            for id, stored in self._read("SELECT id, players FROM games"):
                before = tuple(json.loads(stored))
                if (players := tuple(renamed(before))) != before:
                    self.rename_players(id, players)
            for key, value in notes.items():
                self.save_note(key, value)
        with suppress(JournalError):  # what is left in the write-ahead log is overwritten later
            self._read("PRAGMA wal_checkpoint(TRUNCATE)")

    def change_shuffle(self, game: int, header: Header) -> None:
        """Stores the changed shuffle in a game's header: with another round of shares, or with the time at which the
        seed was revealed."""
        with self.transaction():
            self._change_game(game, "shuffle", _shuffle_text(header))

    def append(self, game: int, record: ActRecord) -> None:
        """Stores an act of a game. When this returns, the act is durable."""
        who = record.kind, record.seat, record.request
        act = (game, record.version, *who, "\n".join(record.moves), record.digest, record.at, record.code)
        with self.transaction():
            chain = chain_after(self._last_chain(game), act)
            self._insert("acts", (*ACT_COLUMNS, "chain"), (*act, chain))
            acts = self._count.acts + 1
            self._count = replace(self._count, acts=acts, game=game, version=record.version, chain=chain)

    def _last_chain(self, game: int) -> str:
        found = self._read("SELECT chain FROM acts WHERE game = ? ORDER BY version DESC LIMIT 1", (game,))
        if found:
            return str(found[0][0])
        (header,) = self._read(f"SELECT {', '.join(GAME_COLUMNS)} FROM games WHERE id = ?", (game,))
        return chain_start(header)

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
        if id >= 2**63:  # More than SQLite's integers can hold.
            raise KeyError(id)
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

    def players(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """For each game, oldest first: when it was started, and the names of its players."""
        rows = self._read("SELECT started, players FROM games ORDER BY id")
        return tuple((started, tuple(json.loads(players))) for started, players in rows)

    def add(self, stored: StoredGame) -> int:
        """Stores an imported game as a closed one; returns its new id."""
        with self.transaction():
            played = self._count
            id = self._insert_game_with_acts(replace(stored, closed=stored.closed or now()))
            self._count = replace(self._count, game=played.game, version=played.version, chain=played.chain)
        return id

    def acts_before(self, id: int) -> int:
        """The number of acts in all games before this one. The versions of this game continue from that number."""
        count: int = self._read("SELECT count(*) FROM acts WHERE game < ?", (id,))[0][0]
        return count

    # Notes -----------------------------------------------------------------------------------------

    def note(self, key: str) -> Any:
        """The value stored under this key; None if there is none. Notes belong to the table, not to a game: for
        example, who has which seat."""
        rows = self._read("SELECT value FROM notes WHERE key = ?", (key,))
        return json.loads(rows[0][0]) if rows else None

    def save_note(self, key: str, value: Any) -> None:
        """Stores a value under this key durably. Notes belong to the table, not to a game."""
        with self.transaction():
            self._store_note(key, json.dumps(value))
            self._count_change()

    def _store_note(self, key: str, value: str) -> None:
        self._write(
            "INSERT INTO notes (key, value, checksum) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum",
            (key, value, hash_of((key, value))),
        )
