"""In a game with hidden cards a phone keeps to the cards that it has seen. Anything else needs another player's consent
on their phone, is shown to everyone, and is in the log."""

from __future__ import annotations

import re
from typing import Any

import pytest

from companion.match.journal import Journal
from companion.table.table import Table
from tests.phones import Home, Phone, home, unwrapped
from web.access.lobby import Lobby
from web.access.view_permissions import DECLINE_PAUSE_S

NAMES = ("Ann", "Bob", "Cem")


class Clock:
    """A clock that tests set. Calling it returns the time in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def begin(table: Table) -> None:
    table.start("system-won", 3, {"roles": "none"}, {}, NAMES, "a seed")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def place(clock: Clock) -> Home:
    """A table at which System WON has begun for three players."""
    table = Table(Journal(None))
    begin(table)
    place = Home(table)
    place.use(Lobby(table, clock))
    return place


def sit(phone: Phone, seat: int | str | None) -> tuple[int, str]:
    """Takes a seat (None: watches); returns the status and the error code."""
    answer = phone.post("/api/join", {"seat": seat})
    return answer.status_code, (answer.json or {}).get("error", {}).get("code", "")


def answer_request(phone: Phone, agreed: str) -> int:
    """Answers the request that the phone's page shows; returns the status."""
    found = re.search(r'name="request" value="(\w+)"', phone.get("/play").text)
    assert found, "no request on the page"
    return phone.client.post("/request", data={"request": found[1], "agreed": agreed}).status_code


def log(place: Home) -> str:
    return place.phone().get("/log.txt").text


NEEDS_CONSENT = (409, "needs_consent")


def test_changing_seats_needs_consent(place: Home) -> None:
    """Ann has seen the cards of Bob and Cem. She may not see her own by taking Cem's seat, before Bob agrees on his
    phone. Everyone is told."""
    ann, bob = place.phone(0), place.phone(1)
    assert sit(ann, 2) == NEEDS_CONSENT
    assert ann.view()["seat"] == 0
    assert "May I take" in bob.get("/play").text
    assert "May I take" not in ann.get("/play").text
    assert "Waiting for another player" in ann.get("/join").text
    assert answer_request(bob, "yes") == 303
    assert ann.view()["seat"] == 2
    told = "took Cem’s seat. Bob agreed."
    assert told in log(place)
    assert told in bob.get("/play").text
    assert told in place.phone().get("/table").text
    assert sit(ann, 0) == (200, ""), "it has seen that view before"
    assert sit(ann, 2) == (200, "")


def test_a_no_is_a_no_for_a_minute(place: Home, clock: Clock) -> None:
    ann, bob = place.phone(0), place.phone(1)
    assert sit(ann, 2) == NEEDS_CONSENT
    assert answer_request(bob, "no") == 303
    assert ann.view()["seat"] == 0
    assert sit(ann, 2) == (409, "declined")
    assert "May I take" not in bob.get("/play").text
    clock.now += DECLINE_PAUSE_S
    assert sit(ann, 2) == NEEDS_CONSENT


def test_a_request_can_be_withdrawn_and_answered_once(place: Home) -> None:
    """Only other players can answer it, and only while it is open."""
    ann, bob, watcher = place.phone(0), place.phone(1), place.phone()
    watcher.post("/api/join", {"code": place.lobby.code})
    sit(ann, 2)
    (asked,) = place.lobby.view_requests.requests_for(place.lobby.phones.holder(1))
    form = {"request": asked.id, "agreed": "yes"}
    assert ann.client.post("/request", data=form).status_code == 409
    assert watcher.client.post("/request", data=form).status_code == 403
    assert place.phone().client.post("/request", data=form).status_code == 403
    assert ann.client.post("/join", data={"withdraw": "1"}).status_code == 303
    assert bob.client.post("/request", data=form).status_code == 409
    assert ann.view()["seat"] == 0


@pytest.mark.parametrize("detour", ["watch", "freed by the host", "new start"])
def test_no_detour_leads_to_another_seat(place: Home, detour: str) -> None:
    """Leaving the seat, having it freed, or restarting the service does not make a phone forget what it has seen."""
    ann, _bob = place.phone(0), place.phone(1)
    if detour == "watch":
        assert sit(ann, None) == (200, "")
    elif detour == "freed by the host":
        place.lobby.free(0)
    else:
        sit(ann, None)
        place.use(Lobby(place.table))
    assert sit(ann, 2) == NEEDS_CONSENT
    assert sit(ann, 0) == (200, "")


def test_a_host_who_plays_can_not_look(place: Home) -> None:
    """A host with a seat, or who has left it, sees everything only with consent. The log says so."""
    host, bob = place.host(), place.phone(1)
    link = re.search(r"/table\?hands=\w+", host.get("/host").text)
    assert link
    sit(host, 0)
    for seat in (0, None):
        sit(host, seat)
        with pytest.raises(Exception, match="has seen the cards of a seat"):
            place.lobby.view_requests.look_at_everything(
                place.lobby.phones.all[seat is None], "the camera sees all cards"
            )
    assert host.get(link[0]).status_code == 403
    assert host.client.post("/join", data={"seat": "all"}).status_code == 303
    assert "May my browser see all cards" in bob.get("/play").text
    assert answer_request(bob, "yes") == 303
    assert "This screen shows all hands" in host.get(link[0]).text
    assert "can now see all cards of this game. Bob agreed." in log(place)


def test_only_a_host_can_ask_to_see_everything(place: Home) -> None:
    place.phone(1)
    assert place.phone(0).client.post("/join", data={"seat": "all"}).status_code == 403


def test_who_has_looked_takes_no_seat(place: Home) -> None:
    """A host who looks is announced once, and then needs consent for a seat. So does a screen that shows all hands."""
    host, ann = place.host(), place.phone(0)
    (own,) = (guest for guest in place.lobby.phones.all if guest.host)
    for _ in range(3):
        place.lobby.view_requests.look_at_everything(own, "the camera sees all cards")
    assert log(place).count("can now see all cards of this game.") == 1
    assert sit(host, 1) == NEEDS_CONSENT
    assert answer_request(ann, "yes") == 303
    assert host.view()["seat"] == 1

    screen = place.phone()
    key = place.lobby.view_requests.hands_key(place.table.view().id)
    assert "This screen shows all hands" in screen.get(f"/table?hands={key}").text
    assert "A screen now shows all hands." in log(place)
    assert sit(screen, 2) == NEEDS_CONSENT


def test_without_another_player_nobody_can_agree(place: Home) -> None:
    ann = place.phone(0)
    refused = ann.post("/api/join", {"seat": 1})
    assert (refused.status_code, refused.json["error"]["code"]) == (403, "needs_consent")
    assert "private window" in refused.json["error"]["message"]


def test_another_phone_on_a_seat_is_announced(place: Home) -> None:
    """A new phone on a seat whose cards another phone has seen, or in the middle of a game, is announced: one person
    may hold both."""
    place.phone(0)
    assert "seat of" not in log(place), "at the beginning everyone comes"
    place.lobby.free(0)
    place.phone(0)
    text = log(place)
    assert "The host freed Ann’s seat." in text
    assert "Another phone took Ann’s seat." in text
    ann = Phone(place.app.test_client())
    place.lobby.free(0)
    assert ann.post("/api/join", {"code": place.lobby.code, "seat": 0}).status_code == 200
    move = ann.view()["legal"][0]
    assert ann.move(move).status_code == 200
    place.phone(2)
    assert "A phone took Cem’s seat." in log(place)


def test_another_game_is_another_matter(place: Home) -> None:
    """What was seen counts for one game. Its notices are gone with its log."""
    ann, _bob = place.phone(0), place.phone(1)
    place.lobby.free(0)
    assert sit(ann, 2) == NEEDS_CONSENT
    begin(place.table)
    assert sit(ann, 2) == (200, "")
    assert "freed" not in log(place)


def test_games_without_secrets_are_free() -> None:
    """Everybody may change seats where nothing is hidden. That the host frees a seat is logged in every game."""
    place = home()
    ann = place.phone(0)
    assert [sit(ann, seat) for seat in (1, 0, None, 1)] == [(200, "")] * 4
    place.lobby.free(1)
    assert "The host freed Bob’s seat." in log(place)
    assert "Bob" in unwrapped(place.phone(0).get("/log").text)


def notices_of(place: Home) -> Any:
    return [notice.kind for notice in place.lobby.notices.of_game(place.table.view().id)]


def test_notices_are_kept(place: Home) -> None:
    """Notices survive a restart, in their places in the log."""
    ann = place.phone(0)
    ann.move(ann.view()["legal"][0])
    place.lobby.free(0)
    place.use(Lobby(place.table))
    assert notices_of(place) == ["seat_freed"]
    lines = log(place).splitlines()
    assert lines[-1].startswith("– The host freed")
    assert lines[-2][0].isdigit()
