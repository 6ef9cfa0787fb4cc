"""The results of games, for a venue: each is published until the venue has acknowledged it.

The journal says how a game has ended. A note in it says which games are to be reported: those that this table has
played while it was connected to a broker, except those that were acknowledged. So a result survives a restart.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.games.rules import SPECTATOR, Json
from companion.games.view import View
from companion.match.history import ReplayError, fold
from companion.match.journal import Journal
from companion.match.stored_game import StoredGame
from companion.match.view_builder import view_of_history
from companion.mqtt.commands import read_object
from companion.mqtt.documents import players, result_json, scores

NOTE_KEY = "mqtt results"
"""The key of the note in the journal."""
MAX_GAMES = 100
"""At most this many games wait for an acknowledgment. A table without a venue gets no acknowledgments, and forgets
the oldest games."""
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 600.0
"""How long, in seconds, the table waits for an acknowledgment before it publishes a result again. The pause doubles
each time, from the first to the longest."""


@dataclass(frozen=True)
class Notes:
    """The journal's note about the results to report. `table`: a random id of this journal. A new journal numbers its
    games from 1 again; because of this id, their results are not mistaken for results of the old journal. `games`: maps
    the id of each game to report to the version of the last result that was acknowledged; 0 if none was."""

    table: str
    games: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def read(cls, journal: Journal) -> Notes:
        """The notes in the journal; new notes if the journal has none."""
        found = journal.note(NOTE_KEY)
        if not isinstance(found, dict):
            return cls(secrets.token_hex(8))
        return cls(str(found["table"]), {int(id): int(version) for id, version in found["games"].items()})

    def save(self, journal: Journal) -> None:
        """Stores the notes. Raises JournalError if they can't be stored."""
        journal.save_note(NOTE_KEY, {"table": self.table, "games": {str(id): done for id, done in self.games.items()}})


@dataclass
class Pending:
    """A result that waits for its acknowledgment, and when it is published next."""

    version: int
    document: Json
    due_at: float
    pause: float = FIRST_PAUSE_S


class Results:
    """The results of games, which are published until a venue acknowledges them. `name`: the table's name on the
    broker."""

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal, self._name = journal, name
        self._notes = Notes.read(journal)
        self._pending: dict[int, Pending] = {}
        self._unread = {*self._notes.games}
        """The ids of the games that must be read from the journal: those of earlier runs, and those that have changed
        since they were read."""
        self._current: int | None = None

    def follow(self, view: View | None, now: float) -> None:
        """Brings the results up to date with the table. `view`: a spectator's view. `now`: seconds of a monotonic
        clock. Raises JournalError if a change can't be stored."""
        if view and view.id not in self._notes.games and view.ending is None and view.what_if is None:
            self._save({**dict([*self._notes.games.items()][1 - MAX_GAMES :]), view.id: 0})
        current = view.id if view and view.id in self._notes.games else None
        if self._current is not None and self._current != current and self._current in self._notes.games:
            self._unread.add(self._current)
        self._current = current
        if view and current is not None and view.version != self._known_version(current):
            self._unread.add(current)
            self._pending.pop(current, None)
        for id in sorted(self._unread):
            if not (view and view.id == id and view.ending is None):
                self._read(id, now)

    def _known_version(self, id: int) -> int:
        pending = self._pending.get(id)
        return pending.version if pending else self._notes.games[id]

    def _read(self, id: int, now: float) -> None:
        """Reads the result of a game from the journal. Forgets a game that has nothing to report, unless it is the
        current game. For example, a game that was given up has no result."""
        self._unread.discard(id)
        try:
            stored = self._journal.game(id)
            version, document = self._document(stored)
        except KeyError:
            version, document = 0, None
        except ReplayError:
            return  # Only the version of Tablekeeper that the game was played with can replay and report it.
        if document is not None and version > self._notes.games[id]:
            if id not in self._pending:
                self._pending[id] = Pending(version, document, now)
        elif id != self._current:
            self._forget(id)

    def _document(self, stored: StoredGame) -> tuple[int, Json]:
        """The version of a game, and the document with its result. The document is None if the game has not ended.
        Raises ReplayError if the game can't be replayed."""
        view = view_of_history(stored.id, stored.header, fold(stored), SPECTATOR, self._journal.acts_before(stored.id))
        result = result_json(view)
        if result is None:
            return view.version, None
        document = {
            "id": f"{self._notes.table}-{stored.id}",
            "table": self._name,
            "game": view.game.name,
            "seats": view.seats,
            "players": players(view),
            "result": result,
            "scores": scores(view.meters),
            "started": stored.started,
            "ended": stored.records[-1].at if stored.records else stored.started,
            "version": view.version,
        }
        return view.version, document

    def due(self, now: float, count: int) -> list[Json]:
        """The results to publish now, at most `count`. A result that has not been acknowledged is due again after a
        pause, which gets longer each time."""
        found = [pending for pending in self._pending.values() if pending.due_at <= now][:count]
        for pending in found:
            pending.due_at, pending.pause = now + pending.pause, min(2 * pending.pause, LONGEST_PAUSE_S)
        return [pending.document for pending in found]

    def repeat_all(self, now: float) -> None:
        """Makes all results due, since the table has connected again."""
        for pending in self._pending.values():
            pending.due_at, pending.pause = now, FIRST_PAUSE_S

    def acknowledge(self, payload: bytes) -> None:
        """Handles an acknowledgment, such as `{"id":…,"version":…}`. If "version" is missing, the version that was
        published last counts as acknowledged. Any other message is ignored. Raises JournalError if this can't be
        stored."""
        value = read_object(payload) or {}
        for id, pending in [*self._pending.items()]:
            if value.get("id") == pending.document["id"] and value.get("version", pending.version) == pending.version:
                self._save({**self._notes.games, id: pending.version})
                del self._pending[id]
                self._unread.add(id)

    def _forget(self, id: int) -> None:
        self._save({each: version for each, version in self._notes.games.items() if each != id})

    def _save(self, games: Mapping[int, int]) -> None:
        notes = replace(self._notes, games=games)
        notes.save(self._journal)
        self._notes = notes
        self._pending = {id: pending for id, pending in self._pending.items() if id in games}
        self._unread &= games.keys()
