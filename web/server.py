"""Serves the application with waitress: one thread waits on the sockets, a pool of threads answers, and an event
stream holds one thread of the pool as long as it is open. Https, where it is wanted, is another such server for the
same application (`web/tls.py`); both share the limit of streams."""

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

from companion.text.translation import SOURCE, speaking
from web.refusals import as_refused
from web.tls import SecureChannel, accepting

THREADS = 64
"""More than events.STREAM_LIMIT, so that a move always finds a thread."""
CONNECTIONS = 400
MAX_BODY_BYTES = 13 * 1024 * 1024
"""Above what any address takes: the application itself says what is too long, in JSON."""
PATIENCE = 5.0
"""Seconds that requests in progress have to end."""


class _Refusal(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """What waitress refuses by itself: a request that is none, or too long to be passed on."""

    def execute(self) -> None:
        """Answers in JSON, as the application does."""
        error = self.request.error
        with speaking(SOURCE):
            refused = as_refused(default_exceptions[error.code]())
        body = json.dumps({"error": {"code": refused.code, "message": refused.message}}).encode() + b"\n"
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]
    error_task_class = _Refusal


class _SecureChannel(SecureChannel):
    error_task_class = _Refusal


class Server:
    """A running server; with `tls`, of https."""

    def __init__(self, app: Flask, host: str, port: int, tls: Callable[[], SSLContext] | None = None) -> None:
        self._streams = app.extensions["streams"]
        self._map: dict[int, Any] = {}
        self._waitress = create_server(
            app,
            map=self._map,
            host=host,
            port=port,
            threads=THREADS,
            connection_limit=CONNECTIONS,
            max_request_body_size=MAX_BODY_BYTES,
            channel_request_lookahead=1,  # notices at once that a phone has gone
            asyncore_use_poll=True,
            ident="",
            clear_untrusted_proxy_headers=True,
            url_scheme="https" if tls else "http",
        )
        self._listener = next(d for d in self._map.values() if isinstance(d, BaseWSGIServer))
        self._listener.channel_class = accepting(tls, _SecureChannel) if tls else _Channel
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.effective_port)

    def close(self) -> None:
        """Ends every stream and stops listening; safe from any thread."""
        if not self._thread.is_alive():
            return
        self._streams.close()
        self._waitress.task_dispatcher.shutdown(timeout=PATIENCE)
        self._closing = True
        self._listener.trigger.pull_trigger()
        self._thread.join(PATIENCE)
        # Not by the waiting thread: it may wake by itself, and would close the trigger under the hand that pulls it.
        wasyncore.close_all(self._map)

    def _run(self) -> None:
        while not self._closing:
            wasyncore.loop(timeout=1, use_poll=True, map=self._map, count=1)


def serve(app: Flask, host: str, port: int, tls: Callable[[], SSLContext] | None = None) -> Server:
    """Listens and serves in threads of its own, https with what `tls` gives for each connection; raises OSError if the
    port can't be had."""
    # It warns of each request that waits a moment for a thread, as when several phones wake at once. Nobody at the
    # table can mend that, nor need they: what can't be answered for lack of threads is refused in words. Nor of the
    # phones' streams that end as it stops.
    logger.setLevel(logging.ERROR)
    queue_logger.setLevel(logging.ERROR)
    return Server(app, host, port, tls)
