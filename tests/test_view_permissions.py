"""Who may see which cards. In a game with hidden cards, a phone that knows some cards may see others only with another
player's consent. Everyone is shown a notice about it, which is also in the log."""

from __future__ import annotations

import re
from typing import Any

import pytest

from companion.match.journal import Journal
from companion.table.table import Table
from tests.manual_clock import ManualClock
from tests.web_table import Phone, WebTable, new_web_table, unwrapped
from web.access.lobby import Lobby
from web.access.view_permissions import DECLINE_PAUSE_S

NAMES = ("Ann", "Bob", "Cem")


def begin(table: Table) -> None:
    table.start("system-won", 3, {"roles": "none"}, {}, NAMES, "a seed")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def web_table(clock: ManualClock) -> WebTable:
    """A table at which System WON has begun for three players."""
    table = Table(Journal(None))
    begin(table)
    web_table = WebTable(table)
    web_table.use(Lobby(table, clock))
    return web_table


def take_seat(phone: Phone, seat: int | str | None) -> tuple[int, str]:
    """Takes a seat (None: watches); returns the status and the error code."""
    answer = phone.post("/api/join", {"seat": seat})
    return answer.status_code, (answer.json or {}).get("error", {}).get("code", "")


def answer_request(phone: Phone, agreed: str) -> int:
    """Answers the request that the phone's page shows; returns the status."""
    found = re.search(r'name="request" value="(\w+)"', phone.get("/play").text)
    assert found, "no request on the page"
    return phone.client.post("/request", data={"request": found[1], "agreed": agreed}).status_code


def log(web_table: WebTable) -> str:
    return web_table.phone().get("/log.txt").text


NEEDS_CONSENT = (409, "needs_consent")


def test_changing_seats_needs_consent(web_table: WebTable) -> None:
    """Ann has seen the cards of Bob and Cem. She can't take Cem's seat, from which she would see her own cards, until
    Bob agrees on his phone. Then everyone is told."""
    ann, bob = web_table.phone(0), web_table.phone(1)
    assert take_seat(ann, 2) == NEEDS_CONSENT
    assert ann.view()["seat"] == 0
    assert "May I take" in bob.get("/play").text
    assert "May I take" not in ann.get("/play").text
    assert "Waiting for another player" in ann.get("/join").text
    assert answer_request(bob, "yes") == 303
    assert ann.view()["seat"] == 2
    notice = "took Cem’s seat. Bob agreed."
    assert notice in log(web_table)
    assert notice in bob.get("/play").text
    assert notice in web_table.phone().get("/table").text
    assert take_seat(ann, 0) == (200, ""), "it has seen that view before"
    assert take_seat(ann, 2) == (200, "")


def test_after_a_no_nobody_can_ask_again_for_a_minute(web_table: WebTable, clock: ManualClock) -> None:
    ann, bob = web_table.phone(0), web_table.phone(1)
    assert take_seat(ann, 2) == NEEDS_CONSENT
    assert answer_request(bob, "no") == 303
    assert ann.view()["seat"] == 0
    assert take_seat(ann, 2) == (409, "declined")
    assert "May I take" not in bob.get("/play").text
    clock.now += DECLINE_PAUSE_S
    assert take_seat(ann, 2) == NEEDS_CONSENT


def test_a_request_can_be_withdrawn_and_answered_once(web_table: WebTable) -> None:
    """Only other players can answer a request, and only while it is open."""
    ann, bob, watcher = web_table.phone(0), web_table.phone(1), web_table.phone()
    watcher.post("/api/join", {"code": web_table.lobby.code})
    take_seat(ann, 2)
    (asked,) = web_table.lobby.hidden_information.requests_for(web_table.lobby.phones.holder(1))
    form = {"request": asked.id, "agreed": "yes"}
    assert ann.client.post("/request", data=form).status_code == 409
    assert watcher.client.post("/request", data=form).status_code == 403
    assert web_table.phone().client.post("/request", data=form).status_code == 403
    assert ann.client.post("/join", data={"withdraw": "1"}).status_code == 303
    assert bob.client.post("/request", data=form).status_code == 409
    assert ann.view()["seat"] == 0


@pytest.mark.parametrize("detour", ["watch", "freed by the host", "new start"])
def test_no_detour_leads_to_another_seat(web_table: WebTable, detour: str) -> None:
    """A phone still needs consent for another seat after leaving its seat, after the host frees the seat, and after a
    restart of the service."""
    ann, _bob = web_table.phone(0), web_table.phone(1)
    if detour == "watch":
        assert take_seat(ann, None) == (200, "")
    elif detour == "freed by the host":
        web_table.lobby.free(0)
    else:
        take_seat(ann, None)
        web_table.use(Lobby(web_table.table))
    assert take_seat(ann, 2) == NEEDS_CONSENT
    assert take_seat(ann, 0) == (200, "")


def test_a_host_who_plays_can_not_look(web_table: WebTable) -> None:
    """A host who has a seat, or had one, can see everything only with consent. The log says so."""
    host, bob = web_table.host(), web_table.phone(1)
    link = re.search(r"/table\?hands=\w+", host.get("/host").text)
    assert link
    take_seat(host, 0)
    for seat in (0, None):
        take_seat(host, seat)
        with pytest.raises(Exception, match="has seen the cards of a seat"):
            web_table.lobby.hidden_information.look_at_everything(
                web_table.lobby.phones.all[seat is None], "the camera sees all cards"
            )
    assert host.get(link[0]).status_code == 403
    assert host.client.post("/join", data={"seat": "all"}).status_code == 303
    assert "May my browser see all cards" in bob.get("/play").text
    assert answer_request(bob, "yes") == 303
    assert "This screen shows all hands" in host.get(link[0]).text
    assert "can now see all cards of this game. Bob agreed." in log(web_table)


def test_only_a_host_can_ask_to_see_everything(web_table: WebTable) -> None:
    web_table.phone(1)
    assert web_table.phone(0).client.post("/join", data={"seat": "all"}).status_code == 403


def test_a_host_who_has_looked_needs_consent_for_a_seat(web_table: WebTable) -> None:
    """When a host looks at all hands, this is announced once, and the host then needs consent for a seat. The same is
    true of a screen that shows all hands."""
    host, ann = web_table.host(), web_table.phone(0)
    (own,) = (guest for guest in web_table.lobby.phones.all if guest.host)
    for _ in range(3):
        web_table.lobby.hidden_information.look_at_everything(own, "the camera sees all cards")
    assert log(web_table).count("can now see all cards of this game.") == 1
    assert "The host’s browser can now see all cards of this game." in log(web_table)
    assert take_seat(host, 1) == NEEDS_CONSENT
    assert answer_request(ann, "yes") == 303
    assert host.view()["seat"] == 1

    screen = web_table.phone()
    key = web_table.lobby.hidden_information.hands_key(web_table.table.view().id)
    assert "This screen shows all hands" in screen.get(f"/table?hands={key}").text
    assert "A screen now shows all hands." in log(web_table)
    assert take_seat(screen, 2) == NEEDS_CONSENT


def test_without_another_player_nobody_can_agree(web_table: WebTable) -> None:
    ann = web_table.phone(0)
    refused = ann.post("/api/join", {"seat": 1})
    assert (refused.status_code, refused.json["error"]["code"]) == (403, "needs_consent")
    assert "private window" in refused.json["error"]["message"]


def test_another_phone_on_a_seat_is_announced(web_table: WebTable) -> None:
    """If a phone takes a seat whose cards another phone has seen, or takes a seat in the middle of a game, everyone is
    told, because one person may hold both phones."""
    web_table.phone(0)
    assert "seat of" not in log(web_table), "at the beginning of a game nobody is announced"
    web_table.lobby.free(0)
    web_table.phone(0)
    text = log(web_table)
    assert "The host freed Ann’s seat." in text
    assert "Another phone took Ann’s seat." in text
    ann = Phone(web_table.app.test_client())
    web_table.lobby.free(0)
    assert ann.post("/api/join", {"code": web_table.lobby.code, "seat": 0}).status_code == 200
    move = ann.view()["legal"][0]
    assert ann.move(move).status_code == 200
    web_table.phone(2)
    assert "A phone took Cem’s seat." in log(web_table)


def test_what_was_seen_counts_for_one_game(web_table: WebTable) -> None:
    """In the next game everybody may take any seat, and the notices of the last game are not in the log."""
    ann, _bob = web_table.phone(0), web_table.phone(1)
    web_table.lobby.free(0)
    assert take_seat(ann, 2) == NEEDS_CONSENT
    begin(web_table.table)
    assert take_seat(ann, 2) == (200, "")
    assert "freed" not in log(web_table)


def test_in_games_without_secrets_changing_seats_needs_no_consent() -> None:
    """In games without hidden cards, everybody may change seats without consent. In every game, the log says when the
    host frees a seat."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    assert [take_seat(ann, seat) for seat in (1, 0, None, 1)] == [(200, "")] * 4
    web_table.lobby.free(1)
    assert "The host freed Bob’s seat." in log(web_table)
    assert "Bob" in unwrapped(web_table.phone(0).get("/log").text)


def notices_of(web_table: WebTable) -> Any:
    return [notice.kind for notice in web_table.lobby.notices.of_game(web_table.table.view().id)]


def test_notices_are_kept(web_table: WebTable) -> None:
    """Notices survive a restart, and keep their places in the log."""
    ann = web_table.phone(0)
    ann.move(ann.view()["legal"][0])
    web_table.lobby.free(0)
    web_table.use(Lobby(web_table.table))
    assert notices_of(web_table) == ["seat_freed"]
    lines = log(web_table).splitlines()
    assert lines[-1].startswith("– The host freed")
    assert lines[-2][0].isdigit()
