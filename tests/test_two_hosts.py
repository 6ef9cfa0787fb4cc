"""Two browsers that host the same table at once."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest

from companion.match.fair_shuffle import Share
from tests.web_table import Phone, empty_web_table, unwrapped
from web.events.shuffle_shares import ShareRounds

GAME = {"game": "system-won", "seats": "2", "material": "phones"}


def start(host: Phone, *players: str, **more: str) -> Any:
    return host.client.post("/host", data={**GAME, "player": [*players], **more})


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Calls `act` once, while the next game waits for the shares of the phones."""

    def collect(self: ShareRounds, shuffle: str, number: int = 0, **seats: object) -> list[Share]:
        monkeypatch.undo()
        act()
        return []

    monkeypatch.setattr(ShareRounds, "collect", collect)


def test_a_game_that_another_host_has_just_started_is_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """If two hosts tap Start, the second host's game is refused, and that host's page shows the running game."""
    web_table = empty_web_table()
    one, other = web_table.host(), web_table.host()
    meanwhile(monkeypatch, lambda: start(other, "Cleo", "Dora"))
    answer = start(one, "Ann", "Bob")
    assert answer.status_code == 409
    assert "Another game has been started." in unescape(answer.text)
    assert web_table.table.names == ("Cleo", "Dora")
    assert len(web_table.table.journal.games()) == 1


def test_a_host_ends_only_the_game_that_was_on_the_page() -> None:
    """A host confirms that a new game may replace the game on the page. This does not end a later game, which the other
    host has started in the meantime."""
    web_table = empty_web_table()
    one, other = web_table.host(), web_table.host()
    assert start(one, "Ann", "Bob").status_code == 303
    assert 'name="running" value="1"' in unwrapped(one.get("/host").text)
    assert start(other, "Ann", "Cleo", sure="1", running="1").status_code == 303
    assert start(one, "Ann", "Dora", sure="1", running="1").status_code == 409
    assert web_table.table.names == ("Ann", "Cleo")
    assert 'name="running" value="2"' in unwrapped(one.get("/host").text)
    assert start(one, "Ann", "Dora", sure="1", running="2").status_code == 303


def test_play_again_and_a_new_game_at_once_start_one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one host taps Play again while the other starts a new game, only the first game that is ready starts, and
    nothing is lost."""
    web_table = empty_web_table()
    one, other = web_table.host(), web_table.host()
    assert start(one, "Ann", "Bob").status_code == 303
    web_table.table.end()
    meanwhile(monkeypatch, lambda: start(other, "Cleo", "Dora"))
    assert start(one, "Ann", "Bob").status_code == 409
    assert web_table.table.names == ("Cleo", "Dora")
