"""Server-sent events from a real server: no event is lost or repeated, and streams leave capacity for moves."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self
from unittest.mock import Mock

import pytest

from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from tests.running_service import until
from tests.systems_failing_tables import new_table, seen
from tests.web_table import WebTable, served
from web.events.streams import HEARTBEAT_S, Broadcaster
from web.server.http_server import serve

SHUTDOWN_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class ServerSentEvent:
    id: str
    kind: str
    data: Any


class Stream:
    """An open event stream that is read event by event."""

    def __init__(
        self,
        port: int,
        cookie: str = "",
        last: str | None = None,
        connection: http.client.HTTPConnection | None = None,
        query: str = "",
    ) -> None:
        self._connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=SHUTDOWN_TIMEOUT_S)
        headers = {"Cookie": cookie} | ({"Last-Event-ID": last} if last is not None else {})
        self._connection.request("GET", f"/api/events{query}", headers=headers)
        self.answer = self._connection.getresponse()

    def __enter__(self) -> Self:
        assert self.answer.status == 200
        assert self.answer.headers["Content-Type"].startswith("text/event-stream")
        return self

    def __exit__(self, *_: object) -> None:
        self.answer.close()
        self._connection.close()

    def next(self) -> ServerSentEvent:
        """The next event. Fails if none comes for a long time."""
        fields: dict[str, str] = {}
        while True:
            line = self.answer.readline().decode()
            assert line, "the stream has ended"
            if line == "\n" and "event" in fields:
                return ServerSentEvent(fields["id"], fields["event"], json.loads(fields["data"]))
            key, _, value = line.rstrip("\n").partition(": ")
            fields[key] = value

    def next_act(self) -> ServerSentEvent:
        """The next act, skipping other events."""
        while (event := self.next()).kind != "act":
            pass
        return event


@pytest.fixture
def web_table() -> WebTable:
    return WebTable(new_table())


def end_turn(table: Table) -> int:
    """Ends the turn of the seat that must act. Returns the new version."""
    turn = seen(table).turn
    assert isinstance(turn, int)
    return table.submit(Seat(turn), {"seat": turn, "move": "end_turn"})


def scavenge(table: Table) -> int:
    return table.submit(Seat(0), {"seat": 0, "move": "scavenge"})


def test_an_act_is_sent_as_it_happens(web_table: WebTable) -> None:
    """An act is sent as an event. The event's id consists of the game and the version; its data are the act as this
    viewer may know it, with its text."""
    with served(web_table) as server, Stream(server.port) as stream:
        assert stream.next().kind == "look"
        version = scavenge(web_table.table)
        event = stream.next()
        assert (event.kind, event.id) == ("act", f"1.{version}")
        assert event.data["version"] == version
        assert event.data["seat"] == 0
        assert event.data["moves"][0] == {"seat": 0, "move": "scavenge"}
        assert "Ann scavenges." in event.data["words"][0]


def test_any_other_change_sends_a_look(web_table: WebTable) -> None:
    """A new name, a request or a discrepancy sends a `look` event: the page must be fetched again, and the version
    stays the same."""
    with served(web_table) as server, Stream(server.port) as stream:
        first = stream.next()
        web_table.table.rename(Seat(0), "Anna")
        event = stream.next()
        assert (event.kind, event.id) == ("look", first.id)
        assert event.data["mark"] != first.data["mark"]


def test_a_client_that_reconnects_misses_nothing(web_table: WebTable) -> None:
    """A client that reconnects with the id of its last event gets every later act once and in order."""
    with served(web_table) as server:
        with Stream(server.port) as stream:
            last = stream.next().id
        versions = [
            scavenge(web_table.table),
            end_turn(web_table.table),
            web_table.table.undo(Seat(1)),
            end_turn(web_table.table),
        ]
        with Stream(server.port, last=last) as stream:
            assert [stream.next_act().data["version"] for _ in versions] == versions
        with Stream(server.port, last=f"1.{versions[1]}") as stream:
            assert [stream.next_act().data["kind"] for _ in range(2)] == ["undo", "move"]


def test_a_client_that_reconnects_after_a_restart_misses_nothing(tmp_path: Any) -> None:
    """Event ids survive a restart: a new process continues where the old one was killed."""
    first = WebTable(new_table(tmp_path / "journal.db"))
    with served(first) as server, Stream(server.port) as stream:
        last = stream.next().id
        version = scavenge(first.table)
    second = WebTable(Table(Journal(tmp_path / "journal.db")))
    with served(second) as server, Stream(server.port, last=last) as stream:
        assert stream.next_act().id == f"1.{version}"


@pytest.mark.parametrize("last", ["", "x", "7.1", "1.99999", "1.-1", "-1.1", "1", "1.1.1", "9" * 99, "١.١"])
def test_an_unknown_event_id_gets_a_look(web_table: WebTable, last: str) -> None:
    """A client that reconnects with an id of another game, a future id or an invalid id gets a `look` event, and no
    earlier acts."""
    scavenge(web_table.table)
    with served(web_table) as server, Stream(server.port, last=last.encode().decode("latin-1")) as stream:
        event = stream.next()
        assert (event.kind, event.id) == ("look", "1.2")


def test_a_new_game_is_a_look_and_then_acts(web_table: WebTable) -> None:
    """A stream continues when another game starts."""
    with served(web_table) as server, Stream(server.port) as stream:
        assert stream.next().id == "1.1"
        web_table.table.start("systems-failing", None, {}, {}, (), "another")
        while not (event := stream.next()).id.startswith("2."):
            pass
        assert event.kind == "look"
        assert stream.next_act().id == "2.2"
        scavenge(web_table.table)
        assert stream.next_act().id == "2.3"


def test_a_phone_of_an_earlier_game_misses_nothing_of_this_one(web_table: WebTable) -> None:
    """A phone that was away while another game began gets a `look` event and then each act of the running game."""
    web_table.table.start("systems-failing", None, {}, {}, (), "another")
    scavenge(web_table.table)
    with served(web_table) as server, Stream(server.port, last="1.1") as stream:
        assert stream.next().kind == "look"
        assert [stream.next().id for _ in range(2)] == ["2.2", "2.3"]


def test_a_stream_before_any_game_says_when_one_begins() -> None:
    """Phones that wait in the lobby are notified when a game begins."""
    web_table = WebTable(Table(Journal(None)))
    with served(web_table) as server, Stream(server.port) as stream:
        assert stream.next().id == "0.0"
        web_table.table.start("systems-failing", None, {}, {}, (), "seed")
        while stream.next().id != "1.1":
            pass


def test_a_freed_seat_sees_no_more_than_a_spectator(web_table: WebTable) -> None:
    """A stream shows what the phone's current seat may see, not the seat that it had when the stream was opened."""
    phone = web_table.phone(0)
    cookie = phone.client.get_cookie("tablekeeper")
    assert cookie
    with served(web_table) as server, Stream(server.port, f"tablekeeper={cookie.value}") as stream:
        stream.next()
        assert web_table.lobby.phones.is_online(web_table.lobby.phones.holder(0))
        web_table.lobby.free(0)
        assert stream.next().kind == "look"
        assert web_table.lobby.phones.session(cookie.value).seat is None


def test_streams_leave_room_for_moves(web_table: WebTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream above the limit for phones that have not joined is refused in JSON. Moves, pages and the streams of
    phones that have joined still work. Closing a stream makes room."""
    monkeypatch.setattr("web.events.streams.STRANGER_LIMIT", 20)
    cookie = web_table.phone(0).client.get_cookie("tablekeeper")
    assert cookie
    with served(web_table) as server:
        streams = [Stream(server.port) for _ in range(20)]
        assert [stream.next().kind for stream in streams] == ["look"] * 20
        refused = Stream(server.port)
        assert refused.answer.status == 503
        assert json.loads(refused.answer.read())["error"]["code"] == "too_many_streams"
        refused.__exit__()
        assert get(server.port, "/api/view")["version"] == 1
        with Stream(server.port, f"tablekeeper={cookie.value}") as joined:
            assert joined.next().kind == "look"
        for stream in streams:
            stream.__exit__()
        until(lambda: web_table.app.extensions["streams"].has_room(""), "room for a stream")
        with Stream(server.port) as stream:
            assert stream.next().kind == "look"


def test_the_streams_of_one_phone_are_limited(web_table: WebTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone that opens more and more streams is refused, and does not use up the streams of other phones."""
    monkeypatch.setattr("web.events.streams.STREAMS_PER_PHONE", 3)
    cookies = [web_table.phone(seat).client.get_cookie("tablekeeper") for seat in (0, 1)]
    assert all(cookies)
    greedy, other = (f"tablekeeper={cookie.value}" for cookie in cookies if cookie)
    with served(web_table) as server:
        streams = [Stream(server.port, greedy) for _ in range(3)]
        assert [stream.next().kind for stream in streams] == ["look"] * 3
        refused = Stream(server.port, greedy)
        assert refused.answer.status == 503
        with Stream(server.port, other) as stream:
            assert stream.next().kind == "look"
        for each in (*streams, refused):
            each.__exit__()


@pytest.mark.slow
def test_a_quiet_stream_says_that_it_is_there(web_table: WebTable) -> None:
    """A quiet stream repeats its `look` event, so that pages know that the table is still there. This makes phones miss
    nothing."""
    with served(web_table) as server, Stream(server.port) as stream:
        first, second = stream.next(), stream.next()
        assert first == second
        scavenge(web_table.table)
        assert stream.next_act().data["version"] == web_table.table.revision.version


@pytest.mark.slow
def test_the_stream_of_a_phone_that_has_gone_ends(web_table: WebTable) -> None:
    """The stream of a phone that disconnected ends even if nothing happens, and the other phones see that it is
    away."""
    cookie = web_table.phone(0).client.get_cookie("tablekeeper")
    assert cookie
    with served(web_table) as server:
        with Stream(server.port, f"tablekeeper={cookie.value}") as stream:
            stream.next()
            assert web_table.lobby.phones.is_online(web_table.lobby.phones.holder(0))
        until(
            lambda: not web_table.lobby.phones.is_online(web_table.lobby.phones.holder(0)),
            "the phone's leaving",
            3 * HEARTBEAT_S,
        )


def test_closing_ends_streams_at_once(web_table: WebTable) -> None:
    """The service stops at once even if phones have open streams."""
    server = serve(web_table.app, "127.0.0.1", 0)
    with Stream(server.port) as stream:
        stream.next()
        server.close()
        while stream.answer.readline():
            pass


def in_event_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine. It runs in a thread of its own, because Playwright's event loop may already run in
    this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@pytest.mark.parametrize("steps", range(6))
def test_an_event_at_the_moment_of_closing_does_not_keep_the_server_open(web_table: WebTable, steps: int) -> None:
    """The server cancels the broadcaster's task. `steps` is the number of steps of the event loop between the event and
    the cancellation."""

    async def pass_steps(count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    async def is_canceled() -> bool:
        with ThreadPoolExecutor(1) as threads:
            broadcaster = Broadcaster(web_table.app.extensions["streams"], threads)
            running = asyncio.create_task(broadcaster.run())
            await pass_steps(5)
            broadcaster.wake()
            await pass_steps(steps)
            running.cancel()
            await pass_steps(5)
            broadcaster.close()
            return running.cancelled()

    assert in_event_loop(is_canceled())


def test_a_stream_that_begins_while_the_server_closes_ends(web_table: WebTable) -> None:
    async def serve_after_closing() -> None:
        with ThreadPoolExecutor(1) as threads:
            broadcaster = Broadcaster(web_table.app.extensions["streams"], threads)
            broadcaster.close()
            disconnected = asyncio.get_running_loop().create_future()
            serving = asyncio.create_task(broadcaster.serve(Mock(), disconnected))
            for _ in range(5):
                await asyncio.sleep(0)
            assert serving.done()

    in_event_loop(serve_after_closing())


def get(port: int, path: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SHUTDOWN_TIMEOUT_S)
    connection.request("GET", path)
    try:
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()
