"""Animations while a phone's page changes, in a real browser that allows them."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from tests.browser import CHROMIUM, new_page
from tests.repetitions import thorough_except
from tests.systems_failing_tables import SEED, hasty_clock, seen
from tests.web_table import WebTable, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
RECORD = """
  window.layers = [];
  const start = document.startViewTransition.bind(document);
  document.startViewTransition = (change) => {
    const transition = start(change);
    transition.ready.then(() => {
      for (const name of ["root", "dock"]) {
        const style = (age) => getComputedStyle(document.documentElement, `::view-transition-${age}(${name})`);
        const { opacity, animationName } = style("new");
        window.layers.push([name, style("old").display, opacity, animationName]);
      }
    }, () => {});
    return transition;
  };
"""
"""JavaScript that records, for each change of the page that is animated, how the browser draws the page and the dock
before and after the change."""


@pytest.mark.parametrize("game", thorough_except(["traffic-congestion", "system-won", "commute"], "system-won"))
def test_nothing_of_the_old_page_shows_through(browser: Any, game: str) -> None:
    """While pieces and cards glide, the phone shows only the new page and its dock. No part of the old page fades
    out."""
    table = Table(Journal(None), hasty_clock())
    table.start(game, 2, {}, {}, ("Ann", "Bob"), SEED)
    table.set_phones_only(phones_only=True)
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}", reduced_motion="no-preference")
        page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": 0})
        page.goto("/play")
        page.wait_for_load_state()
        page.evaluate(RECORD)
        for _ in range(6):
            turn = seen(table).turn
            if not isinstance(turn, int):
                table.proceed(Seat(0))
                continue
            table.submit(Seat(turn), move_json.to_json(seen(table, Seat(turn)).choices.legal[0]))
            page.locator(f"main[data-version='{seen(table).version}']").wait_for()
            if page.evaluate("window.layers.length"):
                break
        page.wait_for_function("window.layers.length")
        assert {*map(tuple, page.evaluate("window.layers"))} == {
            (name, "none", "1", "none") for name in ("root", "dock")
        }
        page.context.close()
