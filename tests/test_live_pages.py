"""Event streams send the parts of a page that have changed. The phone then shows the same as if it had fetched the
page."""

from __future__ import annotations

import logging
import re
import socket
from collections import OrderedDict
from contextlib import ExitStack
from functools import partial
from html.parser import HTMLParser
from random import Random
from typing import Any
from urllib.request import Request, urlopen

import pytest
from jinja2 import Undefined
from markupsafe import Markup, escape

from companion.games import GAMES
from companion.games.rules import SPECTATOR
from companion.table.table import Table
from companion.text.messages import ENGLISH, Text, _
from companion.text.translation import LANGUAGES, Translator
from tests.repetitions import by_turns, repetitions
from tests.running_service import until
from tests.test_fair_shuffle import make_random_move, match_of
from tests.test_web_events import Stream, scavenge
from tests.web_table import Phone, WebTable, new_web_table, served
from web.access.phone_session import viewer_of
from web.events.live_pages import PageChange, ShownPage, live_page
from web.events.table_feed import TableFeed
from web.localization import LANGUAGE_COOKIE
from web.templating.sections import ACTION_ID, BORDER, VERSION, SectionTag, completed, sections_of

ACTS = repetitions(36, at_least=12)
STUB = re.compile(r'<(\w+) data-key="(\S+)" data-same></\1>')
FILLED = re.compile(r'(name="(version|id)" value=")\w+"')


class EmptyCache(OrderedDict[Any, Any]):
    """A cache that keeps no section, so that each section is rendered again each time."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


class UnkeyedElements(HTMLParser):
    """Finds the elements without a key around the sections that a change leaves out."""

    VOID = frozenset(("br", "hr", "img", "input", "link", "meta", "source", "wbr"))

    def __init__(self, html: str) -> None:
        super().__init__()
        self._open: list[tuple[str, bool]] = []
        self.unkeyed = set[str]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if "data-same" in has:
            self.unkeyed |= {f"{name} around {has['data-key']}" for name, is_keyed in self._open if not is_keyed}
        if tag not in self.VOID:
            self._open.append((tag, "data-key" in has or "id" in has or tag in ("main", "html", "body")))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass


def sections_in(web_table: WebTable) -> SectionTag:
    """The sections that the table's application keeps."""
    found: Any = web_table.app.jinja_env.extensions[f"{SectionTag.__module__}.{SectionTag.__name__}"]
    return found  # type: ignore[no-any-return]


def without_fields(html: str) -> str:
    """The page without the version and the id in its forms."""
    return FILLED.sub(r"\1", html.replace(VERSION, "0").replace(ACTION_ID, "0"))


class WatchingPhone:
    """A phone that shows a page, and the phone's event stream, which needs no server. `fresh` is the same table in an
    application that keeps no sections."""

    def __init__(self, web_table: WebTable, fresh: WebTable, phone: Phone, path: str, language: str = "en") -> None:
        self.path, self._fresh = path, fresh
        cookie = phone.client.get_cookie("tablekeeper")
        self.token = cookie.value if cookie else None
        self.headers = {"Cookie": f"tablekeeper={self.token}; {LANGUAGE_COOKIE}={language}"}
        pages: Any = web_table.app.view_functions["play.page"]
        guest = partial(web_table.lobby.phones.session, self.token)
        with web_table.app.test_request_context("/api/events", headers=self.headers):
            page = live_page(path, guest, is_own_screen=False)
        self.shown = ShownPage(pages.__self__._context.live_pages, page, "")
        self.feed = TableFeed(web_table.table, lambda: viewer_of(guest()), None, Translator(language), None, self.shown)
        self._mark, self._sections, self.html = "", dict[str, str](), ""

    def receive(self) -> PageChange:
        """Applies the next change of the page, as the page's script does."""
        page = self.shown.page()
        change = self.shown.change_since(page, self._mark)
        assert change.since in ("", self._mark)
        parts = STUB.sub(lambda stub: BORDER.join(("", stub[0], self._sections[stub[0]], "")), change.html)
        assert page is not None
        rendered = self.shown.pages.rendered(page, change.mark)
        self._mark = change.mark
        self._sections = rendered.html_by_stub
        before, sections = sections_of(parts)
        self.html = before + "".join(html + after for _stub, html, after in sections)
        return change

    def fetched(self) -> str:
        """The page as the phone would fetch it now, from an application that keeps no sections."""
        client = self._fresh.app.test_client(use_cookies=False)
        headers = {**self.headers, "X-Fragment": "1"}
        return client.get(self.path, headers=headers, environ_base={"REMOTE_ADDR": "192.0.2.7"}).text


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_page_that_is_kept_up_to_date_is_the_page_that_would_be_fetched(name: str) -> None:
    """Applying all changes in turn gives the page that would be fetched, byte for byte, for every seat and for
    spectators, in every language. A section is rendered again whenever something in it has changed. Unless the run is
    thorough, only the first seat's page is followed in every language, and each other page in one of them."""
    table, rng = Table(new_web_table().table.journal), Random(name)
    seats = max(GAMES[name].rules.seats)
    table.start(name, seats, {}, {}, (), "a seed")
    web_table, fresh = WebTable(table), WebTable(table)
    fresh.use(web_table.lobby)
    sections_in(fresh)._rendered = EmptyCache()
    pages = [(web_table.phone(seat), "/play") for seat in range(seats)]
    pages += [(web_table.phone(), "/table"), (web_table.host(), "/log")]
    watching = [
        WatchingPhone(web_table, fresh, phone, path, language)
        for (phone, path), language in by_turns(pages, [*LANGUAGES])
    ]
    stubs = 0
    for number in range(ACTS):
        if match_of(table).state.turn is None:
            table.start(name, seats, {}, {}, (), f"{number}")
        make_random_move(table, rng)
        if number % 9 == 4 and match_of(table).can_undo:
            table.undo(None)
        if number % 13 == 5:
            web_table.lobby.free(seats - 1)
        for each in watching:
            if each.shown.page() is None or (
                web_table.lobby.phones.session(each.token).seat is None and each.path == "/play"
            ):
                continue
            change = each.receive().html
            stubs += len(STUB.findall(change))
            assert UnkeyedElements(change).unkeyed == set(), (
                "the script could take another element for one without a key"
            )
            assert without_fields(each.html) == without_fields(each.fetched()), each.path
    assert stubs > ACTS


def test_a_part_that_is_kept_is_rendered_again_when_an_input_changes() -> None:
    """A kept part is rendered again when one of its inputs changes. It may contain sections, and is kept for each
    language separately."""
    app = new_web_table().app
    template = app.jinja_env.from_string(
        "{% cache a %}{{ count() }}{% section 'k', b %}<i>{{ count() }}</i>{% endsection %}{% endcache %}"
    )
    count = iter(range(100)).__next__
    with app.test_request_context():
        assert completed(template.render(a=1, b=1, count=count), 0) == "0<i>1</i>"
        assert completed(template.render(a=1, b=2, count=count), 0) == "0<i>1</i>", "b is no input"
        assert completed(template.render(a=2, b=1, count=count), 0) == "2<i>1</i>"
    with app.test_request_context(headers={"Accept-Language": "de"}):
        assert completed(template.render(a=2, b=1, count=count), 0) == "3<i>4</i>"


def test_templates_print_what_jinja_would_print() -> None:
    """Templates print the same as with plain Jinja: strings and texts are escaped, HTML is not, and a file that is not
    HTML is printed as it is."""
    app = new_web_table().app
    values = ("<b>&'", Markup("<b>"), Markup("<b>") + "<", 3, 0.5, None, True, Undefined(), _("{a} <", a="&"))
    with app.test_request_context():
        for value in values:
            text = value.render(ENGLISH) if isinstance(value, Text) else value
            assert app.jinja_env.from_string("{{ value }}").render(value=value) == str(escape(text)), repr(value)
        plain = app.jinja_env.from_string("{% autoescape false %}{{ value }}{% endautoescape %}")
        assert plain.render(value="<&") == "<&"


def test_spectators_share_what_is_sent_to_them() -> None:
    """Two spectators who show the same page in the same language are one audience. Players, hosts, phones that have not
    joined and phones with another language are not part of this audience."""
    web_table = new_web_table()
    guests = [web_table.phone() for _ in range(3)]
    for guest in guests:
        guest.post("/api/join", {"code": web_table.lobby.code, "seat": None})
    one, two, german = (
        WatchingPhone(web_table, web_table, guest, "/table", language)
        for guest, language in zip(guests, ("en", "en", "de"), strict=True)
    )
    stranger, host, player = (
        WatchingPhone(web_table, web_table, phone, "/table")
        for phone in (web_table.phone(), web_table.host(), web_table.phone(0))
    )
    for each in (one, two, german, stranger, host, player):
        each.feed.new_events()
    assert one.feed.audience() == two.feed.audience() is not None
    others = [each.feed.audience() for each in (one, german, stranger)]
    assert len({*others}) == 3
    assert host.feed.audience() is None
    assert player.feed.audience() is None
    assert guests[0].post("/api/join", {"seat": 1}).status_code == 200
    assert one.feed.audience() is None, "it has a seat now"


def test_a_phone_that_was_removed_no_longer_gets_the_join_code() -> None:
    """What a shared page shows depends on whether the phone is joined now, not on whether it was when its stream
    began."""
    web_table = new_web_table()
    guest = web_table.phone()
    guest.post("/api/join", {"code": web_table.lobby.code, "seat": None})
    watching = WatchingPhone(web_table, web_table, guest, "/table")
    assert f"{web_table.lobby.code}<" in watching.feed.new_events().replace("\\n", "").replace(" ", "")
    web_table.lobby.remove_spectators()
    assert web_table.lobby.code not in watching.feed.new_events()


def test_an_audience_gets_what_spectators_may_see() -> None:
    """An audience gets only what spectators may see, even if the phone whose feed makes its events takes a seat in the
    meantime."""
    table = Table(new_web_table().table.journal)
    table.start("system-won", 3, {"roles": "none"}, {}, (), "a seed")
    web_table = WebTable(table)
    phone = web_table.phone()
    phone.post("/api/join", {"code": web_table.lobby.code, "seat": None})
    watching = WatchingPhone(web_table, web_table, phone, "/table")
    watching.feed.new_events()
    make_random_move(table, Random(1))
    audience = watching.feed.audience()
    assert audience is not None
    phone.post("/api/join", {"seat": 0})
    sent = watching.feed.new_events(audience)
    view = table.view(SPECTATOR)
    assert view is not None
    assert "".join(map(str, view.log[-1].words))[:20] in sent
    hands = match_of(table).state.hands
    faces = {card.face for hand in hands for card in hand}
    assert not any(f'"{face}"' in sent for face in faces)


def test_a_page_that_is_not_live_is_fetched() -> None:
    """For a page that is not kept up to date, the `page` event at each change says that the phone must fetch it."""
    web_table = new_web_table()
    for path in ("/simulator", "/nothing", "//[", "/play?ä", ""):
        watching = WatchingPhone(web_table, web_table, web_table.phone(), path)
        assert '"mark":"","since":"","html":""' in watching.feed.new_events(), path


def test_a_stream_begins_with_what_the_page_lacks() -> None:
    """When a stream begins, a page that is up to date gets no `page` event. An older page gets the whole page, since
    the server does not know what it shows."""
    web_table = new_web_table()
    page = web_table.phone(0).get("/play").text
    found = re.search(r'data-mark="([\d.]+)"', page)
    assert found
    phone = web_table.phone(1)
    current = WatchingPhone(web_table, web_table, phone, "/play")
    current.feed.received = current.feed.received._replace(page="")
    assert "event: page" in current.feed.new_events()
    mark = current.feed.received.page
    again = WatchingPhone(web_table, web_table, phone, "/play")
    again.feed.received = again.feed.received._replace(page=mark)
    assert "event: page" not in again.feed.new_events()
    scavenge(web_table.table)
    sent = again.feed.new_events()
    assert f'"since":"{mark}"' in sent
    assert "data-same" in sent


def test_a_phone_that_comes_online_does_not_get_its_whole_page_again() -> None:
    """A phone's first stream makes it count as online, which changes its page. It gets only this change."""
    web_table = new_web_table()
    cookie = f"tablekeeper={web_table.phone(0).client.get_cookie('tablekeeper').value}"  # type: ignore[union-attr]
    with served(web_table) as server:
        page = urlopen(Request(f"http://127.0.0.1:{server.port}/play", headers={"Cookie": cookie})).read().decode()
        mark = re.findall(r'data-mark="([\d.]+)"', page)[0]
        with Stream(server.port, cookie, query=f"?page=/play&mark={mark}") as stream:
            while (event := stream.next()).kind != "page":
                pass
    assert event.data["since"] == mark
    assert "data-same" in event.data["html"]


def test_a_slow_reader_delays_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a phone does not read its stream, others get their events. What it has missed comes later, in a single
    event."""
    web_table = new_web_table()
    new_events = TableFeed.new_events
    padding = ": " + "x" * 3_000_000 + "\n\n"
    monkeypatch.setattr(TableFeed, "new_events", lambda feed, *audience: padding + new_events(feed, *audience))
    cookies = [f"tablekeeper={phone.client.get_cookie('tablekeeper').value}" for phone in map(web_table.phone, (0, 1))]  # type: ignore[union-attr]
    with served(web_table) as server, ExitStack() as resources:
        slow = resources.enter_context(socket.socket())
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(f"GET /api/events HTTP/1.1\r\nHost: localhost\r\nCookie: {cookies[1]}\r\n\r\n".encode())
        until(lambda: web_table.lobby.phones.is_online(web_table.lobby.phones.holder(1)), "the stream")
        quick = resources.enter_context(Stream(server.port, cookies[0]))
        assert quick.next().kind == "look"
        for _ in range(3):
            version = scavenge(web_table.table)
            assert quick.next_act().data["version"] == version
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        last, received = f"id: 1.{version}\nevent: act".encode(), b""
        while last not in received:
            received = received[-4000:] + slow.recv(1 << 20)


@pytest.mark.slow
def test_a_hundred_spectators_get_every_act(monkeypatch: pytest.MonkeyPatch) -> None:
    """All hundred spectators get each act, and their events are made only once."""
    web_table = new_web_table()
    made = 0
    new_events = TableFeed.new_events

    def count(feed: TableFeed, *audience: Any) -> str:
        nonlocal made
        made += 1
        return new_events(feed, *audience)

    with served(web_table) as server, ExitStack() as resources:
        streams = []
        for _ in range(10):
            phone = web_table.phone()
            phone.post("/api/join", {"code": web_table.lobby.code, "seat": None})
            cookie = phone.client.get_cookie("tablekeeper")
            assert cookie
            streams += [resources.enter_context(Stream(server.port, f"tablekeeper={cookie.value}")) for _ in range(10)]
        for stream in streams:
            assert stream.next().kind == "look"
        scavenge(web_table.table)
        for stream in streams:
            stream.next_act()
        monkeypatch.setattr(TableFeed, "new_events", count)
        version = scavenge(web_table.table)
        assert [stream.next_act().data["version"] for stream in streams] == [version] * 100
        assert made < 10


def test_events_that_break_end_only_their_stream(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An error while the events of one phone are made ends its stream and is logged. Other phones go on."""
    web_table = new_web_table()
    cookies = [f"tablekeeper={phone.client.get_cookie('tablekeeper').value}" for phone in map(web_table.phone, (0, 1))]  # type: ignore[union-attr]
    new_events = TableFeed.new_events

    def break_for_seat_1(feed: TableFeed, *audience: Any) -> str:
        if feed._viewer() == 1:
            raise ValueError("a fault")
        return new_events(feed, *audience)

    with served(web_table) as server, Stream(server.port, cookies[0]) as one, Stream(server.port, cookies[1]) as two:
        assert one.next().kind == two.next().kind == "look"
        with caplog.at_level(logging.ERROR, "web.events.streams"):
            monkeypatch.setattr(TableFeed, "new_events", break_for_seat_1)
            version = scavenge(web_table.table)
            assert one.next_act().data["version"] == version
            assert b"event: act" not in two.answer.read(), "it has ended"
        assert "The events of a stream broke" in caplog.text


def test_head_opens_no_stream() -> None:
    """A HEAD request is answered at once, and leaves no stream behind."""
    with served(new_web_table()) as server, socket.create_connection(("127.0.0.1", server.port)) as connection:
        request = b"HEAD /api/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.sendall(request)
        answer = b""
        while data := connection.recv(4096):
            answer += data
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b"event" not in answer.partition(b"\r\n\r\n")[2]
