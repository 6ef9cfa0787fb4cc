"""The journal's files: how they are kept private, made durable, and read without changing any file."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from companion.platform_calls import BINARY, CLOSE_ON_EXEC, FolderLock, read_at

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
COPY_BYTES = 1 << 16
"""How much of a file is copied at once."""
SECTOR_BYTES = 4096
"""The size of the blocks into which an unreadable part of a file is divided, so that only unreadable blocks are
lost."""
NO_DAMAGE = frozenset(
    (
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY),
        *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_INTERRUPT),
    )
)
"""SQLite's codes for errors that do not mean that the file is damaged."""


def make_private_folder(folder: Path) -> None:
    """Creates a folder that only its owner may enter, unless the folder exists."""
    folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Creates an empty file that only its owner may use. If the file exists, takes away everybody else's
    permissions."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, PRIVATE_FILE))
    make_private(path, PRIVATE_FILE)


def make_private(path: Path, mode: int) -> None:
    """Removes all permissions of a file or folder that are not in `mode`. Does nothing if the file or folder belongs to
    somebody else."""
    with suppress(FileNotFoundError, PermissionError):
        if (found := path.stat().st_mode & 0o777) & ~mode:
            path.chmod(found & mode)


def wal_of(journal: Path) -> Path:
    """The path of the journal's write-ahead log."""
    return journal.with_name(f"{journal.name}-wal")


def database_files(journal: Path) -> tuple[Path, Path, Path]:
    """The paths of the database, its write-ahead log and its shared-memory file."""
    return journal, wal_of(journal), journal.with_name(f"{journal.name}-shm")


def sync(path: Path) -> None:
    """Makes a file durable. Must not be called while this process has the database open: closing any descriptor of the
    file would release SQLite's locks."""
    file = os.open(path, os.O_RDWR | CLOSE_ON_EXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def check_room(folder: Path) -> None:
    """Raises OSError if nothing can be written to a folder, because its disk is full or read-only."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(SECTOR_BYTES))


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the database is damaged, and not, for instance, that it is locked."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in NO_DAMAGE


@contextmanager
def open_untouched(journal: Path) -> Iterator[sqlite3.Connection]:
    """Opens a database without creating or changing any of its files, even on a read-only disk. Nobody may be writing
    to the database. If the database has a write-ahead log, a temporary copy of both files is opened instead."""
    with ExitStack() as resources:
        if has_content(wal_of(journal)):
            copy = Path(resources.enter_context(tempfile.TemporaryDirectory(prefix="tablekeeper-"))) / journal.name
            copy_readable(journal, copy)
            copy_readable(wal_of(journal), wal_of(copy))
            db = sqlite3.connect(copy, isolation_level=None)
        else:
            db = sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
        yield resources.enter_context(closing(db))


def copy_readable(source: Path, target: Path) -> None:
    """Copies a file. Blocks that the disk can't read become zeros."""
    file = os.open(source, os.O_RDONLY | CLOSE_ON_EXEC | BINARY)
    try:
        with target.open("wb") as copy:
            for start in range(0, os.fstat(file).st_size, COPY_BYTES):
                copy.write(_readable_block(file, start))
    finally:
        os.close(file)


def _readable_block(file: int, start: int, size: int = COPY_BYTES) -> bytes:
    try:
        return read_at(file, size, start)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
    if size <= SECTOR_BYTES:
        return bytes(size)
    return b"".join(_readable_block(file, at, SECTOR_BYTES) for at in range(start, start + size, SECTOR_BYTES))


def has_content(path: Path) -> bool:
    """Whether a file exists and is not empty."""
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def connect_database(path: Path | str) -> sqlite3.Connection:
    """Opens a database, which any thread may use; creates it if there is none."""
    return sqlite3.connect(path, check_same_thread=False, isolation_level=None)


def connect_in_memory() -> sqlite3.Connection:
    """A new database in memory, which any thread may use."""
    return connect_database(":memory:")


def copy_in_memory(journal: Path) -> sqlite3.Connection | None:
    """A copy of the database in memory, made without changing a file, even while a service uses the database. The copy
    is empty if there is no database. Returns None if the database is too damaged to be copied."""
    copy = connect_in_memory()
    try:
        if has_content(journal):
            with _open_for_reading(journal) as db:
                db.backup(copy)
    except sqlite3.Error as error:
        copy.close()
        if not is_damage(error):
            raise
        return None
    return copy


@contextmanager
def _open_for_reading(journal: Path) -> Iterator[sqlite3.Connection]:
    """Opens a database for reading, even if other processes have it open."""
    lock = FolderLock(journal.parent)
    try:
        if lock.acquire_alone() or not _is_in_use(journal):
            with open_untouched(journal) as db:
                yield db
        else:
            with closing(_connect_to_read(journal)) as db:
                yield db
    finally:
        lock.close()


def _is_in_use(journal: Path) -> bool:
    """Whether another process may be writing to the database. False if SQLite can't open the database in its folder,
    because this happens only on a read-only disk, where no process can write."""
    try:
        with closing(_connect_to_read(journal)) as db:
            db.execute("PRAGMA schema_version")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            return False
        raise
    return True


def _connect_to_read(journal: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True)
