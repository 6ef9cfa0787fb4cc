"""Pages show nobody what they may not know. Two worlds that a seat can't tell apart look the same on that seat's
pages."""

from __future__ import annotations

import re
from typing import Any

import pytest

from companion.games.rules import SPECTATOR, Seat
from companion.table.table import Table
from companion.text.translation import Translator
from tests.secrets_game import secrets_web_table
from tests.systems_failing_tables import new_table, seen
from tests.test_web_pages import PAGES
from tests.web_table import Phone, WebTable, unwrapped, without_ids
from web.events.table_feed import TableFeed


def same_history(seed: str) -> WebTable:
    """A table at which people deal, so that its pages depend only on what was reported, and not on the seed."""
    table: Table = new_table(seed=seed, dealers={"cards": "table", "cubes": "table", "roles": "table"})
    for _ in range(14):
        table.submit(Seat(0), {"seat": "house", **_line(seen(table).choices.reports[-1])}, None)
    return WebTable(table)


def _line(move: Any) -> dict[str, Any]:
    return {"move": move.NAME, **{key: value for key, value in vars(move).items() if key != "seat"}}


def test_no_page_depends_on_the_seed() -> None:
    """Two tables with the same public history and different seeds give every viewer the same bytes."""
    one, two = same_history("one"), same_history("two")
    two.lobby.join_code, two.lobby.host_key = one.lobby.join_code, one.lobby.host_key
    for pair in ((one.phone(), two.phone()), (one.phone(1), two.phone(1)), (one.host(), two.host())):
        for path in PAGES:
            assert without_ids(pair[0].get(path).data) == without_ids(pair[1].get(path).data), path


def worlds_that_differ_for(seat: int) -> tuple[WebTable, WebTable]:
    """Two tables that only the other seat can tell apart."""
    first: dict[Any, tuple[WebTable, Any]] = {}
    for number in range(1000):
        web_table = secrets_web_table(f"seed {number}")
        own, other = (seen(web_table.table, s).state["cards"][s] for s in (seat, 1 - seat))
        if own in first and first[own][1] != other:
            return first[own][0], web_table
        first[own] = (web_table, other)
    raise AssertionError("no such pair of seeds")


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
@pytest.mark.parametrize("seat", [0, 1])
def test_two_worlds_that_a_seat_cannot_tell_apart_look_the_same(seat: int) -> None:
    """No byte of a page, view, log or event reveals to a seat or a spectator what another seat holds."""
    one, two = worlds_that_differ_for(seat)
    two.lobby.join_code, two.lobby.host_key = one.lobby.join_code, one.lobby.host_key
    for web_table in (one, two):
        web_table.phone(0).move({"seat": 0, "move": "guess", "card": 3})
    holders = [web_table.phone() for web_table in (one, two)]
    for web_table, phone in zip((one, two), holders, strict=True):
        if seat == 0:
            web_table.lobby.free(0)
        assert phone.post("/api/join", {"code": web_table.lobby.code, "seat": seat}).status_code == 200
    for path in PAGES:
        assert without_ids(holders[0].get(path).data) == without_ids(holders[1].get(path).data), path
    for viewer in (Seat(seat), SPECTATOR):
        feeds = [TableFeed(web_table.table, lambda: viewer, "1.0", Translator("en")) for web_table in (one, two)]  # noqa: B023
        sent = ["".join(feed.new_events()) for feed in feeds]
        assert "event: act" in sent[0]
        assert sent[0] == sent[1]
    refused = [phone.move({"seat": 1, "move": "guess", "card": 99}).data for phone in holders]
    assert refused[0] == refused[1]


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
def test_all_hands_are_shown_to_screens_with_the_hosts_link_only() -> None:
    """The link that shows all hands is only on the host page. It does not work for phones with a seat, and the next
    game needs a new link."""
    web_table = secrets_web_table()
    cards = [seen(web_table.table, seat).state["cards"][seat] for seat in (0, 1)]
    host, screen, ann = web_table.host(), web_table.phone(), web_table.phone(0)
    link = re.search(r'href="(/table\?hands=\w+)"', host.get("/host").text)
    assert link
    assert "hands=" not in ann.get("/host").text + ann.get("/table").text

    def shown(phone: Phone, address: str) -> list[str]:
        return re.findall(r"<dt>(?:Ann|Bob)</dt><dd>([\d?])</dd>", unwrapped(phone.get(address).text))

    assert shown(screen, link[1]) == [str(card) for card in cards]
    assert "This screen shows all hands" in screen.get(link[1]).text
    for phone, address in ((screen, "/table"), (screen, "/table?hands=wrong"), (ann, link[1])):
        assert shown(phone, address) == ["?", "?"]
    web_table.table.start("secrets", None, {}, {}, ("Ann", "Bob"), "another")
    assert shown(screen, link[1]) == ["?", "?"]


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
def test_the_seats_differ_where_they_should() -> None:
    """Each player sees their own card, so the two worlds of the test above do differ."""
    web_table = secrets_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    assert ann.view()["state"]["cards"][0] != "?"
    assert ann.view()["state"]["cards"][1] == "?"
    assert ann.get("/log").data != bob.get("/log").data
