"""Server-sent events: an act per version, a look for everything else.

An event's id is `game.version`. A phone that comes back with its last one is told every act since; with one of an
earlier game it is told to look, then every act of the present game; with nonsense it is told to look.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict

from companion.games import notation
from companion.games.rules import Json, Viewer
from companion.games.view import LogEntry, Revision, View
from companion.table.table import Table
from companion.text.translation import speaking

GLANCE = 4.0
"""Seconds after which a quiet stream says that it is still there, and looks whether its phone is: a table without
power and a phone out of reach close nothing."""
STREAM_LIMIT = 48
"""A stream holds a thread of the server; the rest of its threads are for everything else."""
EVENT_ID = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)


class Streams:
    """Counts the open streams, and ends them all when the service stops."""

    def __init__(self, table: Table, limit: int = STREAM_LIMIT) -> None:
        self._table, self._slots = table, threading.BoundedSemaphore(limit)
        self.closed = False

    def take(self) -> bool:
        """Whether there is room for one more."""
        return self._slots.acquire(blocking=False)

    def give_back(self) -> None:
        """One has ended."""
        self._slots.release()

    def close(self) -> None:
        """Ends every stream."""
        self.closed = True
        self._table.refresh()


def mark_text(view: View | None, mark: Revision) -> str:
    """What a page shows, in short: a page with another mark is to be fetched again."""
    return f"{view.id if view else 0}.{mark.version}.{mark.refreshes}"


class Feed:
    """What one phone was told, and what is news to it."""

    def __init__(self, table: Table, viewer: Callable[[], Viewer], last: str | None) -> None:
        self._table, self._viewer = table, viewer
        found = EVENT_ID.fullmatch(last or "")
        self._game, self._version = (int(found[1]), int(found[2])) if found else (-1, 0)
        self.revision = Revision(-1, -1)
        self._shows = ""

    def still(self) -> str:
        """The last look once more."""
        return _event(self._game, self._version, "look", {"version": self._version, "mark": self._shows})

    def news(self) -> Iterator[str]:
        """The events since the last call; always at least one."""
        self.revision = self._table.revision
        viewer = self._viewer()
        view = self._table.view(viewer)
        if view is not None:
            self.revision = view.revision
        self._shows = mark_text(view, self.revision)
        game, version = (view.id, view.version) if view else (0, 0)
        acts = self._acts(view, viewer) if view and 0 <= self._game <= game else ()
        same, self._game, self._version = game == self._game, game, version
        if not (acts and same):
            before = acts[0].version - 1 if acts else version
            yield _event(game, before, "look", {"version": version, "mark": self._shows})
        for told in acts:
            yield _event(game, told.version, "act", {**asdict(told)})

    def _acts(self, view: View, viewer: Viewer) -> tuple[LogEntry, ...]:
        """What happened since; the view's own log is of one moment with it, the table's goes back further."""
        if self._version >= view.version:
            return ()
        reaches = not view.log or view.log[0].version <= self._version + 1
        log = view.log if reaches else self._table.log_after(viewer, self._version)
        return tuple(told for told in log if self._version < told.version <= view.version)


def _event(game: int, version: int, kind: str, data: dict[str, Json]) -> str:
    return f"id: {game}.{version}\nevent: {kind}\ndata: {notation.dumps(data)}\n\n"


def stream(table: Table, feed: Feed, streams: Streams, spoken: str, gone: Callable[[], bool]) -> Iterator[str]:
    """The bytes of one stream, until the phone or the service goes, in the language in which it was asked for."""
    yield "retry: 1000\n\n"
    while not streams.closed:
        with speaking(spoken):
            news = "".join(feed.news())
        yield news
        while table.wait(feed.revision, GLANCE) == feed.revision and not streams.closed:
            if gone():
                return
            yield feed.still()
