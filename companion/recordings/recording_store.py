"""The recordings of the table in the data folder, one file for each game, or several if the service was restarted.

They are kept only if the host has agreed, and they never leave this machine by themselves: no backup contains them. A
recording has what the camera saw, including hidden cards that were shown to it. So nobody gets one before its game is
closed (`web.setup.recordings_page`).
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion.match.journal_file_access import PRIVATE_FOLDER
from companion.platform_calls import give_to_owner_of

FOLDER = "table-recordings"
"""The folder in the data folder."""
MAX_BYTES = 50_000_000
"""If the recordings would take more bytes than this, the oldest ones are deleted."""
MAX_RECORDING_BYTES = 5_000_000
"""A recording ends when it has this size."""
MIN_FREE_BYTES = 100_000_000
"""Nothing is recorded if the disk has less room than this, because the journal needs it."""
NAME = re.compile(r"(\d+)-(\d{14})\d*-(\d+)\.jsonl", re.ASCII)


class KeptRecording(NamedTuple):
    """A recording in the store. `started`: the digits of the time when its game was started, as in the journal."""

    name: str
    game: int
    started: str
    size: int


class RecordingStore:
    """The recordings in a data folder. Methods that write raise OSError."""

    def __init__(self, data: Path, max_bytes: int = MAX_BYTES, min_free_bytes: int = MIN_FREE_BYTES) -> None:
        self.folder, self._max_bytes, self._min_free_bytes = data / FOLDER, max_bytes, min_free_bytes
        self._consent = self.folder / "agreed"

    @property
    def is_on(self) -> bool:
        """Whether the host has agreed that the table is recorded."""
        return os.path.exists(self._consent)  # unlike Path.exists, False if the folder belongs to somebody else

    def turn_on(self) -> None:
        """Records the table from now on."""
        self.folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        self._consent.touch()
        give_to_owner_of(self.folder.parent, self.folder, self._consent)

    def turn_off(self) -> None:
        """Stops recording, and keeps the recordings."""
        self._consent.unlink(missing_ok=True)

    def delete_all(self) -> None:
        """Deletes all recordings."""
        for each in self.recordings():
            (self.folder / each.name).unlink(missing_ok=True)

    def recordings(self) -> tuple[KeptRecording, ...]:
        """The recordings, the newest game first."""
        found = []
        for path in self.folder.glob("*.jsonl"):
            if match := NAME.fullmatch(path.name):
                with suppress(FileNotFoundError):  # it may be deleted meanwhile
                    kept = KeptRecording(path.name, int(match[1]), match[2], path.stat().st_size)
                    found.append((kept.game, int(match[3]), kept))
        return tuple(kept for _game, _part, kept in sorted(found, reverse=True))

    @property
    def size(self) -> int:
        """The size of all recordings in bytes."""
        return sum(each.size for each in self.recordings())

    def read(self, name: str) -> bytes | None:
        """The recording with this name; None if there is none."""
        known = {each.name for each in self.recordings()}
        return (self.folder / name).read_bytes() if name in known else None

    def create(self, game: int, started: str, first_line: bytes) -> str:
        """Begins a recording with its first line; returns its name. `started`: when the game was started, as in the
        journal. Deletes the oldest recordings if there is no room."""
        self._check_room()
        stem = f"{game}-{digits(started)}"
        name = next(name for n in range(1, 10_000) if not (self.folder / (name := f"{stem}-{n}.jsonl")).exists())
        with (self.folder / name).open("xb") as file:
            file.write(first_line)
        self._delete_oldest(name)
        return name

    def append(self, name: str, lines: bytes) -> None:
        """Adds lines to a recording. Raises FileNotFoundError if it has been deleted."""
        self._check_room()
        with (self.folder / name).open("r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(lines)

    def _check_room(self) -> None:
        if shutil.disk_usage(self.folder).free < self._min_free_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _delete_oldest(self, current: str) -> None:
        kept, size = self.recordings(), self.size
        for each in kept[::-1]:
            if size + MAX_RECORDING_BYTES <= self._max_bytes or each.name == current:
                return
            (self.folder / each.name).unlink(missing_ok=True)
            size -= each.size


def digits(started: str) -> str:
    """The digits of a time in the journal, to the second."""
    return re.sub("[^0-9]", "", started)[:14]
