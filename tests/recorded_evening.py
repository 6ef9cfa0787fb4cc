"""Records evenings at the simulated table, and makes the ten recordings that the tests replay.

    python -m tests.recorded_evening

plays these evenings again and writes their recordings into tests/table_recordings/. It is needed only when the format
or a rule has changed: a recording shows what the table said when it was made.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from companion.recordings.recorder import Recorder
from companion.recordings.recording_store import RecordingStore
from companion.table.table import Table
from tests.evenings.evening import Evening
from tests.evenings.simulated_group import SimulatedGroup

FOLDER = Path(__file__).parent / "table_recordings"
SLIP_RATE = 0.35
RECORDINGS = {
    "commute-1": ("commute", "recorded.1", 40),
    "commute-2": ("commute", "recorded.2", 40),
    "commute-3": ("commute", "recorded.6", 40),
    "system-won-1": ("system-won", "recorded.1", 22),
    "system-won-2": ("system-won", "recorded.3", 22),
    "systems-failing-1": ("systems-failing", "recorded.1", 40),
    "systems-failing-2": ("systems-failing", "recorded.2", 40),
    "systems-failing-3": ("systems-failing", "recorded.6", 40),
    "traffic-congestion-1": ("traffic-congestion", "recorded.1", 40),
    "traffic-congestion-2": ("traffic-congestion", "recorded.3", 40),
}
"""The ten recordings by name, in alphabetical order. Each has the game, the seed of the evening, and the number of
moves and deals that are played."""


class RecordedGroup(SimulatedGroup):
    """A group whose table is recorded. After each act of a hand, the recorder writes down what has happened."""

    def _open_table(self) -> Table:
        table = super()._open_table()
        self.store = RecordingStore(self.folder, min_free_bytes=0)
        self.store.turn_on()
        self.recorder = Recorder(table, self.store, clock=self.clock)
        return table

    def note(self, line: str) -> None:
        super().note(line)
        self.recorder.follow(None)


def recorded_evening(name: str, seed: str, max_steps: int, slip_rate: float = SLIP_RATE) -> bytes:
    """The recording of an evening of the game `name`, with at most `max_steps` moves and deals, and with slips. If the
    power was cut, there are several recordings; the result is the longest of them."""
    with tempfile.TemporaryDirectory() as folder:
        evening = Evening(name, seed, Path(folder), slip_rate, RecordedGroup, max_steps)
        evening.play()
        group = evening.group
        assert isinstance(group, RecordedGroup)
        group.table.end()
        group.recorder.follow(None)
        group.journal.close()
        longest = max(group.store.recordings(), key=lambda each: each.size)
        found = group.store.read(longest.name)
        assert found is not None
        return found


def main() -> None:
    """Makes the ten recordings."""
    FOLDER.mkdir(exist_ok=True)
    for name, (game, seed, max_steps) in RECORDINGS.items():
        (FOLDER / f"{name}.jsonl").write_bytes(recorded_evening(game, seed, max_steps))


if __name__ == "__main__":
    main()
