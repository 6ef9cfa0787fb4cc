"""Stepping through a past game in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import CHROMIUM, new_page
from tests.phones import Home
from tests.test_past_games import finished
from tests.test_web_events import served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


def test_a_game_is_stepped_through_by_slider_keys_and_links(browser: Any) -> None:
    """The page shows each step without reloading, and its address is that of the step, so that a reload shows the
    same."""
    table = finished("systems-failing")
    last = table.journal.games()[0].records[-1].version - 1
    table.end()
    home = Home(table)
    with served(home) as server:
        page = new_page(browser)
        page.goto(f"http://127.0.0.1:{server.port}/host?key={home.lobby.host_key}")
        page.get_by_role("link", name="past games", exact=False).click()
        page.get_by_role("link", name="Systems Failing").click()
        at = page.locator(".steps-back output")
        total = at.inner_text().split(" / ")[1]
        assert int(total) <= last + 1
        page.get_by_role("link", name="To the start").click()
        page.locator(".last", has_text="The start.").wait_for()
        slider = page.get_by_role("slider")
        assert slider.evaluate("it => getComputedStyle(it).paddingInline") == "0px", "it reaches both ends"
        slider.focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.locator(".steps-back output", has_text=f"3 / {total}").wait_for()
        page.get_by_role("link", name="One act back").click()
        page.locator(".steps-back output", has_text=f"2 / {total}").wait_for()
        page.reload()
        assert at.inner_text() == f"2 / {total}"
        assert page.get_by_role("slider").input_value() == "2"
        assert page.complaints == []
