"""Serves the application with waitress: one thread waits on the sockets, and a pool of threads answers requests.

An event stream occupies one thread of the pool while it is open. Https is a second server for the same application
(`web/tls.py`); the two share the limit of streams.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from ssl import SSLContext
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask
from waitress.utilities import logger, queue_logger
from werkzeug.exceptions import default_exceptions

from web.error_responses import as_request_error
from web.tls import SecureChannel, channel_factory

THREAD_COUNT = 64
"""The number of threads that answer requests. It is greater than events.STREAM_LIMIT, so that a move always finds a
thread."""
MAX_CONNECTIONS = 400
MAX_BODY_BYTES = 13 * 1024 * 1024
"""The largest request body that waitress passes on. It is larger than any route accepts, so that the application itself
can refuse a body that is too large, in JSON."""
SHUTDOWN_TIMEOUT_S = 5.0
"""How long requests in progress may take to finish when the server closes, seconds."""


class _RefusalTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """Answers a request that waitress itself refuses because it is malformed, or too large to reach the application."""

    def execute(self) -> None:
        """Sends the refusal as JSON, as the application would."""
        error = self.request.error
        refused = as_request_error(default_exceptions[error.code]())
        body = json.dumps({"error": {"code": refused.code, "message": str(refused)}}).encode() + b"\n"
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]
    error_task_class = _RefusalTask


class _SecureChannel(SecureChannel):
    error_task_class = _RefusalTask


class Server:
    """A running http server; with `tls`, a running https server."""

    def __init__(self, app: Flask, host: str, port: int, tls: Callable[[], SSLContext] | None = None) -> None:
        self._streams = app.extensions["streams"]
        self._map: dict[int, Any] = {}
        self._waitress = create_server(
            app,
            map=self._map,
            host=host,
            port=port,
            threads=THREAD_COUNT,
            connection_limit=MAX_CONNECTIONS,
            max_request_body_size=MAX_BODY_BYTES,
            channel_request_lookahead=1,  # notices at once that a phone has disconnected
            asyncore_use_poll=True,
            ident="",
            clear_untrusted_proxy_headers=True,
            url_scheme="https" if tls else "http",
        )
        self._listener = next(d for d in self._map.values() if isinstance(d, BaseWSGIServer))
        self._listener.channel_class = channel_factory(tls, _SecureChannel) if tls else _Channel
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return int(self._listener.effective_port)

    def close(self) -> None:
        """Ends every stream and stops the server; safe to call from any thread."""
        if not self._thread.is_alive():
            return
        self._streams.close()
        self._waitress.task_dispatcher.shutdown(timeout=SHUTDOWN_TIMEOUT_S)
        self._closing = True
        self._listener.trigger.pull_trigger()
        self._thread.join(SHUTDOWN_TIMEOUT_S)
        # Not in the server's thread, which could wake up and close the trigger before it has been pulled.
        wasyncore.close_all(self._map)

    def _run(self) -> None:
        while not self._closing:
            wasyncore.loop(timeout=1, use_poll=True, map=self._map, count=1)


def serve(app: Flask, host: str, port: int, tls: Callable[[], SSLContext] | None = None) -> Server:
    """Starts a server with threads of its own, and returns it. `tls` returns the context for each https connection.
    Raises OSError if the port can't be used."""
    # Waitress warns of each request that waits a moment for a thread, as when several phones wake up at once, and of
    # the streams that end when the server stops. Both are normal, and nobody at the table could do anything about it.
    logger.setLevel(logging.ERROR)
    queue_logger.setLevel(logging.ERROR)
    return Server(app, host, port, tls)
