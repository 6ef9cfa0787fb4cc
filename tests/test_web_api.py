"""The HTTP API of the contract."""

from __future__ import annotations

from typing import Any

import pytest

from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.table.table import Table
from tests.systems_failing_tables import new_table
from tests.web_table import Phone, WebTable, code_of, empty_web_table, new_web_table

POSTS = (
    *("join", "moves", "correct", "ignore", "undo", "redo", "next", "ask", "answer"),
    *("start", "seats", "companion", "share"),
)


def test_healthz_tells_that_it_runs() -> None:
    """Anybody may ask for the health of the service."""
    answer = empty_web_table().phone().get("/healthz").json
    assert answer["status"] == "ok"
    assert answer["version"]
    assert answer["devices"] == []


def test_view_is_of_the_seat_that_asks() -> None:
    """The view has the seat and the legal moves of the requesting phone. For a phone without a seat, it contains what
    is public and no moves."""
    web_table = new_web_table()
    ann, bob, stranger = web_table.phone(0), web_table.phone(1), web_table.phone()
    assert [phone.view()["seat"] for phone in (ann, bob, stranger)] == [0, 1, None]
    assert ann.view()["legal"]
    assert {move["seat"] for move in ann.view()["legal"]} == {0}
    assert bob.view()["legal"] == stranger.view()["legal"] == []
    assert ann.view()["state"] == stranger.view()["state"]


def test_a_move_is_made_and_answered_with_the_next_version() -> None:
    """The answer to a move has the version after the move and the resulting state."""
    ann = new_web_table().phone(0)
    version = ann.view()["version"]
    answer = ann.move({"seat": 0, "move": "scavenge"})
    assert answer.status_code == 200
    assert answer.json["version"] == version + 1
    assert answer.json["state"]["actions_left"] == 3
    assert ann.view()["state"] == answer.json["state"]


def test_the_same_id_acts_once() -> None:
    """A double tap, or a retry after a lost answer, changes nothing more and gets the first answer's version."""
    ann = new_web_table().phone(0)
    version = ann.view()["version"]
    first = ann.move({"seat": 0, "move": "scavenge"}, version, "tap")
    second = ann.move({"seat": 0, "move": "scavenge"}, version, "tap")
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json["version"] == second.json["version"]
    assert ann.view()["state"]["actions_left"] == 3


def test_an_answer_is_of_one_moment() -> None:
    """If a request is repeated after others have acted, the answer has the version to which the request led. It has no
    view, because the view would be of another version."""
    ann = new_web_table().phone(0)
    version = ann.view()["version"]
    first = ann.move({"seat": 0, "move": "scavenge"}, version, "tap").json
    assert ann.move({"seat": 0, "move": "scavenge"}, version, "tap").json == first
    ann.move({"seat": 0, "move": "scavenge"})
    assert ann.move({"seat": 0, "move": "scavenge"}, version, "tap").json == {"version": version + 1}


def test_refusals_of_moves_have_their_own_status_and_code() -> None:
    """The status is 409 for a stale move, 403 for a move for another seat or without a seat, and 422 for a move that
    the rules refuse, or that is not a move."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    version = ann.view()["version"]
    scavenge = {"seat": 0, "move": "scavenge"}
    assert code_of(ann.move(scavenge, version - 1)) == (409, "stale")
    assert code_of(bob.move(scavenge)) == (403, "not_your_seat")
    assert code_of(web_table.phone().move(scavenge)) == (403, "no_seat")
    assert code_of(bob.move({"seat": 1, "move": "scavenge"})) == (422, "not_your_turn")
    assert code_of(ann.move({"seat": 0, "move": "fly"})) == (422, "bad_move")
    assert code_of(ann.move({"seat": 0, "move": "repair", "card": "D01", "cubes": ["white"]})) == (422, "illegal_move")
    house = {"seat": "house", "move": "draw", "to": 0, "cube": "red"}
    assert code_of(ann.move(house))[0] in (403, 422)
    assert ann.view()["version"] == version


def test_without_a_game_the_api_says_so() -> None:
    """Without a game the API refuses views and moves with a message."""
    web_table = empty_web_table()
    assert code_of(web_table.phone().get("/api/view")) == (404, "no_game")
    assert code_of(web_table.phone().post("/api/join", {"code": web_table.lobby.code, "seat": 0})) == (404, "no_game")
    assert code_of(web_table.host().post("/api/undo")) == (404, "no_game")


def test_undo_and_redo_say_what_to_put_back() -> None:
    """Any seat can undo the last act, with physical instructions. Redo restores it."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    before = ann.view()["state"]
    made = ann.move({"seat": 0, "move": "discard"}).json
    undone = bob.post("/api/undo", {"version": made["version"], "id": "u"})
    assert undone.status_code == 200
    assert undone.json["state"] == before
    assert undone.json["words"]
    assert all("pool" in words for words in undone.json["words"])
    assert bob.post("/api/undo", {"version": made["version"], "id": "u"}).json["version"] == undone.json["version"]
    assert code_of(bob.post("/api/undo", {"version": made["version"]})) == (409, "stale")
    assert bob.post("/api/redo").json["state"] == made["state"]
    assert code_of(web_table.phone().post("/api/undo")) == (403, "no_seat")


def test_only_the_own_last_move_can_be_replaced() -> None:
    """A correction undoes the seat's last move and makes another move instead. If the new move is refused, the last
    move stays."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    discarded = ann.move({"seat": 0, "move": "discard"}).json
    body = {"move": {"seat": 0, "move": "scavenge"}, "version": discarded["version"], "id": "c"}
    assert code_of(web_table.phone().post("/api/correct", body)) == (403, "no_seat")
    assert code_of(bob.post("/api/correct", body)) == (422, "illegal_move")
    assert code_of(ann.post("/api/correct", {**body, "version": 0})) == (409, "stale")
    refused = ann.post("/api/correct", {**body, "move": {"seat": 1, "move": "scavenge"}})
    assert refused.status_code >= 400
    assert ann.view()["state"] == discarded["state"]
    corrected = ann.post("/api/correct", body)
    assert corrected.status_code == 200
    assert ann.post("/api/correct", body).json["version"] == corrected.json["version"]
    assert ann.view()["state"] != discarded["state"]


def test_only_seats_ignore_components_and_only_those_in_view() -> None:
    """Only a phone with a seat can ignore a component, and only a component that the camera has reported."""
    web_table = new_web_table()
    assert code_of(web_table.phone().post("/api/ignore", {"code": "X"})) == (403, "no_seat")
    ann = web_table.phone(0)
    assert code_of(ann.post("/api/ignore", {})) == (400, "bad_request")
    assert code_of(ann.post("/api/ignore", {"code": "X"})) == (422, "illegal_move")


def asked(web_table: WebTable) -> tuple[Phone, Phone, dict[str, Any]]:
    """Ann's phone, Bob's phone, and Ann's view after she has requested a cube from Bob."""
    ann, bob = web_table.phone(0), web_table.phone(1)
    transfer = next(move for move in ann.view()["legal"] if move["move"] == "transfer")
    assert ann.post("/api/ask", {"move": transfer, "version": ann.view()["version"]}).status_code == 200
    return ann, bob, transfer


def test_a_transfer_waits_for_the_others_yes() -> None:
    """Requesting a move changes nothing. If the other player consents, the move is made; if not, the game stays as it
    is and the requesting player is told."""
    web_table = new_web_table()
    ann, bob, transfer = asked(web_table)
    version = ann.view()["version"]
    assert code_of(web_table.phone().post("/api/answer", {"agreed": True})) == (403, "no_seat")
    assert code_of(bob.post("/api/answer", {"agreed": True, "move": {"seat": 0}})) == (409, "stale")
    assert ann.view()["version"] == version
    assert bob.post("/api/answer", {"agreed": False}).json["version"] == version
    assert "Bob said no" in ann.get("/play").text
    assert code_of(bob.post("/api/answer", {"agreed": True})) == (422, "illegal_move")
    ann.post("/api/ask", {"move": transfer})
    assert "says no" not in ann.get("/play").text
    answer = bob.post("/api/answer", {"agreed": True}).json
    assert answer["version"] == version + 1
    assert sum(answer["state"]["pools"][0].values()) == 7


def test_a_player_can_enter_the_others_spoken_consent() -> None:
    """The requesting player may enter the other's spoken consent, or withdraw the request."""
    ann, bob, transfer = asked(new_web_table())
    assert ann.post("/api/answer", {"agreed": False}).status_code == 200
    assert code_of(ann.post("/api/answer", {"agreed": True})) == (422, "illegal_move")
    ann.post("/api/ask", {"move": transfer})
    assert ann.post("/api/answer", {"agreed": True}).json["state"]["actions_left"] == 3
    assert bob.view()["version"] == ann.view()["version"]


def test_a_move_that_needs_no_consent_can_not_be_requested() -> None:
    """Requesting consent for a move that needs none is refused."""
    ann = new_web_table().phone(0)
    assert code_of(ann.post("/api/ask", {"move": {"seat": 0, "move": "scavenge"}})) == (422, "bad_move")


def test_next_lets_the_companion_go_on() -> None:
    """The companion proceeds on request, but only when it is waiting for that."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    assert code_of(ann.post("/api/next")) == (422, "not_your_turn")
    ann.move({"seat": 0, "move": "end_turn"})
    bob.move({"seat": 1, "move": "end_turn"})
    version = ann.view()["version"]
    answer = ann.post("/api/next", {"version": version, "id": "n"})
    assert answer.json["version"] == version + 1
    assert ann.post("/api/next", {"version": version, "id": "n"}).json["version"] == version + 1
    assert code_of(bob.post("/api/next", {"version": version})) == (409, "stale")


def test_only_the_host_starts_games_and_frees_seats() -> None:
    """Only the host can start games and free seats. Other phones are refused and told so."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    game = {"game": "systems-failing", "options": {"difficulty": "hard"}, "players": ["Eve", "Kim"]}
    assert code_of(ann.post("/api/start", game)) == (403, "not_host")
    assert code_of(ann.post("/api/seats", {"seat": 0})) == (403, "not_host")
    host = web_table.host()
    assert host.post("/api/start", game).json["state"]["difficulty"] == "hard"
    assert web_table.table.names == ("Eve", "Kim")
    assert ann.view()["seat"] is None, "somebody else plays there now"
    assert ann.post("/api/join", {"seat": 0}).status_code == 200
    assert ann.view()["seat"] == 0
    assert code_of(host.post("/api/seats", {"seat": 5})) == (404, "no_such_seat")
    assert host.post("/api/seats", {"seat": 0}).status_code == 200
    assert ann.view()["seat"] is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"game": "chess"}, "bad_setup"),
        ({"seats": 5}, "bad_setup"),
        ({"options": {"difficulty": "silly"}}, "bad_setup"),
        ({"options": {"deck": "D01"}}, "bad_request"),
        ({"dealers": {"cards": "nobody"}}, "bad_setup"),
        ({"players": "Ann"}, "bad_request"),
        ({"players": ["Ann", "Bob", "Eve"]}, "bad_setup"),
        ({"seats": 1.5}, "bad_request"),
        ({"weather": "fine"}, "bad_request"),
    ],
)
def test_a_game_that_can_not_start_is_refused_with_its_reason(change: dict[str, Any], code: str) -> None:
    """A game that can't start is refused with a reason, and the running game goes on."""
    web_table = new_web_table()
    before = web_table.phone().view()
    answer = web_table.host().post("/api/start", {"game": "systems-failing", **change})
    assert code_of(answer)[1] == code
    assert web_table.phone().view() == before


def test_a_move_that_can_not_be_stored_gives_503(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the journal fails, the move is refused and nothing has changed."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    before = ann.view()

    def fail(*_: object) -> None:
        raise JournalError("Couldn’t save this (disk full). Is the disk full? Nothing was changed.")

    monkeypatch.setattr(Journal, "append", fail)
    assert code_of(ann.move({"seat": 0, "move": "scavenge"})) == (503, "journal_failed")
    assert ann.view() == before


def test_reports_of_a_table_that_deals_itself_are_taken() -> None:
    """If people deal, a seat can report what was drawn. If the companion deals, nobody can."""
    web_table = WebTable(new_table(dealers={"cubes": "table", "cards": "table", "roles": "table"}))
    ann = web_table.phone(0)
    reports = ann.view()["reports"]
    assert {move["seat"] for move in reports} == {"house"}
    assert web_table.phone().view()["reports"] == []
    assert ann.move(reports[0]).status_code == 200
    dealt = new_web_table().phone(0)
    assert dealt.view()["reports"] == []


def test_phones_keep_their_seats_over_a_restart(tmp_path: Any) -> None:
    """After a restart the same cookie has the same seat, and the join code and the version are the same."""
    first = WebTable(new_table(tmp_path / "journal.db"))
    ann = first.phone(0)
    ann.move({"seat": 0, "move": "scavenge"})
    cookie = ann.client.get_cookie("tablekeeper")
    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Lax"
    second = WebTable(Table(Journal(tmp_path / "journal.db")))
    again = second.phone()
    again.client.set_cookie("tablekeeper", cookie.value)
    assert again.view() == ann.view()
    assert again.view()["seat"] == 0
    assert second.lobby.code == first.lobby.code
    assert cookie.value.encode() not in (tmp_path / "journal.db").read_bytes()
