"""Serves the application over HTTP and HTTPS: an event loop in a thread of its own waits for all phones, and a pool of
threads answers their requests.

Only uvicorn's implementation of HTTP/1.1 is used. uvicorn's server is not used, because it could not limit connections
that are still in their TLS handshake.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from email.utils import formatdate
from ssl import SSLContext
from typing import Any

from flask import Flask
from uvicorn.config import Config
from uvicorn.server import ServerState

from companion.platform_calls import raise_open_file_limit
from web.server.connections import MAX_CONNECTIONS, Connections, HttpConnection
from web.server.wsgi_bridge import WsgiBridge

BACKLOG = 512
HANDSHAKE_TIMEOUT_S = 10.0
"""How long a TLS handshake may take, in seconds."""
SHUTDOWN_TIMEOUT_S = 5.0
"""How long requests in progress may take to finish when the server closes, in seconds."""
RESERVED_FILES = 256
"""The number of open files that are left to the rest of the service: the journal, the camera, the devices."""
ACCEPT_PAUSE_S = 0.2
"""How long the server waits, in seconds, before it accepts the next connection if this process has run out of file
descriptors."""


class _Handshake:
    """A connection that is still in its TLS handshake."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task

    def drop(self) -> None:
        """Closes the connection at once."""
        self._task.cancel()


class Server:
    """A running HTTP server on a listening socket; with `tls`, a running HTTPS server."""

    def __init__(self, app: Flask, listener: socket.socket, tls: Callable[[], SSLContext] | None = None) -> None:
        self._app, self._tls = app, tls
        self._listener = listener
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        """The port on which the server listens."""
        self._config: Config
        self._state, self._connections = ServerState(), Connections()
        self._opening: set[asyncio.Task[Any]] = set()
        """Accepted connections that aren't in `_state` yet. A TLS connection stays here until its handshake is done."""
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends every stream and stops the server; safe to call from any thread."""
        if not self._thread.is_alive():
            return
        with suppress(RuntimeError):  # the loop has ended by itself
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(2 * SHUTDOWN_TIMEOUT_S)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        bridge = WsgiBridge(self._app)
        self._config = Config(
            bridge,
            http=HttpConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
        )
        self._config.load()
        background = [*map(self._start, (self._keep_date(), bridge.broadcaster.run()))]
        self._listen()
        await self._closing.wait()
        self._loop.remove_reader(self._listener)
        self._listener.close()
        unfinished = [*background, *self._opening]
        for task in unfinished:
            task.cancel()
        await asyncio.wait(unfinished)
        bridge.broadcaster.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=SHUTDOWN_TIMEOUT_S)
        bridge.close()

    def _start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        return self._loop.create_task(work)

    async def _keep_date(self) -> None:
        """Keeps the Date header of answers up to date."""
        while True:
            self._state.default_headers = [(b"date", formatdate(usegmt=True).encode())]
            await asyncio.sleep(1)

    def _listen(self) -> None:
        """Waits for connections, unless the server closes."""
        if not self._closing.is_set():
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Accepts a connection. This is a callback and no task, because a task that is canceled while the server closes
        could lose a connection that it has just accepted."""
        try:
            connection, address = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # the client has gone
            return
        except OSError:
            self._loop.remove_reader(self._listener)
            self._loop.call_later(ACCEPT_PAUSE_S, self._listen)
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open(connection, address[0])

    def _open(self, connection: socket.socket, address: str) -> None:
        """Begins to serve a connection that was accepted."""
        tls = self._tls() if self._tls else None
        task = self._start(
            self._loop.connect_accepted_socket(
                lambda: HttpConnection(self._config, self._state, self._connections),
                connection,
                ssl=tls,
                ssl_handshake_timeout=HANDSHAKE_TIMEOUT_S if tls else None,
            )
        )
        self._opening.add(task)
        handshake = _Handshake(task)
        if tls:
            self._connections.idle(address, handshake)

        def done(task: asyncio.Task[Any]) -> None:
            self._opening.remove(task)
            self._connections.busy(address, handshake)
            if task.cancelled() or task.exception():  # the client has gone, or TLS has failed
                connection.close()

        task.add_done_callback(done)


def serve(
    app: Flask,
    host: str,
    port: int,
    tls: Callable[[], SSLContext] | None = None,
    listener: socket.socket | None = None,
) -> Server:
    """Starts a server with threads of its own, and returns the server. `tls` returns the context for each HTTPS
    connection; None for HTTP. `listener`: a socket that listens already; if it is given, `host` and `port` are ignored.
    Raises OSError if the port can't be used."""
    # uvicorn's warnings are about malformed requests and phones that have gone. Nobody at the table can prevent them.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    raise_open_file_limit(MAX_CONNECTIONS + RESERVED_FILES)  # so that all connections have room
    return Server(app, listener or socket.create_server((host, port), backlog=BACKLOG), tls)
