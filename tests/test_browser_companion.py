"""In a real browser, a player leaves, the companion plays, and the player comes back."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.match.journal import Journal
from companion.table.companion_player import UNDO_PAUSE_S, CompanionPlayer
from companion.table.table import Table
from tests.browser import new_page
from tests.phones import Home
from tests.tables import SEED, seen
from tests.test_accessibility import complaints
from tests.test_web_events import served

pytestmark = pytest.mark.browser


def test_a_player_leaves_and_comes_back(browser: Any) -> None:
    """The phone of the seat hands it over below the log, sees what the companion does without a reload, and plays on
    with one tap. axe finds nothing wrong, there and on the host's page."""
    now = [0.0]
    place = Home(Table(Journal(None), lambda: now[0]))
    place.table.start("system-won", 2, {"roles": "none"}, {}, ("Ann", "Bob"), SEED)
    place.table.set_phones_only(phones_only=True)
    player = CompanionPlayer(place.table, lambda: now[0], Random(1))
    with served(place) as server:
        address = f"http://127.0.0.1:{server.port}"
        ann, host = new_page(browser), new_page(browser)
        ann.goto(f"{address}/join?code={place.lobby.code}")
        ann.get_by_role("button", name="Ann").click()
        ann.locator("details.leave summary").click()
        wrong = complaints(ann)
        ann.get_by_role("button", name="The companion, easy").click()
        ann.get_by_role("heading", name="The companion plays for you").wait_for()
        wrong += complaints(ann)

        player.step()
        now[0] += UNDO_PAUSE_S
        player.step()
        assert seen(place.table).turn == 1
        ann.get_by_role("heading", level=1, name="Bob’s turn").wait_for()

        host.goto(f"{address}/host?key={place.lobby.host_key}")
        host.get_by_label("Let the companion play for Bob").click()
        wrong += complaints(host)
        ann.get_by_role("button", name="I am back").click()
        ann.get_by_role("heading", name="The companion plays for you").wait_for(state="detached")
        assert place.table.companion_seats == {}
        assert wrong == []
