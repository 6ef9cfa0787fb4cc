"""The HTTP API of the contract."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from companion.match.fair_shuffle import commitment_to
from companion.match.journal import Journal
from companion.match.journal_database import JournalDatabase
from companion.match.journal_error import JournalError
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from companion.tabletop.photo_interface import PhotoError
from tests.repetitions import repetitions
from tests.systems_failing_tables import new_table
from tests.web_table import Phone, WebTable, empty_web_table, fresh_id, new_web_table
from web.access.origin_check import MAX_BODY_BYTES, MAX_PHOTO_BYTES
from web.events.shuffle_shares import Round

POSTS = (
    *("join", "moves", "correct", "ignore", "undo", "redo", "next", "ask", "answer"),
    *("start", "seats", "companion", "share"),
)


def code_of(response: Any) -> tuple[int, str]:
    """The status and the code of a refusal. Checks that it also has a message for people."""
    error = response.json["error"]
    assert set(error) == {"code", "message"}
    assert len(error["message"].split()) > 3
    assert error["message"].endswith((".", "?"))
    return response.status_code, error["code"]


def test_healthz_tells_that_it_runs() -> None:
    """Anybody may ask for the health of the service."""
    told = empty_web_table().phone().get("/healthz").json
    assert told["status"] == "ok"
    assert told["version"]
    assert told["devices"] == []


def test_view_is_of_the_seat_that_asks() -> None:
    """The view has the seat and the legal moves of the phone that asks. A phone without a seat sees what is public and
    has no moves."""
    web_table = new_web_table()
    ann, bob, stranger = web_table.phone(0), web_table.phone(1), web_table.phone()
    assert [phone.view()["seat"] for phone in (ann, bob, stranger)] == [0, 1, None]
    assert ann.view()["legal"]
    assert {move["seat"] for move in ann.view()["legal"]} == {0}
    assert bob.view()["legal"] == stranger.view()["legal"] == []
    assert ann.view()["state"] == stranger.view()["state"]


def test_a_move_is_made_and_answered_with_the_next_version() -> None:
    """The answer to a move has the version after it and the resulting state."""
    ann = new_web_table().phone(0)
    version = ann.view()["version"]
    told = ann.move({"seat": 0, "move": "scavenge"})
    assert told.status_code == 200
    assert told.json["version"] == version + 1
    assert told.json["state"]["actions_left"] == 3
    assert ann.view()["state"] == told.json["state"]


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
    """If a request is repeated after others have acted, the answer has the version that the request made, and no view,
    because the view would be of another version."""
    ann = new_web_table().phone(0)
    version = ann.view()["version"]
    first = ann.move({"seat": 0, "move": "scavenge"}, version, "tap").json
    assert ann.move({"seat": 0, "move": "scavenge"}, version, "tap").json == first
    ann.move({"seat": 0, "move": "scavenge"})
    assert ann.move({"seat": 0, "move": "scavenge"}, version, "tap").json == {"version": version + 1}


def test_refusals_of_moves_have_their_own_status_and_code() -> None:
    """A stale move gives 409, a move for another seat or without a seat 403, and a move that the rules or the notation
    refuse 422."""
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


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"7", b'"x"', b'{"version":NaN}', b"\xff\xfe", b"[" * 30_000, b'{"a":' * 9_000],
    ids=lambda body: repr(body[:12]),
)
def test_nonsense_gets_a_4xx(body: bytes) -> None:
    """A nonsensical body gives a 4xx status at every address."""
    ann = new_web_table().phone(0)
    for name in POSTS:
        if not body and name in ("undo", "redo", "next"):
            continue  # these need no body
        answer = ann.client.post(f"/api/{name}", data=body, content_type="application/json")
        assert 400 <= code_of(answer)[0] < 500, name


@pytest.mark.parametrize("value", [None, True, 1, -1, 1.5, 10**30, "", "x" * 9999, "\ud800", [], [[]], {}, {"a": 1}])
def test_wrong_types_get_a_4xx(value: Any) -> None:
    """A value of any wrong type in any field gives a 4xx status."""
    web_table = new_web_table()
    phone = web_table.host()
    phone.post("/api/join", {"seat": 0})
    fields = ("move", "version", "id", "seat", "name", "code", "agreed", "game", "seats", "players")
    for name in POSTS:
        for field in (*fields, "options", "dealers"):
            good = {"move": {"seat": 0, "move": "scavenge"}, "version": 0, "id": "x", "agreed": False}
            answer = phone.post(f"/api/{name}", {**good, field: value})
            assert answer.status_code < 500, (name, field, answer.json)


def test_a_lone_surrogate_is_refused() -> None:
    """A lone surrogate is refused in texts, also inside objects and lists."""
    web_table = new_web_table()
    host, stranger = web_table.host(), web_table.phone()
    assert code_of(stranger.post("/api/join", {"code": "\ud800"})) == (400, "bad_request")
    assert code_of(stranger.post("/api/join", {"code": web_table.lobby.code, "name": "A\udfff"})) == (
        400,
        "bad_request",
    )
    for half in ({"game": "\ud800"}, {"options": {"\ud800": "easy"}}, {"players": ["\ud800"]}):
        assert code_of(host.post("/api/start", {"game": "systems-failing", **half})) == (400, "bad_request")
    assert stranger.post("/api/join", {"code": web_table.lobby.code, "name": "Zo\U0001f680"}).status_code == 200


TEXTS = st.one_of(st.text(max_size=9), st.sampled_from(["\ud800", "systems-failing", "scavenge", "house", "0"]))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
FIELDS = ("move", "version", "id", "seat", "name", "code", "agreed", "game", "seats", "players", "options", "dealers")
MOVE = ("seat", "move", "card", "cubes", "ability", "color", "to", "cube")
FORM = ("do", "ask", "asked", "free", "end", "sure", "player", "option-difficulty", "option-x", "dealer-cards")


@pytest.mark.slow
@settings(max_examples=repetitions(60), deadline=None)
@given(body=st.dictionaries(st.sampled_from(FIELDS), ANYTHING), move=st.dictionaries(st.sampled_from(MOVE), ANYTHING))
def test_no_json_breaks_an_address(body: dict[str, Any], move: dict[str, Any]) -> None:
    """Any JSON, as a body or as a move, is either accepted or refused."""
    web_table = new_web_table()
    phone = web_table.host()
    phone.post("/api/join", {"seat": 0})
    seen = {"version": phone.view()["version"], "id": "x", "agreed": True}
    for name in POSTS:
        for sent in (body, {**seen, **body}, {**seen, "move": move}, {**seen, "move": {"seat": 0, **move}}):
            text = json.dumps(sent)
            answer = phone.client.post(f"/api/{name}", data=text, content_type="application/json")
            assert answer.status_code < 500, (name, text, answer.json)


@settings(max_examples=repetitions(25), deadline=None)
@given(data=st.dictionaries(st.sampled_from([*FORM, *FIELDS]), st.one_of(TEXTS, ANYTHING.map(json.dumps))))
def test_no_form_breaks_a_page(data: dict[str, str]) -> None:
    """Any texts in any fields of a form give a page with a message."""
    web_table = new_web_table()
    phone = web_table.host()
    phone.post("/api/join", {"seat": 0})
    body = urlencode({key: value.encode("utf-8", "surrogatepass") for key, value in data.items()})
    for path in ("/host", "/join", "/play"):
        answer = phone.client.post(path, data=body, content_type="application/x-www-form-urlencoded")
        assert answer.status_code < 500, (path, data)


@pytest.mark.parametrize("key", ["seat", "move", "card", "cubes", "ability", "color", "extra"])
def test_moves_of_wrong_types_are_refused_as_moves(key: str) -> None:
    """A move with nonsensical fields is a bad or an illegal move, never a server error."""
    ann = new_web_table().phone(0)
    for value in (None, True, 1.5, 10**30, "\ud800", [], [None], [[]], {}, "red"):
        move = {"seat": 0, "move": "repair", "card": "D01", "cubes": ["red"], key: value}
        assert ann.move(move).status_code in (403, 422)


def test_bodies_that_are_too_long_or_no_json_are_refused() -> None:
    """Every address accepts at most 64 KiB, and only bodies that are sent as JSON."""
    ann = new_web_table().phone(0)
    for name in POSTS:
        long = ann.client.post(f"/api/{name}", data=b" " * (MAX_BODY_BYTES + 1), content_type="application/json")
        assert code_of(long) == (413, "too_large")
        assert code_of(ann.client.post(f"/api/{name}", data=b"a=1")) == (415, "not_json")


def test_addresses_and_methods_that_are_not_there_are_refused_in_json() -> None:
    """Refusals with 404 and 405 under /api are JSON like all others."""
    ann = new_web_table().phone(0)
    assert code_of(ann.get("/api/nothing")) == (404, "not_found")
    assert code_of(ann.get("/api/moves")) == (405, "method_not_allowed")
    assert code_of(ann.client.delete("/api/view")) == (405, "method_not_allowed")
    assert ann.get("/api/moves").headers["Allow"] == "OPTIONS, POST"
    assert ann.client.delete("/api/view").headers["Allow"] == "GET, HEAD, OPTIONS"


def test_a_whole_number_may_have_a_point() -> None:
    """1.0 is accepted as 1, as in JSON Schema. 1.5 and infinite numbers are refused."""
    web_table = new_web_table()
    ann, body = web_table.phone(), {"code": web_table.lobby.code, "seat": 0.0}
    assert ann.post("/api/join", body).json["seat"] == 0
    assert ann.move({"seat": 0, "move": "scavenge"}, float(ann.view()["version"])).status_code == 200
    assert web_table.host().post("/api/start", {"game": "systems-failing", "seats": 2.0}).status_code == 200
    for version in (1.5, 1e400, True, "1"):
        answer = ann.client.post("/api/undo", data=json.dumps({"version": version}), content_type="application/json")
        assert answer.status_code in (400, 409)


def test_without_a_game_the_api_says_so() -> None:
    """Without a game the API refuses views and moves with a message."""
    web_table = empty_web_table()
    assert code_of(web_table.phone().get("/api/view")) == (404, "no_game")
    assert code_of(web_table.phone().post("/api/join", {"code": web_table.lobby.code, "seat": 0})) == (404, "no_game")
    assert code_of(web_table.host().post("/api/undo")) == (404, "no_game")


def test_other_sites_and_strange_names_are_refused() -> None:
    """Posts from pages of other sites are refused, and so are requests to an unknown host name (DNS rebinding)."""
    ann = new_web_table().phone(0)
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert code_of(ann.post("/api/undo", headers=headers)) == (403, "cross_site")
    assert code_of(ann.get("/api/view", headers={"Host": "evil.example"})) == (403, "strange_host")
    for host in ("localhost", "192.168.1.7:8000", "[::1]:8000", "pi.local:8000", "PI.local."):
        assert ann.get("/healthz", headers={"Host": host}).status_code == 200
    for host in ("local.evil.example", "192.168.1.7.evil.example", "[::1", "a b", "127.0.0.1@evil.example:80"):
        assert ann.get("/healthz", headers={"Host": host}).status_code == 403
    assert ann.post("/api/undo", headers={"Origin": "http://localhost"}).status_code == 422


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
    """A correction undoes the seat's last move and makes another one. If that is refused, the last move stays."""
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
    """Only a phone with a seat can ignore a component, and only one that is reported."""
    web_table = new_web_table()
    assert code_of(web_table.phone().post("/api/ignore", {"code": "X"})) == (403, "no_seat")
    ann = web_table.phone(0)
    assert code_of(ann.post("/api/ignore", {})) == (400, "bad_request")
    assert code_of(ann.post("/api/ignore", {"code": "X"})) == (422, "illegal_move")


def asked(web_table: WebTable) -> tuple[Phone, Phone, dict[str, Any]]:
    """Ann, Bob and Ann's view after she has requested a cube from Bob."""
    ann, bob = web_table.phone(0), web_table.phone(1)
    transfer = next(move for move in ann.view()["legal"] if move["move"] == "transfer")
    assert ann.post("/api/ask", {"move": transfer, "version": ann.view()["version"]}).status_code == 200
    return ann, bob, transfer


def test_a_transfer_waits_for_the_others_yes() -> None:
    """A request changes nothing. Consent makes the move; declining leaves the game as it is and is reported."""
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
    told = bob.post("/api/answer", {"agreed": True}).json
    assert told["version"] == version + 1
    assert sum(told["state"]["pools"][0].values()) == 7


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
    """The companion proceeds on request only where it waits for that."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    assert code_of(ann.post("/api/next")) == (422, "not_your_turn")
    ann.move({"seat": 0, "move": "end_turn"})
    bob.move({"seat": 1, "move": "end_turn"})
    version = ann.view()["version"]
    told = ann.post("/api/next", {"version": version, "id": "n"})
    assert told.json["version"] == version + 1
    assert ann.post("/api/next", {"version": version, "id": "n"}).json["version"] == version + 1
    assert code_of(bob.post("/api/next", {"version": version})) == (409, "stale")


def test_only_the_host_starts_games_and_frees_seats() -> None:
    """Other phones are refused and told that only the host can do it."""
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
    """Where people deal, a seat can report what was drawn. Where the companion deals, nobody can."""
    web_table = WebTable(new_table(dealers={"cubes": "table", "cards": "table", "roles": "table"}))
    ann = web_table.phone(0)
    reports = ann.view()["reports"]
    assert {move["seat"] for move in reports} == {"house"}
    assert web_table.phone().view()["reports"] == []
    assert ann.move(reports[0]).status_code == 200
    dealt = new_web_table().phone(0)
    assert dealt.view()["reports"] == []


def fits(value: Any, schema: Any, root: Any) -> bool:
    """Whether a value matches a schema of the OpenAPI document."""
    return Draft202012Validator({**schema, "components": root["components"]}).is_valid(value)


def test_the_description_of_an_id_is_that_of_the_service() -> None:
    """The service accepts exactly the request ids that the schema allows."""
    description = empty_web_table().phone().get("/api/openapi.json").json
    schema = description["components"]["schemas"]["MakeMove"]["properties"]["id"]
    for name in ("", "a", " ", "~", "a" * 64, "a" * 65, "é", "a\n", "\x7f", "\t", "0-1 b"):
        fine = schema["minLength"] <= len(name) <= schema["maxLength"] and re.fullmatch(schema["pattern"], name)
        ann = new_web_table().phone(0)
        sent = {"move": {"seat": 0, "move": "scavenge"}, "version": ann.view()["version"], "id": name}
        assert (ann.post("/api/moves", sent).status_code == 200) == bool(fine), repr(name)


def test_the_description_lists_every_address_and_method() -> None:
    """The document lists exactly the addresses and methods of the application."""
    web_table = empty_web_table()
    described = web_table.phone().get("/api/openapi.json").json["paths"]
    real = {
        (rule.rule, method.lower())
        for rule in web_table.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(("/api/", "/healthz"))
    }
    assert {(path, method) for path, methods in described.items() for method in methods} == real


@contextmanager
def full_disk() -> Iterator[None]:
    """Makes every write to the journal fail."""

    def fail(*_: object) -> None:
        raise JournalError("Couldn’t save this (disk full). Is the disk full? Nothing was changed.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JournalDatabase, "write", fail)
        yield


class Calls:
    """Requests every address and collects the answers: successes and all kinds of refusals."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, TestResponse]] = []
        self._unreadable()
        self._without_a_game()
        self._photographs()
        self._strangers()
        self._refused_by_the_rules()
        self._done_when_the_disk_has_room()
        self._shuffles()

    def _get(self, phone: Phone, path: str, **more: Any) -> None:
        answer = phone.client.get(path, **more)
        answer.close()
        self.answers.append((path, answer))

    def _post(self, phone: Phone, name: str, body: Any, **more: Any) -> None:
        answer = phone.client.post(f"/api/{name}", **({"json": body, **more} if body is not None else more))
        self.answers.append((f"/api/{name.partition('?')[0]}", answer))

    def _unreadable(self) -> None:
        phone = new_web_table().phone(0)
        long, strange = b" " * (MAX_BODY_BYTES + 1), {"Host": "evil.example"}
        for path in ("/healthz", "/api/view", "/api/openapi.json", "/api/events", "/api/shuffle"):
            self._get(phone, path)
            self._get(phone, path, headers=strange)
            self._get(phone, path, data=long)
        for name in POSTS:
            self._post(phone, name, None, data=long)
            self._post(phone, name, {}, headers=strange)
            self._post(phone, name, None, data=b"a=1")
            self._post(phone, name, None, data=b"{", content_type="application/json")

    def _photographs(self) -> None:
        """Sends photographs, for which the reader finds the ids that are written in them, and some that are refused."""

        def reader(data: bytes, phone: str) -> frozenset[str]:
            if data == b"busy":
                raise PhotoError("busy")
            return frozenset(data.decode().split())

        web_table = WebTable(new_table(dealers={"cards": "table"}), reader)
        ann, kind = web_table.phone(0), {"content_type": "image/jpeg"}
        for data in (b"SF-E1", b"", b"busy", b" " * (MAX_PHOTO_BYTES + 1)):
            self._post(ann, "photo", None, data=data, **kind)
        self._post(ann, "photo?version=x", None, data=b"SF-E1", **kind)
        self._post(ann, "photo?version=0", None, data=b"SF-E1", **kind)
        self._post(ann, "photo", None, data=b"SF-E1", content_type="text/plain")
        self._post(web_table.phone(), "photo", None, data=b"SF-E1", **kind)
        self._post(empty_web_table().phone(), "photo", None, data=b"SF-E1", **kind)

    def _without_a_game(self) -> None:
        web_table = empty_web_table()
        host = web_table.host()
        self._get(host, "/api/view")
        self._post(host, "join", {"seat": 0})
        self._post(host, "seats", {"seat": 0})
        self._post(host, "companion", {"seat": 0, "policy": None})
        for name in ("moves", "correct", "ignore", "undo", "redo", "next", "ask", "answer"):
            self._post(host, name, {"move": {}, "version": 1, "id": "x", "agreed": True, "code": "x"})

    def _strangers(self) -> None:
        web_table = new_web_table()
        web_table.phone(0)
        stranger = web_table.phone()
        self._post(stranger, "join", {"code": web_table.lobby.code, "seat": 0})
        for name in POSTS:
            body = {"move": {}, "version": 1, "id": "x", "agreed": True, "game": "chess", "code": "x"}
            self._post(stranger, name, body)
        for _ in range(30):
            self._post(stranger, "join", {"code": "nope"})
        streams = web_table.app.extensions["streams"]
        while streams.has_room(""):
            streams.opened("")
        self._get(stranger, "/api/events")

    def _refused_by_the_rules(self) -> None:
        web_table = new_web_table()
        ann, bob, transfer = asked(web_table)
        self._post(bob, "answer", {"agreed": True, "move": {"seat": 0}})
        self._post(bob, "answer", {"agreed": False})
        self._post(bob, "answer", {"agreed": False})
        self._post(ann, "ignore", {"code": "x"})
        self._post(ann, "companion", {"seat": 0, "policy": "chess"})
        self._post(ann, "companion", {"seat": 1, "policy": None})
        for name in ("moves", "correct", "undo", "redo", "next", "ask"):
            self._post(ann, name, {"move": transfer, "version": 0, "id": fresh_id()})
            self._post(ann, name, {"move": {}, "version": ann.view()["version"], "id": fresh_id()})
            self._post(bob, name, {"move": transfer, "version": ann.view()["version"], "id": fresh_id()})
        while ann.post("/api/undo").status_code == 200:
            pass
        self._post(ann, "undo", {})
        self._post(web_table.host(), "start", {"game": "chess"})

    def _done_when_the_disk_has_room(self) -> None:
        web_table = new_web_table()
        host, ann, bob = web_table.host(), web_table.phone(0), web_table.phone(1)

        def move(phone: Phone, **fields: Any) -> None:
            once(phone, "moves", {"move": fields, "version": phone.view()["version"], "id": fresh_id()})

        def once(phone: Phone, name: str, body: Any) -> None:
            with full_disk():
                self._post(phone, name, body)
            self._post(phone, name, body)

        once(web_table.phone(), "join", {"code": web_table.lobby.code, "name": "Bo"})
        move(ann, seat=0, move="discard")
        correction = {"move": {"seat": 0, "move": "scavenge"}, "version": ann.view()["version"], "id": fresh_id()}
        once(ann, "correct", correction)
        web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
        web_table.table.observe(CardSeen(t=1, code="SF-E1", zone=None, mm=(5.0, 5.0), angle=0, change="appeared"))
        self._post(ann, "ignore", {"code": "SF-E1"})
        once(ann, "undo", {})
        once(ann, "redo", {})
        transfer = next(move for move in ann.view()["legal"] if move["move"] == "transfer")
        self._post(ann, "ask", {"move": transfer})
        once(bob, "answer", {"agreed": True, "move": transfer})
        move(ann, seat=0, move="end_turn")
        move(bob, seat=1, move="end_turn")
        once(ann, "next", {})
        once(host, "companion", {"seat": 0, "policy": "careful"})
        once(host, "seats", {"seat": 0})
        once(host, "start", {"game": "systems-failing"})

    def _shuffles(self) -> None:
        web_table, game = empty_web_table(), {"game": "systems-failing"}
        assert web_table.host().post("/api/start", game).status_code == 200
        ann = web_table.phone(0)
        self._get(web_table.phone(), "/api/shuffle")
        self._get(ann, "/api/shuffle")
        shares, key = (
            web_table.app.extensions["shares"],
            next(guest.key for guest in web_table.lobby.phones.all if guest.seat == 0),
        )
        shares._round = Round("0" * 64, 1, {key: 0})
        self._post(ann, "share", {"shuffle": "0" * 64, "round": 1, "commitment": commitment_to("1" * 64)})
        self._post(ann, "share", {"shuffle": "0" * 64, "round": 1, "share": "1" * 64})


def test_the_description_is_true_of_every_answer() -> None:
    """The document describes every status that occurs at an address and no other, and every answer matches its
    schema."""
    description = empty_web_table().phone().get("/api/openapi.json").json
    had: dict[str, set[str]] = {}
    for path, answer in Calls().answers:
        had.setdefault(path, set()).add(str(answer.status_code))
        [method] = description["paths"][path].values()
        said = method["responses"].get(str(answer.status_code))
        assert said, (path, answer.text)
        for kind, content in said["content"].items():
            assert answer.mimetype == kind
            assert kind != "application/json" or fits(answer.json, content["schema"], description), (path, answer.json)
    described = {path: set(m["responses"]) for path, methods in description["paths"].items() for m in methods.values()}
    assert had == described


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
