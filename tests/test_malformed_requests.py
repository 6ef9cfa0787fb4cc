"""Malformed requests to the HTTP API: each is refused with its own status and code, and breaks nothing."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.repetitions import repetitions
from tests.test_web_api import POSTS
from tests.web_table import code_of, new_web_table
from web.access.request_checks import MAX_BODY_BYTES


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
    """A lone surrogate is refused in texts, even inside objects and lists."""
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
@settings(max_examples=repetitions(60, at_least=20))
@given(body=st.dictionaries(st.sampled_from(FIELDS), ANYTHING), move=st.dictionaries(st.sampled_from(MOVE), ANYTHING))
def test_no_json_breaks_an_address(body: dict[str, Any], move: dict[str, Any]) -> None:
    """Any JSON, as a body or as a move, is either accepted or refused, without a server error."""
    web_table = new_web_table()
    phone = web_table.host()
    phone.post("/api/join", {"seat": 0})
    seen = {"version": phone.view()["version"], "id": "x", "agreed": True}
    for name in POSTS:
        for sent in (body, {**seen, **body}, {**seen, "move": move}, {**seen, "move": {"seat": 0, **move}}):
            text = json.dumps(sent)
            answer = phone.client.post(f"/api/{name}", data=text, content_type="application/json")
            assert answer.status_code < 500, (name, text, answer.json)


@settings(max_examples=repetitions(25, at_least=8))
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
    """Bodies of more than 64 KiB are refused at every address, and so are bodies that are not sent as JSON."""
    ann = new_web_table().phone(0)
    for name in POSTS:
        long = ann.client.post(f"/api/{name}", data=b" " * (MAX_BODY_BYTES + 1), content_type="application/json")
        assert code_of(long) == (413, "too_large")
        assert code_of(ann.client.post(f"/api/{name}", data=b"a=1")) == (415, "not_json")


def test_addresses_and_methods_that_are_not_there_are_refused_in_json() -> None:
    """Refusals with status 404 and 405 under /api are JSON, like all other refusals."""
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
