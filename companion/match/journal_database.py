"""The journal's database as a file that is open for writing: SQLite in WAL mode with `synchronous=FULL`, and the
counter beside it.

What a transaction has stored survives a power cut. `acknowledged_count` describes the counter, and `journal_repair`
describes what happens to a damaged database.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from companion.installation import DATA
from companion.match.acknowledged_count import AcknowledgedCount, Counter, counter_path
from companion.match.journal_error import JournalError
from companion.match.journal_file_access import (
    check_room,
    connect_database,
    connect_in_memory,
    make_private_file,
    make_private_folder,
)
from companion.match.journal_integrity import count_in
from companion.match.journal_migrations import migrate, schema_version
from companion.match.journal_repair import (
    check_and_repair,
    confirm,
    copy_for_reading,
    finish,
    is_unfinished,
    reminder,
    unconfirmed,
)
from companion.match.journal_schema import NewerSchema
from companion.platform_calls import FolderLock
from companion.storage_remedies import unusable_folder_remedy
from companion.text.messages import TextLike, _, joined

UNCERTAIN = _("The last move may not be saved. Stop Tablekeeper, check the disk, then start it again.")

MIN_FREE_BYTES = 1_000_000
"""If a journal can't be opened while less disk space than this is free, the full disk is named as the reason."""

Connect = Callable[[Path | str], sqlite3.Connection]
"""A function that opens a database."""


def _unsaved(error: Exception) -> JournalError:
    why = _reason(error)
    return JournalError(_("Couldn’t save this ({error}). Is the disk full? Nothing was changed.", error=why))


def _reason(error: Exception) -> str:
    """The message of an error, without its number."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@contextmanager
def _explaining_errors(path: Path | None) -> Iterator[None]:
    """Turns any error within the block, which opens the journal, into a JournalError that says what to do."""
    try:
        yield
    except (OSError, sqlite3.Error, NewerSchema) as error:
        if path and _is_full(path.parent):
            raise JournalError(
                _(
                    "The disk is full, so the journal {path} can’t be opened. Delete files that you don’t need, then "
                    "start again.",
                    path=path,
                )
            ) from error
        message = _("Can’t open the journal {path} ({error}).", path=path or "", error=_reason(error))
        is_newer = isinstance(error, NewerSchema)
        remedy = (
            _("Update Tablekeeper, or restore an older backup.")
            if is_newer
            else unusable_folder_remedy(path.parent if path else DATA)
        )
        raise JournalError(joined(" ", (message, remedy))) from error


def _is_full(folder: Path) -> bool:
    """Whether the disk has too little room to open a journal. SQLite may report this as any of several errors."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free < MIN_FREE_BYTES
    return False


class JournalDatabase:
    """An open database of games, acts and notes; without a `path` it is kept in memory. Any thread may use it, because
    statements and transactions never overlap.

    Opening a database checks it and repairs any damage, unless another process has it open: that process has already
    checked and repaired it. `connect` is the function that opens the database for writing. Opening a database raises
    JournalError if it fails, and so do all methods."""

    def __init__(self, path: Path | None, connect: Connect = connect_database) -> None:
        self.damage: TextLike = ""
        """What was wrong with the database; "" if nothing was."""
        self.count = AcknowledgedCount()
        """Within a transaction: the count that will be acknowledged when the transaction ends. Code that writes rows
        must add them to this count."""
        self._lock = threading.RLock()
        self._counter: Counter | None = None
        self._is_count_lost = False
        self._is_in_transaction = False
        self._has_failed = False
        self._unfinished_repair: Path | None = None
        self._path = path
        with _explaining_errors(path), ExitStack() as resources:
            if path:
                self._open(path, connect, resources)
            else:
                self._db = connect_in_memory()
                resources.callback(self._db.close)
                migrate(self._db)
            self._close = weakref.finalize(self, resources.pop_all().close)

    @classmethod
    def read_only(cls, path: Path) -> JournalDatabase:
        """A copy of a database in memory, made without changing or creating any file. If the database is damaged, the
        copy has what can be read, and `damage` says what is wrong."""
        copy = cls(None)
        with _explaining_errors(path):
            copy.close()
            copy._db, copy.damage = copy_for_reading(path)
            copy._close = weakref.finalize(copy, copy._db.close)
        return copy

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

    def reminder_of_damage(self) -> TextLike:
        """What was wrong with the database when it was repaired. "" if it was never repaired, or if `confirm_damage`
        has been called since."""
        return reminder(self._path) if self._path else ""

    @property
    def has_unconfirmed_damage(self) -> bool:
        """Whether there is damage that has not been confirmed yet (see `confirm_damage`)."""
        return bool(self._path and unconfirmed(self._path))

    def confirm_damage(self) -> None:
        """Records that the host knows of the damage, so that nobody is reminded of it any more."""
        try:
            if self._path:
                confirm(self._path)
        except OSError as error:
            raise _unsaved(error) from error

    def close(self) -> None:
        """Closes the database."""
        self._close()

    @property
    def needs_restart(self) -> bool:
        """Whether nothing can be stored until the database is opened again."""
        return self._is_count_lost

    def saving_problem(self) -> TextLike:
        """Why nothing can be stored now; "" if the database can be written. The check changes nothing. It waits for a
        transaction in progress to end."""
        try:
            with self._lock:
                with self._counter.exclusive() if self._counter else nullcontext():
                    self._begin()
                    self.write("ROLLBACK")
                if self._path:
                    check_room(self._path.parent)
        except JournalError as error:
            return error.message
        except OSError as error:
            return _unsaved(error).message
        return ""

    def read(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """The rows that a query finds. `values`: the values of the query's placeholders."""
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            message = _("Can’t read the journal ({error}).", error=error)
            raise JournalError(
                joined(" ", (message, unusable_folder_remedy(self._path.parent if self._path else DATA)))
            ) from error

    def write(self, sql: str, values: tuple[Any, ...] = ()) -> None:
        """Executes a statement, within a transaction. `values`: the values of the statement's placeholders."""
        try:
            with self._lock:
                self._db.execute(sql, values)
        except sqlite3.Error as error:
            raise _unsaved(error) from error

    def insert(self, table: str, columns: tuple[str, ...], values: tuple[Any, ...]) -> None:
        """Adds a row to a table, within a transaction."""
        self.write(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Makes everything that the block writes durable, and records it in the counter. If anything fails, nothing is
        stored. A nested transaction is part of the outer one."""
        with self._lock:
            if self._is_in_transaction:
                yield
                return
            self._is_in_transaction = True
            try:
                with self._logging_failures(), self._counter.exclusive() if self._counter else nullcontext():
                    self._begin()
                    with self._rolling_back():
                        yield
                        self.write("COMMIT")
                    self._save_count()
            finally:
                self._is_in_transaction = False

    @contextmanager
    def _logging_failures(self) -> Iterator[None]:
        """Logs when the block fails to store something, and when it succeeds again. Of several failures in a row, only
        the first is logged."""
        try:
            yield
        except JournalError as error:
            if not self._has_failed:
                logging.getLogger("journal").log(logging.ERROR, "%s", error)
            self._has_failed = True
            raise
        if self._has_failed:
            logging.getLogger("journal").info("Moves can be saved again.")
        self._has_failed = False

    def _begin(self) -> None:
        if self._is_count_lost:
            raise JournalError(UNCERTAIN)
        if self._unfinished_repair:
            self._finish_repair(self._unfinished_repair)
        if self._counter:
            self.count = self._counter.read() or self.count
        self.write("BEGIN IMMEDIATE")

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
        """Writes `count` to the counter's file after a transaction. If that fails, the transaction is not acknowledged,
        although it is in the database. So nothing more is stored until the database is opened again."""
        try:
            if self._counter:
                self._counter.write(self.count)
        except OSError as error:
            self._is_count_lost = True
            raise JournalError(UNCERTAIN) from error
