"""The lock on a data folder, so that only one service uses the folder. The lock file holds the port of that service's
pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from companion.commands import CommandError
from companion.installation import is_installed_table
from companion.match.journal_file_access import make_private_folder
from companion.platform_calls import FileLock
from companion.storage_remedies import unusable_folder_remedy

LOCK = "lock"


@dataclass
class Lock:
    """The lock on a data folder, for the service that holds it. `port`: the port of the service's pages; None until
    they are served."""

    file: TextIO
    port: int | None = None

    def publish_port(self, port: int) -> None:
        """Writes the port of the pages into the lock file, for other processes that find the folder locked."""
        self.port = port
        with suppress(OSError):  # the service works even if the port can't be written, for instance on a full disk
            self.file.truncate(0)
            os.write(self.file.fileno(), str(port).encode())


@dataclass(frozen=True)
class LockHolder:
    """The service that holds the lock on a data folder. `port`: the port on which the service serves its pages; None if
    it does not serve them yet."""

    port: int | None


def _stop_remedy() -> str:
    if is_installed_table():
        return "Stop it: sudo systemctl stop tablekeeper"
    return "Stop it, or name another folder with --data."


@contextmanager
def exclusive_lock(data: Path) -> Iterator[Lock]:
    """Locks the data folder during the block. Raises CommandError if another service uses the folder, or if the folder
    can't be written to."""
    try:
        make_private_folder(data)
        file = (data / LOCK).open("a")  # mode "w" would erase the port of the holder
    except OSError as error:
        raise CommandError(f"Can’t write to {data} ({error.strerror}). {unusable_folder_remedy(data)!s}") from error
    with file, closing(FileLock(file.fileno(), data / LOCK)) as lock:
        if not lock.acquire():
            raise CommandError(f"Another Tablekeeper is using {data}. {_stop_remedy()}")
        file.truncate(0)
        yield Lock(file)


def lock_holder(data: Path) -> LockHolder | None:
    """The service that uses the data folder; None if no service does."""
    try:
        with (data / LOCK).open(errors="replace") as file:
            return _read_lock(file, data / LOCK)
    except OSError:  # there is no lock file yet
        return None


def _read_lock(file: TextIO, path: Path) -> LockHolder | None:
    with closing(FileLock(file.fileno(), path)) as lock:
        if lock.acquire(shared=True):
            return None
    port = file.read()
    return LockHolder(int(port) if port.isdecimal() else None)
