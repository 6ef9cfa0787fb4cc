"""Server-sent events: an `act` event for each new version of the match, and a `look` event for every other change.
Pages that take part in the shuffle also get a `shuffle` event for each game (the commitment to its seed), and a
`shares` event for each request.

An event's id is `game.version`. A phone that reconnects with the id of its last event receives every act since then.
With the id of an earlier game it receives a `look`, then every act of the current game; with an invalid id it receives
just a `look`.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any

from companion.games import notation
from companion.games.rules import Json, Viewer
from companion.games.view import LogEntry, Revision, View
from companion.table.table import Table
from companion.text.translation import Translator

HEARTBEAT_S = 4.0
"""The time between the heartbeats of a quiet stream, seconds. With each heartbeat the stream checks whether its phone
is still connected: neither a table that loses power nor a phone that goes out of range closes its connection."""
LEAVE_DELAY_S = 2.0
"""How long after the end of its stream a phone counts as away, seconds. A phone that opens another page is not away."""
STREAM_LIMIT = 1200
"""The greatest number of open streams."""
STRANGER_LIMIT = 60
"""The greatest number of open streams of phones that have not joined. They never take the place of one that has."""
STREAMS_PER_PHONE = 16
"""The greatest number of open streams of one phone: its pages in several windows."""
STREAM = "tablekeeper.stream"
"""The key in the WSGI environment under which a request handler leaves the stream that follows its answer."""
EVENT_ID = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)
"""Matches the id of an event: `game.version`."""


class Streams:
    """Counts the open streams by phone, and ends them all when the service stops. `""` stands for all phones that have
    not joined."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        self._sharing: Counter[str] = Counter()
        self.wakers: list[Callable[[], None]] = []
        """Functions that make all streams look for new events."""
        self.closed = False

    def has_room(self, phone: str) -> bool:
        """Whether a phone may open one more stream."""
        with self._lock:
            limit = STREAMS_PER_PHONE if phone else STRANGER_LIMIT
            return self._open[phone] < limit and self._open.total() < STREAM_LIMIT

    def opened(self, phone: str, *, gives_shares: bool = False) -> None:
        """Counts a stream of a phone. `gives_shares`: whether its page takes part in the shuffle."""
        with self._lock:
            self._open[phone] += 1
            if gives_shares:
                self._sharing[phone] += 1

    def ended(self, phone: str, *, gives_shares: bool = False) -> None:
        """Stops counting a stream of a phone."""
        with self._lock:
            for counts in (self._open, self._sharing) if gives_shares else (self._open,):
                counts[phone] -= 1
                if not counts[phone]:
                    del counts[phone]

    @property
    def sharing(self) -> frozenset[str]:
        """The phones with a page that takes part in the shuffle."""
        with self._lock:
            return frozenset(self._sharing)

    def wake(self) -> None:
        """Makes all streams look for new events, although the table has not changed."""
        for wake in list(self.wakers):
            wake()

    def close(self) -> None:
        """Ends every stream."""
        self.closed = True
        self.table.refresh()


class Changes:
    """Wakes the coroutines that wait for the table to change. A thread of its own watches the table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next = asyncio.Event()
        self._closing = False

    @property
    def next(self) -> asyncio.Event:
        """An event that is set at the next change."""
        return self._next

    def start(self) -> None:
        """Starts watching. Must be called in the event loop."""
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._watch, name="changes", daemon=True).start()

    def close(self) -> None:
        """Stops watching."""
        self._closing = True

    def wake(self) -> None:
        """Wakes the coroutines, although the table has not changed."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._wake)

    def _watch(self) -> None:
        seen = self._table.revision
        while not self._closing:
            before, seen = seen, self._table.wait(seen, HEARTBEAT_S)
            if seen != before:
                self.wake()

    def _wake(self) -> None:
        woken, self._next = self._next, asyncio.Event()
        woken.set()


def mark_text(view: View | None, mark: Revision) -> str:
    """A text that identifies the state that a page shows. A page with a different mark is out of date, and must be
    fetched again."""
    return f"{view.id if view else 0}.{mark.version}.{mark.refreshes}"


class Feed:
    """Makes the events for one phone, and remembers which of them the phone has received. `share_request`: what the
    phone is asked to add to the shuffle, as JSON; None if its page takes no part."""

    def __init__(
        self,
        table: Table,
        viewer: Callable[[], Viewer],
        last: str | None,
        translator: Translator,
        share_request: Callable[[], Json] | None = None,
    ) -> None:
        self._table, self._viewer, self._translator = table, viewer, translator
        self._share_request = share_request
        self._shuffle_events: list[str] = []
        event_id = EVENT_ID.fullmatch(last or "")
        self._game, self._version = (int(event_id[1]), int(event_id[2])) if event_id else (-1, 0)
        self.revision = Revision(-1, -1)
        self._mark = ""

    @property
    def gives_shares(self) -> bool:
        """Whether the phone's page takes part in the shuffle."""
        return self._share_request is not None

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
        yield from self._new_shuffle_events()
        if not (acts and is_same_game):
            before = acts[0].version - 1 if acts else version
            yield _event_text(game, before, "look", {"version": version, "mark": self._mark})
        for entry in acts:
            yield _event_text(game, entry.version, "act", entry.to_json(self._translator))

    def _new_shuffle_events(self) -> Iterator[str]:
        """Yields what the phone should know of the shuffle and does not know yet."""
        if self._share_request is None:
            return
        status = self._table.shuffle_status()
        known = None
        if status and not status.is_open:  # Afterwards, a commitment proves nothing.
            known = {"game": status.game, "started": status.started, "commitment": status.commitment}
        before, self._shuffle_events = self._shuffle_events, []
        for kind, data in (("shuffle", known), ("shares", self._share_request())):
            if data is not None:
                self._shuffle_events.append(notation.dumps(data))
                if self._shuffle_events[-1] not in before:
                    yield _event_text(self._game, self._version, kind, data)

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


class EventStream:
    """One open event stream. `arrive` is called when it begins, and `leave` LEAVE_DELAY_S after it has ended."""

    def __init__(
        self, feed: Feed, streams: Streams, phone: str, arrive: Callable[[], None], leave: Callable[[], None]
    ) -> None:
        self._feed, self._streams, self._phone = feed, streams, phone
        self._gives_shares = feed.gives_shares
        self._arrive, self._leave = arrive, leave

    async def send(
        self,
        send: Callable[[dict[str, Any]], Awaitable[None]],
        receive: Callable[[], Awaitable[dict[str, Any]]],
        changes: Changes,
        threads: Executor,
    ) -> None:
        """Sends events until the phone disconnects or the service stops. `threads` run what waits for the table."""
        run = asyncio.get_running_loop().run_in_executor
        self._streams.opened(self._phone, gives_shares=self._gives_shares)
        gone = asyncio.ensure_future(receive())
        try:
            await run(threads, self._arrive)
            await send(_part("retry: 1000\n\n"))
            while not self._streams.closed and not gone.done():
                changed = changes.next
                await send(_part(await run(threads, lambda: "".join(self._feed.new_events()))))
                while not self._streams.closed and not gone.done() and not await _is_set(changed, gone):
                    await send(_part(self._feed.heartbeat()))
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()
            self._streams.ended(self._phone, gives_shares=self._gives_shares)
            asyncio.get_running_loop().call_later(LEAVE_DELAY_S, run, threads, self._leave)


async def _is_set(changed: asyncio.Event, gone: asyncio.Future[Any]) -> bool:
    """Waits for a change, for the phone's disconnection or for the next heartbeat, whichever comes first; returns
    whether there was a change."""
    change = asyncio.ensure_future(changed.wait())
    await asyncio.wait({change, gone}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
    change.cancel()
    return changed.is_set()


def _part(text: str) -> dict[str, Any]:
    return {"type": "http.response.body", "body": text.encode(), "more_body": True}
