"""Records the table: what the camera reports, the acts, and the discrepancies that everyone is told about.

The table passes on each change while its lock is held. The changes wait in a queue, and another thread writes them. A
broken or full disk ends the recording and nothing else.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass

from companion.games.view import View
from companion.recordings.recording_format import (
    MAX_BURST_S,
    ReportedDiscrepancy,
    companion_seats_line,
    first_line,
    line_of,
    picture_line,
    reported_at,
    reported_line,
)
from companion.recordings.recording_store import MAX_RECORDING_BYTES, RecordingStore
from companion.replay_pictures.picture_taker import TakePicture
from companion.table.table import Table
from companion.table.table_changes import ActMade, CameraLeft, TableChange, TableMoment
from companion.tabletop.discrepancy_timing import FixKey, fix_key
from companion.version import product_version

MAX_QUEUE = 5_000
"""The queue holds at most this many changes. If the disk is too slow for that, the recording ends."""
PX_PER_MM = 0.6
"""The scale of the pictures: a mat is 365 to 438 pixels wide."""
MAX_PICTURES = 60
"""At most this many pictures are in one recording."""


@dataclass
class OpenRecording:
    """The recording that is being written. `last_at`: when the last change arrived. `companion_seats`: the seats that
    the companion played at that time. `reported`: the discrepancies that everyone was told about at that time.
    `pictured`: the keys of the discrepancies that were reported when the last picture was taken."""

    name: str
    game: int
    size: int
    last_at: float
    companion_seats: tuple[int, ...]
    reported: tuple[ReportedDiscrepancy, ...] = ()
    pictured: Collection[FixKey] = frozenset()
    picture_count: int = 0


class Recorder:
    """Records the table if the host has agreed. One thread calls `follow` whenever the table changes. `take`: a
    function that takes pictures of what everyone may see; None without a camera. `clock`: the table's clock."""

    def __init__(
        self,
        table: Table,
        store: RecordingStore,
        take: TakePicture | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table, self._store, self._take, self._clock = table, store, take, clock
        self._is_on = store.is_on
        self._queue: deque[tuple[TableChange | None, TableMoment]] = deque()
        """The changes that have not been processed yet, each with the state of the table before it. None in place of a
        change means that changes were dropped because the queue was full."""
        self._open: OpenRecording | None = None
        self._lines: list[bytes] = []
        """The lines that are not written yet."""
        self._skipped_game = 0
        """The id of the game that is not recorded any more, because the disk failed or the recording is long enough."""
        table.report_changes_to(self._enqueue)

    def _enqueue(self, change: TableChange, before: TableMoment) -> None:
        """Puts a change into the queue. The table's lock is held."""
        if not self._is_on:
            return
        if len(self._queue) < MAX_QUEUE:
            self._queue.append((change, before))
        else:
            self._queue.clear()
            self._queue.append((None, before))

    def follow(self, view: View | None) -> None:
        """Writes what has happened, and takes a picture if the reported discrepancies have changed."""
        was_on, self._is_on = self._is_on, self._store.is_on
        if not self._is_on:
            self._queue.clear()
            self._open = None
        elif not was_on:
            self._skipped_game = 0
        try:
            for change, before in self._queued():
                self._process(change, before)
            if view is not None:
                self._take_picture(view)
            self._write()
        except FileNotFoundError:  # somebody has deleted the recording
            self._close()
        except Exception as error:  # whatever happens, the game must go on
            logging.getLogger("recordings").warning("The table can’t be recorded: %s", error)
            self._skip()

    def _queued(self) -> Iterator[tuple[TableChange | None, TableMoment]]:
        """Takes the changes out of the queue one by one and yields them. The queue may be cleared in the meantime."""
        with suppress(IndexError):
            while True:
                yield self._queue.popleft()

    def _process(self, change: TableChange | None, before: TableMoment) -> None:
        match = before.match
        if match.id == self._skipped_game:
            return
        if change is None:
            self._write()
            self._close()
            return
        at = round(before.at, 6)
        if self._open is None or self._open.game != match.id:
            if isinstance(change, CameraLeft) or (isinstance(change, ActMade) and change.origin == "camera"):
                return  # the sighting from which this act was read came before the recording
            self._begin(before, at)
        assert self._open is not None
        if before.companion_seats != self._open.companion_seats:
            self._open.companion_seats = before.companion_seats
            self._lines.append(companion_seats_line(before.companion_seats, at))
        if at - self._open.last_at > MAX_BURST_S:
            reported = reported_at(match, before.tracked, before.discrepancy_timing, at, before.companion_seats)
            if reported != self._open.reported:
                self._open.reported = reported
                self._lines.append(reported_line(reported, at))
        self._open.last_at = at
        self._lines.append(line_of(change, at))
        if isinstance(change, CameraLeft):
            self._write()
            self._close()

    def _begin(self, before: TableMoment, at: float) -> None:
        """Begins a recording, with the state `before` of the table as its first line."""
        self._write()
        match = before.match
        count = match.history.version
        acts = self._table.journal.game(match.id).records[:count] if count else ()
        line = first_line(before, acts, product_version())
        name = self._store.create(match.id, match.started, line)
        self._open = OpenRecording(name, match.id, len(line), at, before.companion_seats)

    def _write(self) -> None:
        """Writes the lines that are waiting."""
        if self._open is None or not self._lines:
            self._lines.clear()
            return
        lines = b"".join(self._lines)
        self._lines.clear()
        self._store.append(self._open.name, lines)
        self._open.size += len(lines)
        if self._open.size > MAX_RECORDING_BYTES:
            self._skip()

    def _skip(self) -> None:
        """Stops recording the current game."""
        self._skipped_game = self._open.game if self._open else self._table.game_and_version[0]
        self._close()

    def _close(self) -> None:
        self._open = None
        self._lines.clear()

    def _take_picture(self, view: View) -> None:
        """Takes a picture if the reported discrepancies differ from those at the last picture. If no picture can be
        taken now, it is tried again at a later change of the table."""
        recording = self._open
        if recording is None or self._take is None or recording.picture_count >= MAX_PICTURES:
            return
        fixes = {fix_key(found) for found in view.tabletop.discrepancies}
        if view.id != recording.game or fixes == recording.pictured:
            return
        now = self._table.public_table()
        webp = self._take(now, PX_PER_MM) if now else b""
        if webp and self._table.public_table() == now:  # otherwise the table has changed meanwhile
            self._lines.append(picture_line(webp, round(self._clock(), 6)))
            recording.pictured = fixes
            recording.picture_count += 1
