"""One device can't keep the phones of a table from being answered: a short version of `make attacks`."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.attacks import ATTACKS, SixPhones, attacked, secure_address
from tests.repetitions import one_by_turns
from tests.running_service import RunningService, until
from tests.systems_failing_tables import new_table
from tests.web_table import WebTable, empty_web_table
from web.events.table_feed import TableFeed
from web.server.connections import Connections
from web.server.http_server import Server, serve
from web.tls.certificates import Authority, RenewedTlsContext

ROUNDS = 3


@pytest.fixture(scope="module")
def players(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SixPhones]:
    with RunningService(tmp_path_factory.mktemp("attacked"), "--tls", "0") as service:
        yield SixPhones(service, secure_address(service) if request.param == "https" else service.address)


@pytest.mark.slow
@pytest.mark.parametrize(("attack", "players"), one_by_turns([*ATTACKS], ["http", "https"]), indirect=["players"])
def test_every_page_and_move_is_answered_during_an_attack(players: SixPhones, attack: str) -> None:
    """Six phones can load their pages and make moves in spite of hundreds of connections that send nothing, send too
    little, or read nothing."""
    with attacked(players.phones[0].address, attack):
        for _ in range(ROUNDS):
            assert len(list(players.play_round())) == len(players.phones) + 1


def connect(server: Server, data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    connection.sendall(data)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Waits for the server to close the connection; returns whether it has."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"POST /api/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"],
    ids=["nothing", "half a header", "half a body"],
)
def test_who_sends_too_little_is_disconnected(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that does not finish its header or its body before the deadline is disconnected."""
    monkeypatch.setattr("web.server.connections.IDLE_TIMEOUT_S", 0.2)
    monkeypatch.setattr("web.server.connections.BODY_TIMEOUT_S", 0.2)
    with closing(serve(empty_web_table().app, "127.0.0.1", 0)) as server, connect(server, sent) as connection:
        assert is_closed(connection)


@pytest.mark.slow
def test_who_reads_nothing_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone that does not read its event stream is disconnected from it, and is shown as away."""
    monkeypatch.setattr("web.server.connections.WRITE_TIMEOUT_S", 0.2)
    monkeypatch.setattr(TableFeed, "new_events", lambda feed: iter([": much\n\n" * 500_000]))
    web_table = WebTable(new_table())
    cookie = web_table.phone(0).client.get_cookie("tablekeeper")
    assert cookie
    request = f"GET /api/events HTTP/1.1\r\nHost: localhost\r\nCookie: tablekeeper={cookie.value}\r\n\r\n"
    with closing(serve(web_table.app, "127.0.0.1", 0)) as server, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(request.encode())
        until(lambda: web_table.lobby.phones.is_online(web_table.lobby.phones.holder(0)), "the stream")
        until(lambda: not web_table.lobby.phones.is_online(web_table.lobby.phones.holder(0)), "the end of the stream")


def test_the_oldest_idle_connection_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address with too many idle connections loses the oldest of them, and the newest is served."""
    monkeypatch.setattr("web.server.connections.MAX_IDLE_PER_ADDRESS", 3)
    with closing(serve(empty_web_table().app, "127.0.0.1", 0)) as server:
        first, *others = [connect(server) for _ in range(4)]
        with closing(first):
            assert is_closed(first)
        for connection in others:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            with closing(connection):
                assert connection.recv(15) == b"HTTP/1.1 200 OK"


def test_connections_are_limited_before_they_are_encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over HTTPS, connections are limited even before they are encrypted: the oldest one that has sent nothing makes
    room."""
    monkeypatch.setattr("web.server.connections.MAX_IDLE_PER_ADDRESS", 3)
    tls = RenewedTlsContext(Authority(tmp_path), lambda: ((), ()))
    with closing(serve(empty_web_table().app, "127.0.0.1", 0, tls)) as server:
        connections = [connect(server) for _ in range(4)]
        assert is_closed(connections[0])
        for connection in connections:
            connection.close()


def test_a_request_after_another_is_answered() -> None:
    """A connection that is kept open serves one request after the other."""
    with (
        closing(serve(empty_web_table().app, "127.0.0.1", 0)) as server,
        closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection,
    ):
        for _ in range(3):
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            assert (answer.status, bool(answer.read())) == (200, True)


class IdleConnection:
    """A connection that waits, and remembers whether it was dropped."""

    is_dropped = False

    def drop(self) -> None:
        self.is_dropped = True


def test_the_address_with_the_most_idle_connections_loses_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are too many connections in total, the server drops the longest idle one of the address that has the
    most idle connections. Connections with a request in progress stay."""
    monkeypatch.setattr("web.server.connections.MAX_CONNECTIONS", 5)
    connections = Connections()
    phone, busy, *attackers = (IdleConnection() for _ in range(5))
    for address, each in (("phone", phone), ("attacker", busy), *(("attacker", one) for one in attackers)):
        connections.add()
        connections.idle(address, each)
    connections.busy("attacker", busy)
    connections.add()
    assert [each.is_dropped for each in (phone, busy, *attackers)] == [False, False, True, False, False]
