"""Records the moves that the service has acknowledged, and checks that a journal still has all of them."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.games import move_json
from companion.games.rules import Json
from companion.match.history import Act, ReplayError, fold
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.stored_game import ActRecord

JOURNAL = "journal.sqlite3"


@dataclass(frozen=True)
class PlannedMove:
    """A move of a seat, the id that the phone gives the move, and the version that the move leads to."""

    seat: int
    move: Json
    request: str
    version: int

    @property
    def body(self) -> dict[str, Json]:
        """The body of the HTTP request that makes the move."""
        return {"move": self.move, "version": self.version - 1, "id": self.request}


class AcknowledgedMoves:
    """All moves that were acknowledged to phones. Any thread may add one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._moves: list[PlannedMove] = []

    def add(self, move: PlannedMove) -> None:
        with self._lock:
            self._moves.append(move)

    def __len__(self) -> int:
        return len(self._moves)

    def problems(self, data: Path, version: int) -> list[str]:
        """A sentence for each acknowledged move that the journal in the folder `data` lacks, contains more than once,
        or contains at a different version. If the journal can't be replayed or does not have `version` acts, returns a
        single sentence that says so. No process may be writing to the journal."""
        with self._lock:
            moves = tuple(self._moves)
        try:
            with _copied_journal(data) as journal:
                acts = list(_acts(journal))
        except (JournalError, ReplayError) as error:
            return [f"The journal can’t be replayed: {error}"]
        if len(acts) != version:
            return [f"The match has {version} acts, but the journal has {len(acts)}."]
        counts = Counter((record.seat, record.request) for record, _ in acts)
        return [problem for move in moves if (problem := _problem(move, acts, counts))]


@contextmanager
def _copied_journal(data: Path) -> Iterator[Journal]:
    """Opens a copy of the journal in a folder. Opening the journal itself would write to it."""
    with TemporaryDirectory(prefix="tablekeeper-") as folder:
        for name in (JOURNAL, f"{JOURNAL}-wal"):
            if (data / name).exists():
                shutil.copy(data / name, folder)
        with closing(Journal(Path(folder) / JOURNAL)) as journal:
            yield journal


def _acts(journal: Journal) -> Iterator[tuple[ActRecord, Act]]:
    """Yields the acts of all games, oldest first, as pairs: the stored act, and the act that results from replaying it.
    The version of an act is its number in this order, counted from 1."""
    for game in journal.games():
        yield from zip(game.records, fold(game).acts, strict=True)


def _problem(
    move: PlannedMove, acts: list[tuple[ActRecord, Act]], counts: Counter[tuple[int | None, str | None]]
) -> str:
    """A sentence about what is wrong with an acknowledged move in the journal; "" if nothing is wrong."""
    name = f"Move {move.version} of seat {move.seat}"
    if (count := counts[move.seat, move.request]) != 1:
        return f"{name} was acknowledged, but it is in the journal {count} times."
    record, act = acts[move.version - 1]
    if record.request != move.request:
        return f"{name} was acknowledged, but it has another place in the journal."
    if move_json.to_json(act.steps[0].move) != move.move:
        return f"{name} was acknowledged, but the journal has another move."
    return ""
