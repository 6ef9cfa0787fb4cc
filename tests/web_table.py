"""A table with its web application, and phones without a browser that talk to it, for the tests of `web`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.match.journal import Journal
from companion.printing.pdf_queue import PdfQueue
from companion.table.table import Table
from companion.tabletop.photo_interface import Reader
from tests.systems_failing_tables import hasty_clock, new_table
from web.access.lobby import Lobby
from web.app import create_app
from web.server.http_server import Server, serve

_numbers = count()


def fresh_id() -> str:
    """An action id that was not used before."""
    return f"request-{next(_numbers)}"


def unwrapped(page: str) -> str:
    """The page with each tag on one line and no white space around tags, because a template may wrap its lines
    anywhere."""
    page = re.sub(r"<[^>]+>", lambda tag: " ".join(tag[0].split()).replace(" >", ">"), page)
    return re.sub(r"\s*(<[^>]+>)\s*", r"\1", page)


class Phone:
    """The cookies and requests of a phone."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.client.get(path, buffered=True, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.client.post(path, json={} if body is None else body, **more)

    def view(self) -> Any:
        return self.get("/api/view").json

    def move(self, move: Mapping[str, Any], version: int | None = None, name: str | None = None) -> TestResponse:
        seen = self.view()["version"] if version is None else version
        return self.post("/api/moves", {"move": move, "version": seen, "id": name or fresh_id()})


class WebTable:
    """A table with its lobby and its web application."""

    def __init__(self, table: Table, reader: Reader | None = None, pdf_queue: PdfQueue | None = None) -> None:
        self.table = table
        self._reader, self._pdf_queue = reader, pdf_queue
        self._all_phones: list[Phone] = []
        self.use(Lobby(table))

    def use(self, lobby: Lobby) -> None:
        """Serves the table and all phones with this lobby, as after a restart of the service."""
        self.lobby = lobby
        self.app = create_app(self.table, lobby, reader=self._reader, trusts_own_screen=True, pdf_queue=self._pdf_queue)
        for phone in self._all_phones:
            phone.client.application = self.app

    def phone(self, seat: int | None = None) -> Phone:
        """A new phone. With `seat`, it has joined at this seat."""
        phone = Phone(self.app.test_client())
        self._all_phones.append(phone)
        if seat is not None:
            assert phone.post("/api/join", {"code": self.lobby.code, "seat": seat}).status_code == 200
        return phone

    def host(self) -> Phone:
        phone = self.phone()
        assert phone.get(f"/host?key={self.lobby.host_key}").status_code == 303
        return phone


def new_web_table(**more: Any) -> WebTable:
    """A table at which a game of Systems Failing has begun."""
    return WebTable(new_table(**more))


def empty_web_table() -> WebTable:
    """A table without a game."""
    return WebTable(Table(Journal(None), hasty_clock()))


def without_ids(page: bytes) -> bytes:
    """The page without the random id of its next request, and without the times of its log."""
    return re.sub(rb'name="id" value="[0-9a-f]+"|<time.*?</time>', b"", page)


@contextmanager
def served(web_table: WebTable) -> Iterator[Server]:
    """Serves a web table on a free port of this machine."""
    server = serve(web_table.app, "127.0.0.1", 0)
    try:
        yield server
    finally:
        server.close()


def field_value(page: str, name: str) -> str:
    """The value of a field, hidden or not."""
    found = re.search(rf'name="{name}" value="([^"]*)"', unwrapped(page))
    assert found, name
    return found[1]


def code_of(response: Any) -> tuple[int, str]:
    """The status and the code of a refusal. Checks that it also has a message for people."""
    error = response.json["error"]
    assert set(error) == {"code", "message"}
    assert len(error["message"].split()) > 3
    assert error["message"].endswith((".", "?"))
    return response.status_code, error["code"]
