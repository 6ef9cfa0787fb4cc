"""The API's OpenAPI description is true: it lists every address, and every answer of the service fits it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from companion.match.fair_shuffle import commitment_to
from companion.match.journal_database import JournalDatabase
from companion.match.journal_error import JournalError
from companion.tabletop.observations import CardSeen, MatSeen
from companion.tabletop.photo_interface import PhotoError
from tests.systems_failing_tables import new_table
from tests.test_web_api import POSTS, asked
from tests.web_table import Phone, WebTable, empty_web_table, fresh_id, new_web_table, unwrapped
from web.access.request_checks import MAX_BODY_BYTES, MAX_PHOTO_BYTES
from web.api.api_page import with_links
from web.events.shuffle_shares import Round


def fits(value: Any, schema: Any, root: Any) -> bool:
    """Whether a value matches a schema of the OpenAPI document."""
    return Draft202012Validator({**schema, "components": root["components"]}).is_valid(value)


def test_the_description_of_an_id_is_that_of_the_service() -> None:
    """The service accepts exactly the action ids that the schema allows."""
    description = empty_web_table().phone().get("/api/openapi.json").json
    schema = description["components"]["schemas"]["MakeMove"]["properties"]["id"]
    for name in ("", "a", " ", "~", "a" * 64, "a" * 65, "é", "a\n", "\x7f", "\t", "0-1 b"):
        fine = schema["minLength"] <= len(name) <= schema["maxLength"] and re.fullmatch(schema["pattern"], name)
        ann = new_web_table().phone(0)
        sent = {"move": {"seat": 0, "move": "scavenge"}, "version": ann.view()["version"], "id": name}
        assert (ann.post("/api/moves", sent).status_code == 200) == bool(fine), repr(name)


def test_the_description_lists_every_address_and_method() -> None:
    """The description lists exactly the addresses and methods of the application's API."""
    web_table = empty_web_table()
    described = web_table.phone().get("/api/openapi.json").json["paths"]
    real = {
        (rule.rule, method.lower())
        for rule in web_table.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(("/api/", "/healthz"))
    }
    assert {(path, method) for path, methods in described.items() for method in methods} == real


def test_the_page_describes_every_operation_and_type() -> None:
    """Every operation, field and type of the document is on the page, and the page loads nothing from elsewhere."""
    phone = empty_web_table().phone()
    page, document = unwrapped(phone.get("/api").text), phone.get("/api/openapi.json").json
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"{method.upper()}<code>{path}</code>" in page
    for name, schema in document["components"]["schemas"].items():
        assert f'id="{name}"' in page
        assert all(f"<code>{field}</code>" in page for field in schema.get("properties", {}))
    links = {*re.findall(r'<a href="#([\w.]+)">', page)} - {"page"}
    assert {"View", "MakeMove"} < links <= {*document["components"]["schemas"]}
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    assert "{" not in page.partition('<main id="page"')[2]


def test_names_of_types_are_links_and_text_is_escaped() -> None:
    """In a text, whole names of types become links, and everything else is escaped."""
    assert with_links("list of game.Card or Cards, <b> `true`", {"game.Card"}) == (
        'list of <a href="#game.Card">game.Card</a> or Cards, &lt;b&gt; <code>true</code>'
    )


@contextmanager
def full_disk() -> Iterator[None]:
    """Makes every write to the journal fail."""

    def fail(*_: object) -> None:
        raise JournalError("Couldn’t save this (disk full). Is the disk full? Nothing was changed.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JournalDatabase, "write", fail)
        yield


class Calls:
    """Requests every address, and collects the answers: successes and all kinds of refusals."""

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
        """Sends photographs in which the test's reader finds ids, and some that are refused."""

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
            streams.add("")
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
    """The document describes exactly the statuses that occur at each address, and every answer matches its schema."""
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
