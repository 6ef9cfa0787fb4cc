"""The join page without a browser: names, seats, join codes, and the way into the next game."""

from __future__ import annotations

import re

from companion.text.player_names import clean_name
from tests.test_web_pages import BEGIN
from tests.web_table import empty_web_table, field_value, new_web_table


def mark(page: str) -> str:
    """A short digest of a page's content."""
    found = re.search(r'data-mark="([^"]+)"', page)
    assert found
    return found[1]


def test_a_phone_comes_to_the_next_game_by_itself() -> None:
    """Between two games, a phone's page waits and then shows the seat again, even if the join page was opened in the
    meantime. A phone without a seat gets the join page and is not told that it lost a seat."""
    web_table = new_web_table()
    host, ann = web_table.host(), web_table.phone(0)
    bob = web_table.phone()
    bob.client.post("/join", data={"code": web_table.lobby.code, "seat": "watch"})
    host.client.post("/host", data={"end": field_value(host.get("/host").text, "end")})
    assert "Waiting for the host" in ann.get("/play").text
    door = {"X-Fragment": mark(ann.get("/join").text)}
    assert web_table.phone().get("/play").headers["Location"] == "/join"
    waits = {"X-Fragment": mark(bob.get("/play").text)}
    host.client.post("/host", data=BEGIN)
    assert ann.get("/play").status_code == 200
    assert bob.get("/play", headers=waits).headers["Location"] == "/join"
    assert ann.get("/join", headers=door).headers["Location"] == "/play"
    assert ann.get("/join", headers={"X-Fragment": mark(ann.get("/join").text)}).status_code == 200
    assert ann.get("/join").status_code == 200


def test_a_phone_without_a_seat_in_the_next_game_is_told_so() -> None:
    """In a game with fewer seats, the third phone is told that it has no seat. The other phones keep theirs, and the
    third phone gets its seat back in a later game."""
    web_table = empty_web_table()
    web_table.table.start("traffic-congestion", 3, {}, {}, ("Ann", "Bob", "Cy"), "s")
    phones = [web_table.phone(seat) for seat in range(3)]
    web_table.table.start("systems-failing", 2, {}, {}, ("Ann", "Bob"), "s")
    assert [phone.get("/play").status_code for phone in phones] == [200, 200, 303]
    door = phones[2].get("/join").text
    assert "Systems Failing is running, and every seat is taken. If one is yours, the host can free it" in door
    web_table.lobby.free(1)
    assert "Tap a free seat, or just watch." in phones[2].get("/join").text
    assert "is running" not in phones[0].get("/join").text
    web_table.table.start("traffic-congestion", 3, {}, {}, ("Ann", "Bob", "Cy"), "s")
    assert [phone.view()["seat"] for phone in phones] == [0, None, 2]


def test_the_join_page_suggests_a_name() -> None:
    """The join page suggests the name that was typed before, or the name that the host gave to the seat."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    assert field_value(ann.get("/join").text, "name") == "Ann"
    ann.client.post("/join", data={"seat": "0", "name": "Anna"})
    web_table.table.end()
    assert field_value(ann.get("/join").text, "name") == "Anna"
    web_table.table.start("systems-failing", 2, {}, {}, ("", "Bob"), "s")
    assert web_table.table.names[0] == "Player 1"
    assert field_value(ann.get("/join").text, "name") == "Anna"
    web_table.table.start("systems-failing", 2, {}, {}, ("Annie", "Bob"), "s")
    assert field_value(ann.get("/join").text, "name") == "Annie"


def test_joiners_between_emoji_are_kept() -> None:
    """Zero-width joiners between emoji or letters in a name are kept. A name that consists only of joiners is
    refused."""
    assert clean_name(" \U0001f468\u200d\U0001f467  Ann\u200d ") == "\U0001f468\u200d\U0001f467 Ann"
    assert clean_name("\u200d \u200c") == ""
    assert clean_name("x" * 23 + "\u200d\U0001f467") == "x" * 23


def test_a_seat_is_taken_once() -> None:
    """A phone with the join code takes a seat and a name. Nobody else can take the same seat until the host frees
    it."""
    web_table = new_web_table()
    code, ann, other = web_table.lobby.code, web_table.phone(), web_table.phone()
    wrong = ann.client.post("/join", data={"code": "WRONG", "seat": "0", "name": "Anna"})
    assert wrong.status_code == 403
    assert 'value="Anna"' in wrong.text, "what was typed is kept"
    assert ann.client.post("/join", data={"code": code.lower(), "seat": "0", "name": "Anna"}).status_code == 303
    assert web_table.table.names == ("Anna", "Bob")
    assert ann.get("/").headers["Location"] == "/play"
    refused = other.client.post("/join", data={"code": code, "seat": "0"})
    assert refused.status_code == 409
    assert "The host can free it" in refused.text
    web_table.host().client.post("/host", data={"free": "0"})
    assert ann.get("/play").headers["Location"] == "/join"
    page = ann.get("/play", headers={"X-Fragment": "1"}, follow_redirects=True).text
    assert "seat was freed" in page
    assert other.client.post("/join", data={"code": code, "seat": "0"}).status_code == 303


def test_a_phone_may_watch_and_hand_its_seat_over() -> None:
    """A spectator is sent to the big screen. Leaving a seat frees it, and the phone needs no code to join again."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone()
    assert bob.client.post("/join", data={"code": web_table.lobby.code, "seat": "watch"}).status_code == 303
    assert bob.get("/").headers["Location"] == "/table"
    assert ann.client.post("/join", data={"seat": "watch"}).status_code == 303
    assert bob.client.post("/join", data={"seat": "0"}).status_code == 303
    assert bob.view()["seat"] == 0


def test_wrong_codes_are_limited_for_each_address() -> None:
    """After five wrong codes an address must wait. Other addresses, phones that use the QR code, and phones that have
    joined need not wait."""
    web_table = new_web_table()
    phone, ann = web_table.phone(), web_table.phone(0)
    statuses = [phone.post("/api/join", {"code": "XXXX"}).status_code for _ in range(6)]
    assert statuses == [403] * 5 + [429]
    assert phone.post("/api/join", {"code": web_table.lobby.code}).status_code == 429
    assert ann.post("/api/join", {"seat": 1, "code": "XXXX"}).status_code == 200
    elsewhere = {"environ_base": {"REMOTE_ADDR": "192.168.1.77"}}
    assert web_table.phone().post("/api/join", {"code": web_table.lobby.code}, **elsewhere).status_code == 200
    assert phone.post("/api/join", {"code": web_table.lobby.secret}).status_code == 200


def test_the_join_code_is_shown_inside_only() -> None:
    """The join page and the big screen show the join code only to phones that have joined, and on the machine
    itself."""
    web_table = new_web_table()
    stranger = {"REMOTE_ADDR": "192.168.1.77"}
    for path in ("/join", "/table"):
        assert web_table.lobby.code not in web_table.phone().get(path, environ_base=stranger).text
        assert web_table.lobby.code in web_table.phone(None).get(path).text or path == "/join"
    ann = web_table.phone(0)
    assert web_table.lobby.code in ann.get("/join", environ_base=stranger).text
    assert 'class="qr"' in ann.get("/table", environ_base=stranger).text
