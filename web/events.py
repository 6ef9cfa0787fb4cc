"""Server-sent events: an `act` event for each new version of the match, and a `look` event for every other change.

An event's id is `game.version`. A phone that reconnects with the id of its last event receives every act since then.
With the id of an earlier game it receives a `look`, then every act of the current game; with an invalid id it receives
just a `look`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator

from companion.games import notation
from companion.games.rules import Json, Viewer
from companion.games.view import LogEntry, Revision, View
from companion.table.table import Table
from companion.text.translation import Translator

HEARTBEAT_S = 4.0
"""The time between the heartbeats of a quiet stream, seconds. With each heartbeat the stream checks whether its phone
is still connected: neither a table that loses power nor a phone that goes out of range closes its connection."""
STREAM_LIMIT = 48
"""The greatest number of open streams. Each of them occupies one of the server's threads; the other threads serve
everything else."""
EVENT_ID = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)
"""Matches the id of an event: `game.version`."""


class Streams:
    """Counts the open streams, and ends them all when the service stops."""

    def __init__(self, table: Table, limit: int = STREAM_LIMIT) -> None:
        self._table, self._slots = table, threading.BoundedSemaphore(limit)
        self.closed = False

    def take(self) -> bool:
        """Reserves a slot for a new stream; returns whether one was free."""
        return self._slots.acquire(blocking=False)

    def give_back(self) -> None:
        """Frees the slot of a stream that has ended."""
        self._slots.release()

    def close(self) -> None:
        """Ends every stream."""
        self.closed = True
        self._table.refresh()


def mark_text(view: View | None, mark: Revision) -> str:
    """A text that identifies the state that a page shows. A page with a different mark is out of date, and must be
    fetched again."""
    return f"{view.id if view else 0}.{mark.version}.{mark.refreshes}"


class Feed:
    """Makes the events for one phone, and remembers which of them the phone has received."""

    def __init__(self, table: Table, viewer: Callable[[], Viewer], last: str | None, translator: Translator) -> None:
        self._table, self._viewer, self._translator = table, viewer, translator
        event_id = EVENT_ID.fullmatch(last or "")
        self._game, self._version = (int(event_id[1]), int(event_id[2])) if event_id else (-1, 0)
        self.revision = Revision(-1, -1)
        self._mark = ""

    def heartbeat(self) -> str:
        """The text of a `look` event that repeats the last version and mark, so that the phone changes nothing."""
        return _event_text(self._game, self._version, "look", {"version": self._version, "mark": self._mark})

    def new_events(self) -> Iterator[str]:
        """Yields the texts of the events since the last call, at least one."""
        self.revision = self._table.revision
        viewer = self._viewer()
        view = self._table.view(viewer)
        if view is not None:
            self.revision = view.revision
        self._mark = mark_text(view, self.revision)
        game, version = (view.id, view.version) if view else (0, 0)
        acts = self._new_log_entries(view, viewer) if view and 0 <= self._game <= game else ()
        is_same_game, self._game, self._version = game == self._game, game, version
        if not (acts and is_same_game):
            before = acts[0].version - 1 if acts else version
            yield _event_text(game, before, "look", {"version": version, "mark": self._mark})
        for entry in acts:
            yield _event_text(game, entry.version, "act", entry.to_json(self._translator))

    def _new_log_entries(self, view: View, viewer: Viewer) -> tuple[LogEntry, ...]:
        """The log entries since the last event. They come from the view's log, which is consistent with the view, or
        from the table's log if the view's does not go back far enough."""
        if self._version >= view.version:
            return ()
        is_long_enough = not view.log or view.log[0].version <= self._version + 1
        log = view.log if is_long_enough else self._table.log_after(viewer, self._version)
        return tuple(entry for entry in log if self._version < entry.version <= view.version)


def _event_text(game: int, version: int, kind: str, data: dict[str, Json]) -> str:
    return f"id: {game}.{version}\nevent: {kind}\ndata: {notation.dumps(data)}\n\n"


def stream(table: Table, feed: Feed, streams: Streams, is_gone: Callable[[], bool]) -> Iterator[str]:
    """Yields the text of one event stream, until the phone disconnects or the service stops."""
    yield "retry: 1000\n\n"
    while not streams.closed:
        yield "".join(feed.new_events())
        while table.wait(feed.revision, HEARTBEAT_S) == feed.revision and not streams.closed:
            if is_gone():
                return
            yield feed.heartbeat()
