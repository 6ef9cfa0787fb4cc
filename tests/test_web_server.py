"""Requests that the server refuses before they reach the application."""

from __future__ import annotations

import gc
import http.client
import json
import logging
import socket
import struct
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from tests.web_table import empty_web_table
from web.server.http_server import Server, serve
from web.server.wsgi_bridge import MAX_BODY_BYTES

CHUNKED = {"Transfer-Encoding": "chunked"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with closing(serve(empty_web_table().app, "127.0.0.1", 0)) as served:
        yield served


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"POST /api/moves HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400, "bad_request"),
        (b"POST /api/moves HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: zip\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 999_999 + b"\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "bad_request"),
        (b"nonsense\r\n\r\n", 400, "bad_request"),
    ],
    ids=["no-length", "encoding", "header", "no-host", "nonsense"],
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


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused_and_not_reset(server: Server, chunked: bool) -> None:
    """If a body is too large, the client gets status 413 in JSON, even if it sends the whole body before it reads the
    answer. The server goes on serving other clients."""
    size = MAX_BODY_BYTES + 2**20
    body = iter([bytes(2**20)] * (size // 2**20)) if chunked else bytes(size)
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request("POST", "/api/moves", body, encode_chunked=chunked, headers=CHUNKED if chunked else {})
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["error"]["code"]) == (413, "too_large")
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200


def test_a_request_with_a_whole_url_is_served(server: Server) -> None:
    """A request with a whole URL, from a client that thinks the server is a proxy, is served. The URL may have no
    path."""
    for url, status in ((b"http://localhost/healthz", b"200"), (b"http://localhost", b"303")):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(b"GET " + url + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert connection.makefile("rb").readline().split()[1] == status


def test_a_client_that_has_closed_its_side_gets_its_answer(server: Server) -> None:
    """A client that closes its sending side after the request still gets its answer. This applies to requests with and
    without a body, even on a connection that was kept open."""
    for data in (
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /api/join HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    ):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            assert connection.makefile("rb").read().startswith(b"HTTP/1.1 ")


def test_a_malformed_request_whose_sender_has_gone_leaves_no_trace(
    server: Server, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever a client sends before it disconnects, nothing is written to the console."""
    for data in (
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1",
    ):
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.sendall(data)
    assert get(server.port, "/healthz") == 200
    assert (capfd.readouterr().err, caplog.messages) == ("", [])


def test_requests_are_never_logged(server: Server, caplog: pytest.LogCaptureFixture, monkeypatch: Any) -> None:
    """No request is ever logged, even if another part of the program changes the log level, because URLs may contain
    the host's key."""
    assert get(server.port, "/healthz") == 200  # the server has set up its logging
    monkeypatch.setattr(logging.getLogger("uvicorn.access"), "propagate", True)
    caplog.set_level(logging.INFO, "uvicorn.access")
    assert get(server.port, "/healthz?key=secret") == 200
    assert caplog.messages == []


def get(port: int, path: str) -> int:
    """Requests a path, and returns the status of the answer."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def test_a_connection_that_arrives_while_the_server_closes_is_closed() -> None:
    """A client whose connection arrives while the server closes isn't forgotten: its connection is closed, too."""
    server = serve(empty_web_table().app, "127.0.0.1", 0)
    loop = server._loop
    with ExitStack() as clients, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        def connect() -> None:
            clients.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            loop.call_soon(server._closing.set)  # in the same turn of the loop as the connection

        loop.call_soon_threadsafe(connect)
        server._thread.join(10)
        gc.collect()
    assert [str(warning.message) for warning in caught] == []
