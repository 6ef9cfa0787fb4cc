"""The lock on a data folder: only one service may use it. The lock file holds the port of its pages."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from companion.commands import CommandError

LOCK = "lock"


@dataclass
class Lock:
    """The lock, for its holder. `port`: the port of the pages, None until they are served."""

    file: TextIO
    port: int | None = None

    def publish_port(self, port: int) -> None:
        """Writes the port into the lock file, for other processes that find the folder locked."""
        self.port = port
        with suppress(OSError):  # the service works without it, for instance on a full disk
            os.write(self.file.fileno(), str(port).encode())


@dataclass(frozen=True)
class LockHolder:
    """The service that holds the lock."""

    port: int | None


@contextmanager
def exclusive_lock(data: Path) -> Iterator[Lock]:
    """Locks the data folder; raises CommandError if another service uses it."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        file = (data / LOCK).open("a")  # "w" would erase the port of its holder
    except OSError as error:
        raise CommandError(
            f"{data} can't be written to ({error.strerror}); name another folder with --data."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CommandError(
                f"Another Tablekeeper is using {data}; stop it, or name another folder with --data."
            ) from error
        file.truncate(0)
        yield Lock(file)


def lock_holder(data: Path) -> LockHolder | None:
    """The service that uses the data folder, if any."""
    try:
        with (data / LOCK).open(errors="replace") as file:
            return _read_lock(file)
    except OSError:  # there is no lock file yet
        return None


def _read_lock(file: TextIO) -> LockHolder | None:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        port = file.read()
        return LockHolder(int(port) if port.isdecimal() else None)
    return None
