"""Simulates power cuts while the journal is written, and checks that nothing that was acknowledged is missing
afterwards.

`python -m tests.power_cuts` makes a thousand cuts, or as many as its argument says. The journal runs on SQLite with a
virtual file system that records every write and every sync. After a cut, the disk has everything that was synced. Of
the later writes it has none, all, or any of the sectors, regardless of their order; sectors may contain garbage. Then
the real journal is opened on that disk.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import apsw

from companion import platform_calls
from companion.match import acknowledged_count, journal_file_access
from companion.match.journal import Journal
from companion.match.stored_game import ActRecord, Header, StoredGame

NAME = "journal.sqlite3"
SECTOR_BYTES = 512
CUTS = 1000


@dataclass(frozen=True)
class FileEvent:
    """Something that happened to a file: "create", "write" (`data` at `offset`), "truncate" (to `offset`), "sync" or
    "delete". A "sync folder" has no file. An "acknowledge" contains what the journal has promised to have stored by
    then."""

    kind: str
    file: str = ""
    offset: int = 0
    data: bytes = b""
    stored: tuple[StoredGame, ...] = ()
    note: object = None


class Recorder:
    """Records what happens to the files of a folder."""

    def __init__(self) -> None:
        self.events: list[FileEvent] = []

    def record(self, kind: str, path: str | Path, offset: int = 0, data: bytes = b"") -> None:
        name = Path(path).name
        if not name.endswith("-shm"):  # made anew from the write-ahead log when the database is opened
            self.events.append(FileEvent(kind, name, offset, data))

    def sync_folder(self) -> None:
        self.events.append(FileEvent("sync folder"))


class RecordingFile(apsw.VFSFile):
    """A file of SQLite whose writes and syncs are recorded."""

    def __init__(self, vfs: str, name: Any, flags: list[int], recorder: Recorder) -> None:
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._recorder = recorder
        self._is_entry_durable = os.path.exists(self._path)
        if not self._is_entry_durable:
            recorder.record("create", self._path)
        super().__init__(vfs, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._recorder.record("write", self._path, offset, bytes(data))
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._recorder.record("truncate", self._path, size)
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._recorder.record("sync", self._path)
        if not self._is_entry_durable:  # SQLite syncs the folder when it first syncs a log that it has created
            self._recorder.sync_folder()
            self._is_entry_durable = True
        super().xSync(flags)


class RecordingVfs(apsw.VFS):
    """SQLite's virtual file system, which records what happens to files."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        super().__init__(f"recording-{id(self)}", "")
        self.name = f"recording-{id(self)}"

    def xOpen(self, name: Any, flags: list[int]) -> RecordingFile:  # noqa: N802
        return RecordingFile("", name, flags, self._recorder)

    def xDelete(self, path: str, is_folder_synced: bool) -> None:  # noqa: N802
        super().xDelete(path, is_folder_synced)
        self._recorder.record("delete", path)
        if is_folder_synced:
            self._recorder.sync_folder()


class ApswDatabase:
    """A connection of apsw with the methods of `sqlite3.Connection` that the journal uses."""

    def __init__(self, path: Path, vfs: str) -> None:
        self._db = apsw.Connection(str(path), vfs=vfs)
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")  # a file system in Python has no shared memory

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        rows = self._db.execute(sql, values).fetchall()
        return SimpleNamespace(
            fetchall=lambda: rows,
            fetchone=lambda: rows[0] if rows else None,
            __iter__=lambda: iter(rows),
        )

    def executescript(self, sql: str) -> None:
        self._db.execute(sql)

    def close(self) -> None:
        self._db.close()


class RecordingOs:
    """Replaces the module `os`, to record the files that the journal writes without SQLite."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: Path, flags: int, mode: int = 0o777) -> int:
        is_new = flags & os.O_CREAT and not os.path.exists(path)
        file = os.open(path, flags, mode)
        if is_new:
            self._recorder.record("create", path)
        return file

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        self._recorder.record("write", os.readlink(f"/proc/self/fd/{file}"), offset, data)
        return os.pwrite(file, data, offset)

    def fsync(self, file: int) -> None:
        path = os.readlink(f"/proc/self/fd/{file}")
        if os.path.isdir(path):
            self._recorder.sync_folder()
        else:
            self._recorder.record("sync", path)


@contextmanager
def recording(recorder: Recorder) -> Iterator[Callable[[Path], Any]]:
    """Records what the journal does to its files during the block. Yields the journal's function to open a
    database."""
    system, vfs = RecordingOs(recorder), RecordingVfs(recorder)
    with (
        patch.object(acknowledged_count, "os", system),
        patch.object(acknowledged_count, "_synchronize", system.fsync),
        patch.object(journal_file_access, "os", system),
        patch.object(platform_calls, "os", system),
    ):
        yield lambda path: ApswDatabase(path, vfs.name)
    vfs.unregister()


def header(number: int) -> Header:
    return Header("systems-failing", 1, 2, {"difficulty": "easy"}, {}, ("Ann", f"Bob {number}"), f"seed {number}")


def act(version: int, rng: Random) -> ActRecord:
    moves = tuple(f'{{"seat":0,"move":"scavenge","n":{rng.random()}}}' for _ in range(rng.randint(1, 4)))
    return ActRecord(
        version, "move", 0, f"request-{rng.random()}", moves, f"{rng.random()}", "2030-01-31T19:30:00+00:00"
    )


def sample_act(version: int) -> ActRecord:
    """A synthetic act that can be the next act of any game."""
    return replace(act(version, Random(version)), request=None)


def play_evening(folder: Path, recorder: Recorder, rng: Random, acts: int) -> None:
    """Plays several games of synthetic acts, and restarts the service between them. Changes notes and names, and
    imports a game."""
    with recording(recorder) as connect:
        for session in range(3):
            with closing(Journal(folder / NAME, connect)) as journal:
                for _ in _played(journal, session, rng, acts):
                    event = FileEvent("acknowledge", stored=journal.games(), note=journal.note("seats"))
                    recorder.events.append(event)


def _played(journal: Journal, session: int, rng: Random, acts: int) -> Iterator[None]:
    yield
    running = journal.running_game()
    id = running.id if running and session == 2 else journal.open_game(header(session), [act(1, rng)]).id
    yield
    for number in range(acts):
        journal.append(id, act(len(journal.game(id).records) + 1, rng))
        yield
        if number % 7 == 3:
            journal.save_note("seats", rng.random())
            yield
    journal.rename_players(id, ("Ann", f"Cy {session}"))
    yield
    journal.add(StoredGame(0, header(9), (act(1, rng), act(2, rng)), "2030-01-01T00:00:00+00:00", None))
    yield
    if session == 0:
        journal.close_game()
        yield


@dataclass
class Content:
    """A file on the disk: what is durable, and what was written since."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[FileEvent] = field(default_factory=list)

    def sync(self) -> None:
        for event in self.pending:
            _apply(self.durable, event)
        self.pending.clear()

    def after_cut(self, rng: Random) -> bytes:
        """The bytes of the file after a cut."""
        found, pending = bytearray(self.durable), list(self.pending)
        match rng.randrange(5):
            case 0:
                pending.clear()
            case 1:
                pass
            case 2:
                del pending[rng.randint(0, len(pending)) :]
            case _:
                rng.shuffle(pending)
                pending = [sector for event in pending for sector in _sectors(event) if rng.random() < 0.5]
                pending = [_garbled(sector, rng) for sector in pending]
        for event in pending:
            _apply(found, event)
        return bytes(found)


def _apply(content: bytearray, event: FileEvent) -> None:
    if event.kind == "truncate":
        del content[event.offset :]
        return
    content.extend(bytes(max(0, event.offset - len(content))))
    content[event.offset : event.offset + len(event.data)] = event.data


def _sectors(event: FileEvent) -> Iterator[FileEvent]:
    """Yields the parts of a write that are in different sectors."""
    if event.kind == "truncate":
        yield event
        return
    start, end = event.offset, event.offset + len(event.data)
    while start < end:
        stop = min(end, (start // SECTOR_BYTES + 1) * SECTOR_BYTES)
        yield FileEvent("write", event.file, start, event.data[start - event.offset : stop - event.offset])
        start = stop


def _garbled(event: FileEvent, rng: Random) -> FileEvent:
    is_garbled = event.kind == "write" and rng.random() < 0.05
    return FileEvent("write", event.file, event.offset, rng.randbytes(len(event.data))) if is_garbled else event


class SimulatedDisk:
    """A folder on a disk. `entries`: the files by name, as programs see them. `durable`: the files that are still in
    the folder after a cut."""

    def __init__(self) -> None:
        self.entries: dict[str, Content] = {}
        self.durable: dict[str, Content] = {}

    def apply(self, event: FileEvent) -> None:
        """Repeats on this disk what an event did to the files."""
        match event.kind:
            case "create":
                self.entries[event.file] = Content()
            case "delete":
                del self.entries[event.file]
            case "write" | "truncate":
                self.entries[event.file].pending.append(event)
            case "sync":
                self.entries[event.file].sync()
            case "sync folder":
                self.durable = dict(self.entries)

    def cut(self, folder: Path, rng: Random) -> None:
        """Writes into a folder what is on the disk after a cut."""
        for name in sorted({*self.entries, *self.durable}):
            content = rng.choice((self.entries.get(name), self.durable.get(name)))
            if content:
                (folder / name).write_bytes(content.after_cut(rng))


def cuts(
    events: Sequence[FileEvent], count: int, rng: Random
) -> Iterator[tuple[SimulatedDisk, tuple[StoredGame, ...], object]]:
    """Yields the disk at random moments, together with the games and the note that were acknowledged by then."""
    disk, stored, note = SimulatedDisk(), tuple[StoredGame, ...](), None
    moments = sorted(rng.randrange(1, len(events) + 1) for _ in range(count))
    for number, event in enumerate(events, 1):
        disk.apply(event)
        if event.kind == "acknowledge":
            stored, note = event.stored, event.note
        while moments and moments[0] == number:
            moments.pop(0)
            yield disk, stored, note


def check(folder: Path, stored: Sequence[StoredGame]) -> str:
    """Opens the journal after a cut. Returns what is wrong: that an acknowledged act is missing, or that damage is
    reported although there is none. Returns "" if nothing is wrong."""
    with closing(Journal(folder / NAME)) as journal:
        if journal.damage:
            return f"reported: {journal.damage!s}"
        found = {game.id: game for game in journal.games()}
        for game in stored:
            if game.id not in found or found[game.id].records[: len(game.records)] != game.records:
                return f"game {game.id} has lost acknowledged acts"
        running = journal.running_game()
        if running:  # the journal can be continued
            journal.append(running.id, sample_act(len(running.records) + 1))
    with closing(Journal(folder / NAME)) as journal:
        return f"reported later: {journal.damage!s}" if journal.damage else ""


def failures(count: int, seed: int = 0, acts: int = 280) -> Iterator[str]:
    """Cuts the power `count` times. Yields a line for each cut after which something is wrong."""
    rng, recorder = Random(seed), Recorder()
    with tempfile.TemporaryDirectory() as folder:
        play_evening(Path(folder), recorder, rng, acts)
    for number, (disk, stored, _) in enumerate(cuts(recorder.events, count, rng)):
        with tempfile.TemporaryDirectory() as folder:
            disk.cut(Path(folder), rng)
            if wrong := check(Path(folder), stored):
                yield f"cut {number}: {wrong}"


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CUTS
    wrong = list(failures(count))
    print("\n".join(wrong[:20]))
    print(f"{count} power cuts: {len(wrong)} with a loss or a false report.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
