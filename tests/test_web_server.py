"""Requests that the server refuses before they reach the application."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.phones import empty_home
from web.server import MAX_BODY_BYTES, Server, serve


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with closing(serve(empty_home().app, "127.0.0.1", 0)) as served:
        yield served


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (
            b"POST /api/moves HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1),
            413,
            "too_large",
        ),
        (b"POST /api/moves HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400, "bad_request"),
        (b"POST /api/moves HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: zip\r\n\r\n", 501, "refused"),
        (b"nonsense\r\n\r\n", 400, "bad_request"),
    ],
    ids=["length", "no-length", "encoding", "nonsense"],
)
def test_every_refusal_is_json(server: Server, request_bytes: bytes, status: int, code: str) -> None:
    """A malformed or oversized request is refused in JSON like every other one."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request_bytes)
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert int(head.split()[1]) == status
    assert b"Content-Type: application/json" in head
    error = json.loads(body)["error"]
    assert error["code"] == code
    assert len(error["message"].split()) > 3


def test_a_request_that_waits_is_no_news(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """A request that waits for a thread writes nothing to the service's terminal; errors still do."""
    queue = logging.getLogger("waitress.queue")
    queue.warning("Task queue depth is %d", 1)
    assert caplog.messages == []
    queue.error("trouble")
    assert caplog.messages == ["trouble"]
