"""Phones that were offline or locked while the game went on, or whose language was changed on another page."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from tests.browser import CHROMIUM, new_page, pretend_hidden
from tests.repetitions import thorough_except
from tests.systems_failing_tables import SEED, act_some, hasty_clock, seen
from tests.web_table import WebTable, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
TEXT = """() => document.documentElement.lang + ["header.bar", "#page"]
  .map((part) => document.querySelector(part).innerText.replace(/\\s+/g, " "))"""
PRESENT = """(version) => +document.getElementById("page").dataset.version === version &&
  !document.body.matches(".stale")"""


def assert_up_to_date(page: Any, other_tab: Any, version: int) -> None:
    """Checks that the page shows this version and has the same words as a page that is loaded now, in another tab."""
    page.wait_for_function(PRESENT, arg=version)
    other_tab.goto("/play")
    other_tab.wait_for_load_state()
    now = other_tab.evaluate(TEXT)
    other_tab.goto("about:blank")
    assert page.evaluate(TEXT) == now


CASES = thorough_except([*GAMES], "systems-failing")
"""One game stays for `make test`. Of every game, tests/test_live_pages.py checks that a page that is kept up to date is
the page that would be fetched."""


@pytest.mark.parametrize("name", CASES)
def test_a_phone_that_wakes_up_is_current_and_in_its_language(browser: Any, name: str) -> None:
    """A phone's stream is cut while many moves are made. When it wakes up, its page is current. Then its language is
    changed to German and to Spanish in another tab, in the middle of the turn, and no word of the page stays in the old
    language."""
    table = Table(Journal(None), hasty_clock())
    table.start(name, 2, {}, {}, ("Ann", "Bob"), SEED)
    table.set_phones_only(phones_only=True)
    while not isinstance(seen(table).turn, int):
        table.proceed(Seat(0))
    web_table, rng = WebTable(table), Random(3)
    with served(web_table) as server:
        page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}", locale="en-GB")
        page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": 0})
        page.goto("/play")
        page.wait_for_load_state()
        page.context.set_offline(True)
        page.locator("#away").wait_for()
        act_some(table, rng, 12)
        page.context.set_offline(False)
        other_tab = page.context.new_page()
        assert_up_to_date(page, other_tab, seen(table).version)
        for language in ("de", "es"):
            pretend_hidden(page, hidden=True)
            other_tab.goto("/settings")
            other_tab.locator(f"button[name=language][value={language}]").click()
            other_tab.locator(f"html[lang={language}]").wait_for(state="attached")
            other_tab.goto("about:blank")
            act_some(table, rng, 1)
            pretend_hidden(page, hidden=False)
            page.locator(f"html[lang={language}]").wait_for(state="attached")
            assert_up_to_date(page, other_tab, seen(table).version)
        page.context.close()
