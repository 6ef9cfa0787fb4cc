"""Runs a recording of the table through today's code, and finds where the results differ from those in the recording.

The observations of the camera enter the real parts of a table. Acts that did not come from the camera are made as they
were recorded, and so is everything that the companion dealt. If today's code makes another act from a sighting, the
replay notes that and continues with the recorded act.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from companion.games import move_json
from companion.games.rules import Move, Seat
from companion.match.history import ReplayError, digest
from companion.match.journal import Journal
from companion.match.match import Match
from companion.match.stored_game import ActRecord, Header
from companion.recordings.recording_format import (
    MAX_BURST_S,
    RecordingError,
    RecordingHeader,
    RecordingLine,
    ReportedDiscrepancy,
    read_recording,
    reported_at,
)
from companion.table.act_performer import ActPerformer
from companion.table.current_game import CurrentGame
from companion.table.physical_table import PhysicalTable
from companion.table.sighting_input import SightingInput
from companion.table.table_changes import TableChanges
from companion.table.table_views import TableViews
from companion.table.transient_prompts import TransientPrompts
from companion.tabletop.components import MAX_SEATS
from companion.text.default_names import default_name
from companion.text.refusal_errors import IllegalMove


@dataclass(frozen=True)
class Difference:
    """A place in a recording where the results of today's code differ from those in the recording. `what`: whether they
    differ in the moves that the camera read, or in the discrepancies that everyone was told about. `seconds`: the time
    since the recording began. `acts`: how many acts the game had by then."""

    line: int
    seconds: float
    acts: int
    what: str
    then: tuple[str, ...]
    today: tuple[str, ...]


@dataclass
class ReplayResult:
    """The result of running a recording through today's code. `discrepancies`: how many were reported in the
    recording."""

    first: RecordingHeader
    seconds: float = 0.0
    observations: int = 0
    acts: int = 0
    read_acts: int = 0
    discrepancies: int = 0
    differences: list[Difference] = field(default_factory=list)


class RecordedMatch(Match):
    """A match in which the camera makes the same acts as in the recording. `expected`: the recorded acts that the
    camera made because of the change that is being replayed. `surplus`: the other moves that today's code makes because
    of that change."""

    expected: Sequence[ActRecord] = ()
    surplus: tuple[Move, ...] = ()

    def make_move(self, seat: Seat | None, move: Move, action_id: str | None = None, code: str = "") -> int:
        """Makes the next expected act if it begins with this move. Any other legal move is refused."""
        self.state_after(move)
        if self.expected and self.expected[0].moves[:1] == (move_json.write(move),):
            record, *self.expected = self.expected
            return self.make_recorded_act(record)
        self.surplus = (*self.surplus, move)
        raise IllegalMove("")

    def make_recorded_act(self, record: ActRecord) -> int:
        """Makes an act as it was recorded, with what the house dealt at that time. Raises Refusal if the rules refuse
        the act, and ReplayError if it leads to another position than in the recording."""
        history = self.history.with_record(record)
        if digest(history.state) != record.digest:
            raise ReplayError("it leads to another position than in the recording")
        return self._append(history, None)


class TableReplay:
    """A table without devices, on which a recording is replayed."""

    def __init__(self, first: RecordingHeader, journal: Journal) -> None:
        names = tuple(str(default_name(seat)) for seat in range(min(first.seats, MAX_SEATS)))
        header = Header(first.game, first.rules_version, first.seats, first.setup, first.dealers, names, "")
        game, prompts = CurrentGame(journal), TransientPrompts()
        game.match = self._match = RecordedMatch(journal, journal.open_game(header, first.acts))
        self._game = game
        self._set_companion_seats(first.companion_seats)
        self._now = self._last_at = self._start = 0.0
        self._physical = PhysicalTable(lambda: self._now, phones_only=False)
        self._physical.tracked = first.tracked
        self._physical.discrepancy_timing = first.timing
        for sighting in first.early_deals:
            self._physical.early_deals.add(sighting)
        self._lock = threading.Condition()
        self._views = TableViews(self._lock, lambda: self._now, game, self._physical, prompts)
        changes = TableChanges(lambda: self._now, game, self._physical)
        self._acts = ActPerformer(game, self._physical, prompts, self._views, changes)
        self._sightings = SightingInput(game, self._physical, prompts, self._acts)
        self._reported: tuple[ReportedDiscrepancy, ...] = ()
        """The discrepancies that everyone was told about at this point of the recording."""
        self._compared: tuple[object, object] = (set(), set())
        self.result = ReplayResult(first)

    def run(self, lines: Sequence[tuple[int, RecordingLine]]) -> ReplayResult:
        """Replays the lines of a recording, and returns the result. `lines`: each line with its number. Raises
        RecordingError if today's code can't process a line."""
        self._start = self._last_at = lines[0][1].at if lines else 0.0
        index = 0
        while index < len(lines):
            number, line = lines[index]
            index += 1
            camera_acts: list[ActRecord] = []
            while index < len(lines) and (act := lines[index][1].act) and lines[index][1].origin == "camera":
                camera_acts.append(act)
                index += 1
            try:
                with self._lock:
                    self._replay_line(number, line, camera_acts)
            except Exception as error:
                raise RecordingError(
                    number, f"today’s code can’t take this in ({type(error).__name__}: {error})"
                ) from error
        return self.result

    def _replay_line(self, number: int, line: RecordingLine, camera_acts: Sequence[ActRecord]) -> None:
        """Replays one line. `camera_acts`: the acts that the camera read from it in the recording."""
        if line.reported is not None:
            known = {each.key for each in self._reported}
            self.result.discrepancies += sum(each.key not in known for each in line.reported)
            self._reported = line.reported
            return
        if line.companion_seats is not None:
            self._set_companion_seats(line.companion_seats)
            return
        self._now = line.at
        if line.at - self._last_at > MAX_BURST_S:
            self._compare_reports(number)
        self._last_at = line.at
        self.result.seconds = line.at - self._start
        self.result.acts += len(camera_acts) + (line.act is not None)
        self.result.read_acts += len(camera_acts)
        self._match.expected, self._match.surplus = camera_acts, ()
        self._apply(line)
        missed: list[ActRecord] = []
        while self._match.expected:
            record, *self._match.expected = self._match.expected
            missed.append(record)
            self._make(record, is_button=True)
        if missed or self._match.surplus:
            then = tuple(move for record in missed for move in record.moves[:1])
            self._add_difference(number, "moves", then, tuple(map(move_json.write, self._match.surplus)))

    def _set_companion_seats(self, seats: Sequence[int]) -> None:
        """Lets the companion play these seats. Its moves are in the recording, so it needs no policies."""
        self._game.companion_seats = dict.fromkeys(seats, "")

    def _apply(self, line: RecordingLine) -> None:
        if line.observation is not None:
            self.result.observations += 1
            self._sightings.take_in(line.observation)
        elif line.act is not None:
            self._make(line.act, is_button=line.origin == "button")
        elif line.ignored is not None:
            self._physical.tracked = self._physical.tracked.with_ignored(line.ignored)
        elif line.happened == "consent requested":
            self._acts.clear_prompts()
        self._views.notify()

    def _make(self, record: ActRecord, *, is_button: bool) -> None:
        """Makes an act as it was recorded. `is_button`: whether a device at the table reported a complete move."""
        if is_button:
            self._physical.complete_begun_move()
        self._acts.perform(partial(self._make_recorded, record), None)

    def _make_recorded(self, record: ActRecord, match: Match) -> int:
        version = self._match.make_recorded_act(record)
        if record.kind in ("undo", "redo"):
            self._physical.after_step_back(match)
        return version

    def _compare_reports(self, number: int) -> None:
        """Compares the discrepancies that everyone is told about now with those at this point of the recording."""
        physical, seats = self._physical, self._game.companion_seats
        today = reported_at(self._match, physical.tracked, physical.discrepancy_timing, self._now, seats)
        compared = {each.key for each in self._reported}, {each.key for each in today}
        if compared[0] != compared[1] and compared != self._compared:
            then, now = ([each.message for each in found] for found in (self._reported, today))
            self._add_difference(number, "discrepancies", tuple(then), tuple(now))
        self._compared = compared

    def _add_difference(self, number: int, what: str, then: tuple[str, ...], today: tuple[str, ...]) -> None:
        self.result.differences.append(
            Difference(number, self._now - self._start, self._match.history.version, what, then, today)
        )


def replay_recording(data: bytes) -> ReplayResult:
    """The result of running a recording through today's code. If the recording can't be replayed, raises
    RecordingError, which names the line."""
    first, lines = read_recording(data)
    with closing(Journal(None)) as journal:
        try:
            replay = TableReplay(first, journal)
        except ReplayError as error:
            raise RecordingError(1, f"the game can’t be replayed: {error}") from error
        except Exception as error:
            raise RecordingError(1, f"the table can’t be set up ({type(error).__name__}: {error})") from error
        return replay.run(lines)
