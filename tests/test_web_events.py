"""Server-sent events from a real server: nothing is missed, nothing is told twice, streams leave room for moves."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import pytest

from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from tests.phones import Home
from tests.running import until
from tests.tables import new_table, seen
from web.events import HEARTBEAT_S, STREAM_LIMIT
from web.server import Server, serve

SHUTDOWN_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Event:
    id: str
    kind: str
    data: Any


class Stream:
    """An open event stream, read event by event."""

    def __init__(
        self,
        port: int,
        cookie: str = "",
        last: str | None = None,
        connection: http.client.HTTPConnection | None = None,
    ) -> None:
        self._connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=SHUTDOWN_TIMEOUT_S)
        headers = {"Cookie": cookie} | ({"Last-Event-ID": last} if last is not None else {})
        self._connection.request("GET", "/api/events", headers=headers)
        self.answer = self._connection.getresponse()

    def __enter__(self) -> Self:
        assert self.answer.status == 200
        assert self.answer.headers["Content-Type"].startswith("text/event-stream")
        return self

    def __exit__(self, *_: object) -> None:
        self.answer.close()
        self._connection.close()

    def next(self) -> Event:
        """The next event; a stream that says nothing for long fails the test."""
        fields: dict[str, str] = {}
        while True:
            line = self.answer.readline().decode()
            assert line, "the stream has ended"
            if line == "\n" and "event" in fields:
                return Event(fields["id"], fields["event"], json.loads(fields["data"]))
            key, _, value = line.rstrip("\n").partition(": ")
            fields[key] = value

    def next_act(self) -> Event:
        """The next act, whatever looks come before it."""
        while (event := self.next()).kind != "act":
            pass
        return event


@contextmanager
def served(place: Home) -> Iterator[Server]:
    server = serve(place.app, "127.0.0.1", 0)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def place() -> Home:
    return Home(new_table())


def end_turn(table: Table) -> int:
    """Whoever must act ends the turn; the new version."""
    turn = seen(table).turn
    assert isinstance(turn, int)
    return table.submit(Seat(turn), {"seat": turn, "move": "end_turn"})


def scavenge(table: Table) -> int:
    return table.submit(Seat(0), {"seat": 0, "move": "scavenge"})


def test_an_act_is_told_as_it_happens(place: Home) -> None:
    """The event's id is game and version, its data the act as this viewer may know it, in words too."""
    with served(place) as server, Stream(server.port) as stream:
        assert stream.next().kind == "look"
        version = scavenge(place.table)
        event = stream.next()
        assert (event.kind, event.id) == ("act", f"1.{version}")
        assert event.data["version"] == version
        assert event.data["seat"] == 0
        assert event.data["moves"][0] == {"seat": 0, "move": "scavenge"}
        assert "Ann scavenges." in event.data["words"][0]


def test_whatever_else_changes_is_a_look(place: Home) -> None:
    """A name, a question, something amiss: the page is to be fetched again, the version stays."""
    with served(place) as server, Stream(server.port) as stream:
        first = stream.next()
        place.table.rename(Seat(0), "Anna")
        event = stream.next()
        assert (event.kind, event.id) == ("look", first.id)
        assert event.data["mark"] != first.data["mark"]


def test_who_comes_back_misses_nothing(place: Home) -> None:
    """With the last event's id every later act comes, in order, each once."""
    with served(place) as server:
        with Stream(server.port) as stream:
            last = stream.next().id
        versions = [scavenge(place.table), end_turn(place.table), place.table.undo(Seat(1)), end_turn(place.table)]
        with Stream(server.port, last=last) as stream:
            assert [stream.next_act().data["version"] for _ in versions] == versions
        with Stream(server.port, last=f"1.{versions[1]}") as stream:
            assert [stream.next_act().data["kind"] for _ in range(2)] == ["undo", "move"]


def test_who_comes_back_after_a_restart_misses_nothing(tmp_path: Any) -> None:
    """Ids are durable: a new process goes on where the old one was killed."""
    first = Home(new_table(tmp_path / "journal.db"))
    with served(first) as server, Stream(server.port) as stream:
        last = stream.next().id
        version = scavenge(first.table)
    second = Home(Table(Journal(tmp_path / "journal.db")))
    with served(second) as server, Stream(server.port, last=last) as stream:
        assert stream.next_act().id == f"1.{version}"


@pytest.mark.parametrize("last", ["", "x", "7.1", "1.99999", "1.-1", "-1.1", "1", "1.1.1", "9" * 99, "١.١"])
def test_an_id_from_elsewhere_is_told_to_look(place: Home, last: str) -> None:
    """Another game's id, one from the future or nonsense breaks nothing and repeats nothing."""
    scavenge(place.table)
    with served(place) as server, Stream(server.port, last=last.encode().decode("latin-1")) as stream:
        event = stream.next()
        assert (event.kind, event.id) == ("look", "1.2")


def test_a_new_game_is_a_look_and_then_acts(place: Home) -> None:
    """A stream goes on through the start of another game."""
    with served(place) as server, Stream(server.port) as stream:
        assert stream.next().id == "1.1"
        place.table.start("systems-failing", None, {}, {}, (), "another")
        while not (event := stream.next()).id.startswith("2."):
            pass
        assert event.kind == "look"
        assert stream.next_act().id == "2.2"
        scavenge(place.table)
        assert stream.next_act().id == "2.3"


def test_a_phone_of_an_earlier_game_misses_nothing_of_this_one(place: Home) -> None:
    """It was away while the host began another: a look, then each act of the game that runs."""
    place.table.start("systems-failing", None, {}, {}, (), "another")
    scavenge(place.table)
    with served(place) as server, Stream(server.port, last="1.1") as stream:
        assert stream.next().kind == "look"
        assert [stream.next().id for _ in range(2)] == ["2.2", "2.3"]


def test_a_stream_before_any_game_says_when_one_begins() -> None:
    """Phones that wait in the lobby are told."""
    place = Home(Table(Journal(None)))
    with served(place) as server, Stream(server.port) as stream:
        assert stream.next().id == "0.0"
        place.table.start("systems-failing", None, {}, {}, (), "seed")
        while stream.next().id != "1.1":
            pass


def test_a_freed_seat_sees_no_more_than_a_spectator(place: Home) -> None:
    """A stream is of the seat that its phone has now, not of the one that it had when it was opened."""
    phone = place.phone(0)
    cookie = phone.client.get_cookie("tablekeeper")
    assert cookie
    with served(place) as server, Stream(server.port, f"tablekeeper={cookie.value}") as stream:
        stream.next()
        assert place.lobby.is_online(place.lobby.holder(0))
        place.lobby.free(0)
        assert stream.next().kind == "look"
        assert place.lobby.guest(cookie.value).seat is None


def test_streams_leave_room_for_moves(place: Home) -> None:
    """The stream above the limit is refused in JSON; moves and pages still go through; a closed one makes room."""
    with served(place) as server:
        streams = [Stream(server.port) for _ in range(STREAM_LIMIT)]
        refused = Stream(server.port)
        assert refused.answer.status == 503
        assert json.loads(refused.answer.read())["error"]["code"] == "too_many_streams"
        refused.__exit__()
        assert get(server.port, "/api/view")["version"] == 1
        for stream in streams:
            stream.__exit__()
        status = 503
        while status == 503:
            place.table.refresh()  # a write shows at once that they have gone
            again = Stream(server.port)
            status = again.answer.status
            again.__exit__()
        assert status == 200


def test_a_quiet_stream_says_that_it_is_there(place: Home) -> None:
    """The same look once more, by which a page knows that its table is not silent; its phone misses nothing by it."""
    with served(place) as server, Stream(server.port) as stream:
        first, second = stream.next(), stream.next()
        assert first == second
        scavenge(place.table)
        assert stream.next_act().data["version"] == place.table.revision.version


def test_a_phone_that_is_gone_holds_no_place(place: Home) -> None:
    """Its stream ends although nothing happens, and the others see that it is away."""
    cookie = place.phone(0).client.get_cookie("tablekeeper")
    assert cookie
    with served(place) as server:
        with Stream(server.port, f"tablekeeper={cookie.value}") as stream:
            stream.next()
            assert place.lobby.is_online(place.lobby.holder(0))
        until(lambda: not place.lobby.is_online(place.lobby.holder(0)), "the phone's leaving", 3 * HEARTBEAT_S)


def test_closing_ends_streams_at_once(place: Home) -> None:
    """The service stops although phones are listening."""
    server = serve(place.app, "127.0.0.1", 0)
    with Stream(server.port) as stream:
        stream.next()
        server.close()
        while stream.answer.readline():
            pass


def get(port: int, path: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SHUTDOWN_TIMEOUT_S)
    connection.request("GET", path)
    try:
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def test_a_server_closes_even_if_its_thread_wakes_by_itself() -> None:
    """The waiting thread may see that it is to end before it is woken: what wakes it is still there then."""
    server = serve(Home(new_table()).app, "127.0.0.1", 0)
    trigger, thread = server._listener.trigger, server._thread
    pull = trigger.pull_trigger

    def late(*thunk: object) -> None:
        pull(*thunk)
        thread.join(5)
        pull()

    trigger.pull_trigger = late
    server.close()
    assert not thread.is_alive()
