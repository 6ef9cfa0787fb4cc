"""The lock on a data folder: one service at a time, and where that one's pages are."""

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
    """The lock as its holder has it. `port`: where the pages are, None until they are."""

    file: TextIO
    port: int | None = None

    def serves_at(self, port: int) -> None:
        """Tells whoever finds the folder locked where the pages are."""
        self.port = port
        with suppress(OSError):  # a full disk keeps nobody from playing on
            os.write(self.file.fileno(), str(port).encode())


@dataclass(frozen=True)
class Held:
    """The lock as others find it."""

    port: int | None


@contextmanager
def alone(data: Path) -> Iterator[Lock]:
    """Makes sure that no other service uses the data folder; raises CommandError."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        file = (data / LOCK).open("a")  # "w" would wipe off what its holder says
    except OSError as error:
        raise CommandError(
            f"{data} can't be written to ({error.strerror}); name another folder with --data."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CommandError(f"Another Tablekeeper runs with {data}; stop it, or name another --data.") from error
        file.truncate(0)
        yield Lock(file)


def held(data: Path) -> Held | None:
    """What the service says that uses the data folder; None where none does."""
    try:
        with (data / LOCK).open(errors="replace") as file:
            return _said(file)
    except OSError:  # nothing is there yet
        return None


def _said(file: TextIO) -> Held | None:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        port = file.read()
        return Held(int(port) if port.isdecimal() else None)
    return None
