"""The counter: a file beside the journal's database that says how many acts have been acknowledged.

An act is written to the database, then counted in the counter. Once both are durable, the act is acknowledged: phones
are told that it was made. After a power cut, the database may have more acts than the counter says. Nobody was told of
the additional acts. If the database has fewer acts than the counter says, acknowledged acts are missing.

The file has two slots, which are written in turn, each in a sector of its own. If a write is interrupted, it damages
only one slot; the other stays valid.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from companion.match.journal_file_access import make_private_file
from companion.platform_calls import BINARY, CLOSE_ON_EXEC, exclusive_file, read_at, sync_folder, write_at

MAGIC = b"TKCOUNT1"
SLOT_BYTES = 4096
"""The distance between the slots: as large as the sectors of any disk, so no write can damage both slots."""
RECORD = struct.Struct(">8s6Q64s")
"""The content of a slot, without the digest that follows: MAGIC, the number of the write, then the fields of an
`AcknowledgedCount`."""
DIGEST_BYTES = 32

_synchronize = getattr(os, "fdatasync", os.fsync)
"""Makes the contents of a file durable, but not necessarily its time stamps."""


@dataclass(frozen=True)
class AcknowledgedCount:
    """How much the journal has acknowledged: the number of acts, of games, and of changes (new names of players,
    changed notes, ends of games). `game` is the id of the game that was played last, and `version` the number of acts
    in that game. `chain` is the chain value of the last act, a hash of that game up to the act."""

    acts: int = 0
    games: int = 0
    changes: int = 0
    game: int = 0
    version: int = 0
    chain: str = ""


def counter_path(journal: Path) -> Path:
    """The path of a journal's counter, which is a file beside it: `games.count` for `games.sqlite3`."""
    return journal.with_name(f"{journal.stem}.count")


class Counter:
    """The counter's file, open for writing. It is created if it does not exist."""

    def __init__(self, path: Path) -> None:
        self._path = path
        is_new = not path.exists()
        make_private_file(path)
        self._file = os.open(path, os.O_RDWR | CLOSE_ON_EXEC | BINARY)
        if is_new:
            write_at(self._file, _packed(0, AcknowledgedCount()).ljust(2 * SLOT_BYTES, b"\0"), 0)
            os.fsync(self._file)
            sync_folder(path.parent)

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def read(self) -> AcknowledgedCount | None:
        """The count in the file; None if the file is damaged."""
        return _latest(read_at(self._file, 2 * SLOT_BYTES, 0))[1]

    def write(self, count: AcknowledgedCount) -> None:
        """Writes a count durably. Raises OSError if the disk refuses."""
        number = _latest(read_at(self._file, 2 * SLOT_BYTES, 0))[0] + 1
        write_at(self._file, _packed(number, count), number % 2 * SLOT_BYTES)
        _synchronize(self._file)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keeps everyone else, other processes included, from writing the counter during the block."""
        with exclusive_file(self._file, self._path):
            yield


def read_count(path: Path) -> AcknowledgedCount | None:
    """The count in a counter's file; None if the file is missing or damaged."""
    try:
        return _latest(path.read_bytes())[1]
    except FileNotFoundError:
        return None


def write_counter(path: Path, count: AcknowledgedCount) -> None:
    """Replaces a counter's file with a new one. The new file is durable after the next `sync_folder`."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    make_private_file(new)
    with new.open("r+b") as file:
        file.write(_packed(0, count).ljust(2 * SLOT_BYTES, b"\0"))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _packed(number: int, count: AcknowledgedCount) -> bytes:
    fields = (count.acts, count.games, count.changes, count.game, count.version, count.chain.encode())
    record = RECORD.pack(MAGIC, number, *fields)
    return record + hashlib.sha256(record).digest()


def _latest(data: bytes) -> tuple[int, AcknowledgedCount | None]:
    """The number and the count of the last complete write in a counter's file; -1 and None if there is none."""
    slots = (data[start : start + RECORD.size + DIGEST_BYTES] for start in (0, SLOT_BYTES))
    return max(map(_unpacked, slots), key=lambda slot: slot[0])


def _unpacked(slot: bytes) -> tuple[int, AcknowledgedCount | None]:
    record, digest = slot[: RECORD.size], slot[RECORD.size :]
    if len(digest) != DIGEST_BYTES or hashlib.sha256(record).digest() != digest or record[:8] != MAGIC:
        return -1, None
    _, number, acts, games, changes, game, version, chain = RECORD.unpack(record)
    return number, AcknowledgedCount(acts, games, changes, game, version, chain.rstrip(b"\0").decode())
