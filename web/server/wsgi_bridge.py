"""The bridge from the asynchronous server to Flask. Flask gets a request only after its body has been read, and an
answer is sent only when it is complete. So a slow phone never blocks a thread.

A request for the event stream goes through Flask too, which checks it; the stream itself is a coroutine.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from io import BytesIO
from typing import Any

from a2wsgi.wsgi import build_environ
from flask import Flask
from werkzeug.test import run_wsgi_app

from web.events.streams import STREAM, Broadcaster
from web.server.connections import CONNECTION

THREAD_COUNT = 16
"""The number of threads in which Flask answers requests."""
MAX_BODY_BYTES = 13 * 1024 * 1024
"""The largest request body that is passed on. It is larger than any route accepts, so that the application itself can
refuse larger bodies, with an answer in JSON. The rest of a longer body is read and dropped."""
MAX_DROPPED_BYTES = 64 * 1024 * 1024
"""The size at which the server stops reading a request body. Until then it reads and drops what exceeds MAX_BODY_BYTES,
so that the client sees the refusal."""
SMALL_BODY_BYTES = 256 * 1024
LARGE_BODIES_PER_ADDRESS = 2
"""The number of bodies above SMALL_BODY_BYTES that one address may send at the same time. Further ones have to wait
before they are read."""

BODY_HEADERS = (b"content-length", b"transfer-encoding")

Scope = dict[str, Any]
AsgiMessage = dict[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]


class WsgiBridge:
    """An ASGI application that answers requests with a Flask application in a pool of threads. A bridge must be created
    in the event loop."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._threads = ThreadPoolExecutor(THREAD_COUNT, "stream")
        self.broadcaster = Broadcaster(app.extensions["streams"], self._threads)
        self._workers = ThreadPoolExecutor(THREAD_COUNT, "WSGI")
        self._large_bodies: dict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(LARGE_BODIES_PER_ADDRESS)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        async with AsyncExitStack() as resources:
            body, size = await self._read_body(scope, receive, resources)
            if body is None:
                return
            headers = [(name, value) for name, value in scope["headers"] if name not in BODY_HEADERS]
            request = {**_with_own_path(scope), "headers": [*headers, (b"content-length", str(size).encode())]}
            run = asyncio.get_running_loop().run_in_executor
            start, content = await run(self._workers, self._response, request, body)
        await send(start)
        if stream := request.get(STREAM):
            await stream.run(scope["state"][CONNECTION], receive, self.broadcaster, self._threads)
            content = b""
        await send({"type": "http.response.body", "body": content, "more_body": False})

    def close(self) -> None:
        """Ends the threads as soon as the requests in progress are answered."""
        for threads in (self._threads, self._workers):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _read_body(self, scope: Scope, receive: Receive, resources: AsyncExitStack) -> tuple[bytes | None, int]:
        """The first MAX_BODY_BYTES of a request's body, and the number of bytes that arrived. The body is None if the
        client disconnects before it is complete."""
        body, size, is_large = bytearray(), 0, False
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None, size
            size += len(message["body"])
            body += message["body"][: MAX_BODY_BYTES - len(body)]
            if not message["more_body"] or size > MAX_DROPPED_BYTES:
                return bytes(body), size
            if len(body) > SMALL_BODY_BYTES and not is_large:
                is_large = True
                await resources.enter_async_context(self._large_bodies[(scope["client"] or ("",))[0]])

    def _response(self, request: Scope, body: bytes) -> tuple[AsgiMessage, bytes]:
        """Flask's answer, made in a thread: the ASGI message with its status and headers, and its body. If the request
        has opened an event stream, passes the stream on in the ASGI scope, and leaves out the content length, because
        that of a stream is unknown."""
        environ: Any = build_environ(request, BytesIO(body))  # type: ignore[arg-type]
        chunks, status, headers = run_wsgi_app(self._call_flask, environ, buffered=True)
        is_stream = request.get(STREAM) is not None
        raw_headers = [
            (name.lower().encode("latin1"), value.strip().encode("latin1"))
            for name, value in headers
            if not (is_stream and name.lower() == "content-length")
        ]
        start = {"type": "http.response.start", "status": int(status.split(" ", 1)[0]), "headers": raw_headers}
        return start, b"".join(chunks)

    def _call_flask(self, environ: Any, start_response: Any) -> Any:
        body = self._app(environ, start_response)
        environ["asgi.scope"][STREAM] = environ.get(STREAM)
        return body


def _with_own_path(scope: Scope) -> Scope:
    """The request with only the path of its URL. Clients that think this server is a proxy send a whole URL (RFC 9112,
    3.2.2)."""
    if not scope["path"].startswith(("http://", "https://")):
        return scope
    path = "/" + scope["path"].split("/", 3)[3] if scope["path"].count("/") >= 3 else "/"
    return {**scope, "path": path, "raw_path": path.encode()}
