"""The queue of acts to publish. Each act since the service was started is published once, in order.

The acts of the game in progress come from the view. Acts of earlier games, and acts that are too old for the view, come
from the journal. So acts take no memory while they wait for a broker.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from companion.games.rules import SPECTATOR
from companion.games.view import LogEntry, View
from companion.match.history import ReplayError, fold
from companion.match.journal import Journal
from companion.match.view_builder import log_entry
from companion.mqtt.documents import Event

MAX_GAMES = 1000
"""At most this many games may wait to be published. If there are more, the oldest ones are left out."""


class EventQueue:
    """The acts that wait to be published. `version`: the table's version when the service was started; only later acts
    are published."""

    def __init__(self, journal: Journal, version: int) -> None:
        self._journal = journal
        self._version = version
        self._games: deque[int] = deque(maxlen=MAX_GAMES)
        self._ready: deque[Event] = deque()

    def follow(self, view: View) -> None:
        """Records which game is in progress, so that its acts will be published."""
        if view.id not in self._games:
            self._games.append(view.id)

    def take(self, view: View | None, count: int) -> list[Event]:
        """Takes the next acts to publish from the queue, at most `count`. `view`: a spectator's view of the table."""
        if view:
            self.follow(view)
        while not self._ready and self._games:
            self._ready.extend(self._waiting(self._games[0], view))
            if self._ready or (view and view.id == self._games[0]):
                break
            self._games.popleft()
        taken = [self._ready.popleft() for _ in range(min(count, len(self._ready)))]
        self._version = taken[-1].entry.version if taken else self._version
        return taken

    def _waiting(self, id: int, view: View | None) -> Iterator[Event]:
        """Yields those acts of a game that have not been published yet."""
        if view and view.id == id and not (view.log and view.log[0].version > self._version + 1):
            name, entries = view.game.name, view.log
        else:
            name, entries = self._from_journal(id)
        return (Event(id, name, entry) for entry in entries if entry.version > self._version)

    def _from_journal(self, id: int) -> tuple[str, tuple[LogEntry, ...]]:
        """A game's name and all its acts; no acts if the game can't be replayed."""
        try:
            stored = self._journal.game(id)
            history = fold(stored)
        except (KeyError, ReplayError):
            return "", ()
        before, names = self._journal.acts_before(id), stored.header.names
        return history.game.name, tuple(log_entry(history.game, act, SPECTATOR, names, before) for act in history.acts)
