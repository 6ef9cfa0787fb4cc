"""Connections from phones: how long the server waits for a client, and how many connections may be idle.

A connection is idle while the server waits for the client: for the first byte of a request, or for the rest of its
header or body. An address that has too many idle connections loses the oldest one. So a device that opens hundreds of
connections and sends nothing, or a byte now and then, can't keep other phones out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Protocol

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState
from werkzeug.exceptions import BadRequest

from web.error_responses import as_request_error

MAX_CONNECTIONS = 4000
"""The number of connections that may be open at once: a thousand spectators and their pages."""
MAX_IDLE_PER_ADDRESS = 600
"""The number of idle connections that one address may have. It is large, because many phones behind a proxy share one
address. Each may open six connections, which should not be dropped before their requests arrive."""
IDLE_TIMEOUT_S = 20.0
"""How long a connection may be idle until the header of a request is complete, in seconds."""
BODY_TIMEOUT_S = 60.0
"""How long the body of a request may take to arrive, in seconds. This is enough for a photograph over a slow
connection."""
LINGER_TIMEOUT_S = 3.0
"""How long a client may go on sending after its request was refused, in seconds."""
WRITE_TIMEOUT_S = 20.0
"""How long a client may leave data unread before its connection is closed, in seconds."""


CONNECTION = "connection"
"""The key in the state of an ASGI scope under which a request finds its `HttpConnection`."""


class Closable(Protocol):
    """A connection that is open or still in its TLS handshake."""

    def drop(self) -> None:
        """Closes the connection at once."""


class Connections:
    """Counts the open connections, and keeps the idle ones by address, oldest first. Used from the event loop only."""

    def __init__(self) -> None:
        self._count = 0
        self._idle: dict[str, dict[Closable, None]] = {}

    def add(self) -> None:
        """Counts a connection that was accepted. If there are too many connections, drops one: the oldest idle
        connection of the address that has the most idle connections."""
        self._count += 1
        if self._count > MAX_CONNECTIONS:
            self._drop_oldest(max(self._idle, key=lambda address: len(self._idle[address]), default=""))

    def remove(self) -> None:
        """Stops counting a connection that was closed."""
        self._count -= 1

    def idle(self, address: str, connection: Closable) -> None:
        """Records that a connection is idle now. If the address has too many idle connections, drops the oldest of
        them."""
        waiting = self._idle.setdefault(address, {})
        waiting.pop(connection, None)
        waiting[connection] = None
        if len(waiting) > MAX_IDLE_PER_ADDRESS:
            self._drop_oldest(address)

    def busy(self, address: str, connection: Closable) -> None:
        """Records that a connection is no longer idle, because its request is complete or the connection was closed."""
        waiting = self._idle.get(address, {})
        waiting.pop(connection, None)
        if not waiting:
            self._idle.pop(address, None)

    def _drop_oldest(self, address: str) -> None:
        if waiting := self._idle.get(address):
            oldest = next(iter(waiting))
            self.busy(address, oldest)
            oldest.drop()


class HttpConnection(H11Protocol):
    """One connection that speaks HTTP/1.1, with deadlines. Malformed requests are refused in JSON."""

    def __init__(self, config: Config, state: ServerState, connections: Connections) -> None:
        super().__init__(config, state, {CONNECTION: self})
        self.access_log = False  # addresses may hold keys, so requests are never logged, however logging is set up
        self._connections, self._address = connections, ""
        self.when_writable: Callable[[], object] = lambda: None
        """Called when a client that had left too much unread has read most of it."""
        self._has_ended = False
        """Whether the client has closed its side of the connection."""
        self._deadline: asyncio.TimerHandle | None = None
        self._write_deadline: asyncio.TimerHandle | None = None
        self._waiting_for: RequestResponseCycle | None = None
        """The request whose body the server waits for; None if it waits for a request."""

    def drop(self) -> None:
        """Closes the connection at once."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts waiting for the first request."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._connections.add()
        self._wait_for_client(IDLE_TIMEOUT_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops all deadlines. An unfinished request learns that its client has gone."""
        self._connections.remove()
        self._stop_waiting()
        _cancel(self._write_deadline)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Processes bytes from the client."""
        if self.conn.their_state is h11.ERROR or self.transport.is_closing():
            return  # the request was refused
        super().data_received(data)
        self._update_deadline()

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio allows it
        """Handles a client that closes its side of the connection. Returns whether the connection stays open for an
        answer that is due. Over TLS the connection can't stay open, because TLS has no half-closed connections."""
        self._has_ended = True
        is_response_due = self.cycle is not None and not (self.cycle.more_body or self.cycle.response_started)
        return is_response_due and self.scheme == "http"

    def pause_writing(self) -> None:
        """Sets a deadline for a client that reads too slowly."""
        super().pause_writing()
        self._write_deadline = self.loop.call_later(WRITE_TIMEOUT_S, self.drop)

    def resume_writing(self) -> None:
        """Cancels the deadline, because the client has read again."""
        super().resume_writing()
        _cancel(self._write_deadline)
        self.when_writable()

    @property
    def is_writable(self) -> bool:
        """Whether the client has read most of what was sent."""
        return not self.flow.write_paused

    def send_part(self, data: bytes) -> None:
        """Sends the next part of a response body that has no end, such as an event stream. Does not wait for the
        client."""
        if not self.transport.is_closing():
            self.transport.write(self.conn.send(h11.Data(data=data)) or b"")

    def on_response_complete(self) -> None:
        """Ends a response. The connection then waits for the next request, or closes if the client has closed its
        side."""
        super().on_response_complete()
        if self._has_ended:
            self.transport.close()
        self._unset_keepalive_if_required()
        self._update_deadline()

    def send_400_response(self, msg: str) -> None:
        """Refuses a malformed request in JSON, if it can still be answered, and closes the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not self.transport.is_closing():
            refused = as_request_error(BadRequest())
            body = json.dumps({"error": {"code": refused.code, "message": str(refused)}}).encode() + b"\n"
            headers = [
                ("Content-Type", "application/json"),
                ("Content-Length", str(len(body))),
                ("Connection", "close"),
            ]
            for event in (h11.Response(status_code=refused.status, headers=headers), h11.Data(data=body)):
                self.transport.write(self.conn.send(event) or b"")
            if self.transport.can_write_eof():
                # Closing before the client has sent everything would reset the connection, and lose the answer.
                self.transport.write_eof()
                self._wait_for_client(LINGER_TIMEOUT_S)
                return
        self.transport.close()

    def _update_deadline(self) -> None:
        """Sets the deadline for what the server waits for now: the header or the body of a request. If the server was
        already waiting for it, the deadline stays the same."""
        if self.conn.their_state is h11.ERROR or self.transport.is_closing():
            return
        if self.cycle is not None and not self.cycle.response_complete:
            if not self.cycle.more_body:
                self._stop_waiting()
            elif self._waiting_for is not self.cycle:
                self._wait_for_client(BODY_TIMEOUT_S)
        elif self._deadline is None or self._waiting_for is not None:
            self._wait_for_client(IDLE_TIMEOUT_S)

    def _wait_for_client(self, timeout: float) -> None:
        _cancel(self._deadline)
        self._waiting_for = self.cycle if timeout == BODY_TIMEOUT_S else None
        self._deadline = self.loop.call_later(timeout, self.drop)
        self._connections.idle(self._address, self)

    def _stop_waiting(self) -> None:
        _cancel(self._deadline)
        self._deadline = self._waiting_for = None
        self._connections.busy(self._address, self)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
