"""The open event streams. One coroutine sends the events to all of them. Spectators who have received the same events
so far get the same bytes."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

HEARTBEAT_S = 4.0
"""The time between the heartbeats of a quiet stream, in seconds. Heartbeats show whether the phone is still connected,
because neither a table that loses power nor a phone that goes out of range closes its connection."""
LEAVE_DELAY_S = 2.0
"""How long a phone still counts as online after its stream has ended, in seconds. A phone that goes from one page to
another therefore stays online."""
STREAM_LIMIT = 1200
"""The maximum number of open streams."""
STRANGER_LIMIT = 60
"""The maximum number of open streams of phones that have not joined, taken together. The other streams are reserved for
phones that have joined."""
STREAMS_PER_PHONE = 16
"""The maximum number of open streams of one phone: its pages in several windows."""
STREAM = "tablekeeper.stream"
"""The key in the WSGI environment under which a request handler stores the event stream that is sent after its
answer."""


class StreamConnection(Protocol):
    """The part of a connection to a phone that a stream uses."""

    when_writable: Callable[[], object]
    """Called when a phone that had left too much unread has read most of it."""

    @property
    def is_writable(self) -> bool:
        """Whether the phone has read most of what was sent."""

    def send_part(self, data: bytes) -> None:
        """Sends the next part of the stream. Does not wait for the phone."""


class Source(Protocol):
    """The source of events that the streams watch: a table, or all tables of a club."""

    @property
    def revision(self) -> Any:
        """A value that changes whenever the table or the club changes."""

    def wait(self, revision: Any, seconds: float, /) -> Any:
        """Waits until the source's revision is no longer `revision`, but at most for this many seconds. Returns the
        source's current revision."""


class Feed(Protocol):
    """Makes the events for one phone. `received` says which events the phone has received so far. It is equal for
    phones with the same `audience`."""

    received: Any

    @property
    def gives_shares(self) -> bool:
        """Whether the phone's page takes part in the shuffle."""

    def is_due(self, revision: Any) -> bool:
        """Whether there is something new for the phone. `revision`: the current revision of the source."""

    def audience(self) -> Hashable | None:
        """A value that is equal for all phones that can be sent the same events now. None if this phone needs events of
        its own."""

    def new_events(self, audience: Any = None) -> str:
        """The text of the events since the last call. With an `audience`, the text is sent to all of its phones;
        without one, only to this phone."""

    def heartbeat(self) -> str:
        """The text of an event without news for the page. It is sent only so that a lost connection is noticed."""


class Streams:
    """Counts the open streams by phone. Phones that have not joined are counted together, under the key `""`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        self._sharing: Counter[str] = Counter()
        self.wakers: list[Callable[[], None]] = []
        """Functions that make all streams look for new events."""

    def has_room(self, phone: str) -> bool:
        """Whether a phone may open one more stream."""
        with self._lock:
            limit = STREAMS_PER_PHONE if phone else STRANGER_LIMIT
            return self._open[phone] < limit and self._open.total() < STREAM_LIMIT

    def add(self, phone: str, *, gives_shares: bool = False) -> None:
        """Adds a stream to the open streams of a phone. `gives_shares`: whether the page that opened the stream takes
        part in the shuffle."""
        with self._lock:
            self._open[phone] += 1
            if gives_shares:
                self._sharing[phone] += 1

    def remove(self, phone: str, *, gives_shares: bool = False) -> None:
        """Removes a stream from the open streams of a phone. `gives_shares` must be the same as in `add`."""
        with self._lock:
            for counts in (self._open, self._sharing) if gives_shares else (self._open,):
                counts[phone] -= 1
                if not counts[phone]:
                    del counts[phone]

    @property
    def sharing(self) -> frozenset[str]:
        """The keys of the phones that have at least one open page that takes part in the shuffle."""
        with self._lock:
            return frozenset(self._sharing)

    def wake(self) -> None:
        """Makes all streams look for new events, even if the revision of the source has not changed."""
        for wake in list(self.wakers):
            wake()


class EventStream:
    """One open event stream. `arrive` is called when the stream begins, and `leave` when LEAVE_DELAY_S have passed
    since its end."""

    def __init__(
        self, feed: Feed, streams: Streams, phone: str, arrive: Callable[[], None], leave: Callable[[], None]
    ) -> None:
        self.feed = feed
        self.connection: StreamConnection
        """The connection to the phone, while the stream is open."""
        self._streams, self._phone = streams, phone
        self._gives_shares = feed.gives_shares
        self._arrive, self._leave = arrive, leave

    async def run(
        self,
        connection: StreamConnection,
        receive: Callable[[], Awaitable[dict[str, Any]]],
        broadcaster: Broadcaster,
        threads: Executor,
    ) -> None:
        """Keeps the stream open until the phone disconnects or the service stops; meanwhile the broadcaster sends the
        events. `threads` runs calls that may have to wait for the table."""
        run = asyncio.get_running_loop().run_in_executor
        self.connection = connection
        self._streams.add(self._phone, gives_shares=self._gives_shares)
        gone = asyncio.ensure_future(receive())
        try:
            await run(threads, self._arrive)
            connection.send_part(b"retry: 1000\n\n")
            await broadcaster.serve(self, gone)
        finally:
            gone.cancel()
            self._streams.remove(self._phone, gives_shares=self._gives_shares)
            asyncio.get_running_loop().call_later(LEAVE_DELAY_S, run, threads, self._leave)


class Broadcaster:
    """Sends events on all open streams, in the event loop. A separate thread waits for changes of the table or the
    club. A phone that reads slowly gets new events only once it has read the earlier ones, and does not delay other
    phones."""

    def __init__(self, streams: Streams, threads: Executor) -> None:
        self._streams, self._threads = streams, threads
        self._loop = asyncio.get_running_loop()
        self._open: dict[EventStream, asyncio.Event] = {}
        """The open streams, each with an event that is set when the stream must end."""
        self._pending: set[EventStream] = set()
        """The streams for which there may be new events."""
        self._woken = asyncio.Event()
        self._closing = False
        streams.wakers.append(self.wake)
        threading.Thread(target=self._watch, name="changes", daemon=True).start()

    def close(self) -> None:
        """Ends all streams, and stops watching the table."""
        self._closing = True
        self._end(self._open)
        self._streams.wakers.remove(self.wake)

    def wake(self) -> None:
        """Looks for new events for all streams; safe to call from any thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._look_at_all)

    def _watch(self) -> None:
        source = self._streams.source
        seen = source.revision
        while not self._closing:
            before, seen = seen, source.wait(seen, HEARTBEAT_S)
            if seen != before:
                self.wake()

    def _look_at_all(self) -> None:
        self._pending |= self._open.keys()
        self._woken.set()

    def _look_at(self, stream: EventStream) -> None:
        if stream in self._open:
            self._pending.add(stream)
            self._woken.set()

    async def serve(self, stream: EventStream, gone: asyncio.Future[Any]) -> None:
        """Sends a stream its events until its phone is gone or the service stops."""
        over = self._open[stream] = asyncio.Event()
        if self._closing:
            over.set()
        stream.connection.when_writable = partial(self._look_at, stream)
        waiting = asyncio.ensure_future(over.wait())
        self._look_at(stream)
        try:
            await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            del self._open[stream]
            self._pending.discard(stream)

    async def run(self) -> None:
        """Sends events at each change, and heartbeats while nothing changes."""
        heartbeat_at = self._loop.time() + HEARTBEAT_S
        while True:
            # Not asyncio.wait_for: in Python 3.11 it ignores a cancellation that comes together with the event.
            with suppress(TimeoutError):
                async with asyncio.timeout_at(heartbeat_at):
                    await self._woken.wait()
            self._woken.clear()
            pending, self._pending = self._pending, set()
            await self._send_new(pending)
            if len(pending) == len(self._open):
                heartbeat_at = self._loop.time() + HEARTBEAT_S
            elif self._loop.time() >= heartbeat_at:
                self._send_heartbeats()
                heartbeat_at = self._loop.time() + HEARTBEAT_S

    def _end(self, streams: Iterable[EventStream]) -> None:
        for stream in streams:
            if stream in self._open:
                self._open[stream].set()

    async def _send_new(self, streams: Iterable[EventStream]) -> None:
        """Sends new events to the streams whose phones have read the previous events."""
        ready = [stream for stream in streams if stream.connection.is_writable]
        if not ready:
            return
        await self._loop.run_in_executor(self._threads, self._make_events, ready)

    def _make_events(self, streams: Iterable[EventStream]) -> None:
        """Makes the new events for some streams, in a thread. Each stream's events are sent at once, while the next
        ones are made."""
        for audience, members in self._groups(streams):
            first = members[0].feed
            try:
                data = first.new_events(audience).encode()
            except Exception:
                logging.getLogger(__name__).exception("The events of a stream broke")
                self._loop.call_soon_threadsafe(self._end, members)
                continue
            for member in members:
                member.feed.received = first.received
            self._loop.call_soon_threadsafe(self._send, members, data)

    def _send(self, streams: Iterable[EventStream], data: bytes) -> None:
        for stream in streams:
            if stream in self._open:
                stream.connection.send_part(data)

    def _groups(self, streams: Iterable[EventStream]) -> list[tuple[Hashable | None, list[EventStream]]]:
        """The streams for which there is something new, grouped by audience: all streams of a group get the same bytes.
        Streams with events of their own come first, because they belong to players."""
        revision = self._streams.source.revision
        alone: list[tuple[Hashable | None, list[EventStream]]] = []
        shared: dict[Hashable, list[EventStream]] = {}
        for stream in streams:
            if stream.feed.is_due(revision):
                audience = stream.feed.audience()
                if audience is None:
                    alone.append((None, [stream]))
                else:
                    shared.setdefault(audience, []).append(stream)
        return [*alone, *shared.items()]

    def _send_heartbeats(self) -> None:
        for stream in self._open:
            if stream.connection.is_writable:
                stream.connection.send_part(stream.feed.heartbeat().encode())
