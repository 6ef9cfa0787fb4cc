"""Stepping through a past game in a real browser."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.match.journal import Journal
from companion.table.table import Table
from tests.browser import CHROMIUM, DESKTOP, PHONE, new_page
from tests.repetitions import thorough_except
from tests.systems_failing_tables import SEED, play_to_the_end
from tests.test_past_games import finished
from tests.web_table import WebTable, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


def test_a_game_is_stepped_through_by_slider_keys_and_links(browser: Any) -> None:
    """The page of a past game shows each step without reloading. Its address is that of the step, so that a reload
    shows the same step."""
    table = finished("systems-failing")
    last = table.journal.games()[0].records[-1].version - 1
    table.end()
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser)
        page.goto(f"http://127.0.0.1:{server.port}/host?key={web_table.lobby.host_key}")
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
        page.get_by_role("link", name="Step back").click()
        page.locator(".steps-back output", has_text=f"2 / {total}").wait_for()
        page.reload()
        assert at.inner_text() == f"2 / {total}"
        assert page.get_by_role("slider").input_value() == "2"
        assert page.complaints == []


def test_one_phone_steps_and_the_big_screen_follows(browser: Any) -> None:
    """The big screen shows each step of the phone that leads, without reloading, and a phone on its seat can follow.
    When the leader leaves the page, both are back at the table."""
    web_table = WebTable(finished("system-won", 2))
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        leader, other, screen = (new_page(browser, size, base_url=address) for size in (PHONE, PHONE, DESKTOP))
        for seat, page in enumerate((leader, other)):
            page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": seat})
        screen.goto("/table")
        other.goto("/play")
        leader.goto("/games/1?at=5")
        leader.get_by_role("button", name="Show on the big screen").click()
        leader.get_by_text("The big screen follows you.").wait_for()
        screen.locator(".about", has_text="step 5 of").wait_for()
        other.get_by_role("link", name="Watch together").click()
        leader.get_by_role("button", name="Step forward").click()
        for page in (screen, other):
            page.locator(".about", has_text="step 6 of").wait_for()
        moment = leader.locator(".moment").first
        step = moment.locator("> span").inner_text()
        moment.click()
        screen.locator(".about", has_text=f"step {step} of").wait_for()
        leader.goto("/play")
        screen.locator(".turn").wait_for()
        other.wait_for_url("**/play")
        assert [page.complaints for page in (leader, other, screen)] == [[], [], []]


def test_a_new_game_ends_the_lead_on_the_phone_that_leads(browser: Any) -> None:
    """When the host taps "Play again", the page of the leader no longer says that the big screen follows, and leads to
    the new game."""
    web_table = WebTable(finished("system-won", 2))
    with served(web_table) as server:
        leader = new_page(browser, PHONE, base_url=f"http://127.0.0.1:{server.port}")
        leader.request.post("/api/join", data={"code": web_table.lobby.code, "seat": 0})
        leader.goto("/games/1?at=5")
        leader.get_by_role("button", name="Show on the big screen").click()
        follows = leader.get_by_text("The big screen follows you.")
        follows.wait_for()
        leader.get_by_role("button", name="Step forward").click()
        leader.locator(".steps-back output", has_text="6 /").wait_for()
        web_table.host().client.post("/host", data={"again": "1"})
        follows.wait_for(state="hidden")
        leader.locator(".steps-back output", has_text="6 /").wait_for()
        leader.get_by_role("link", name="Go to the game").click()
        leader.wait_for_url("**/play")
        leader.locator(".turn").wait_for()
        assert leader.complaints == []


@pytest.mark.parametrize("size", thorough_except([PHONE, DESKTOP], DESKTOP), ids=["phone", "desktop"])
def test_the_marks_of_a_card_stay_on_one_line(browser: Any, size: dict[str, int]) -> None:
    """In the replay of System WON, the numbers and the colors that a card can still be are on one line each, although
    three hands of five cards are side by side on a desktop."""
    table = finished("system-won", 3)
    table.end()
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser, size)
        page.goto(f"http://127.0.0.1:{server.port}/host?key={web_table.lobby.host_key}")
        page.goto(f"http://127.0.0.1:{server.port}/games/1?at=30")
        heights = page.evaluate("[...document.querySelectorAll('.holder .left')].map((it) => it.offsetHeight)")
        assert heights
        assert max(heights) < 20


@pytest.mark.parametrize("size", thorough_except([PHONE, DESKTOP], PHONE), ids=["phone", "desktop"])
def test_the_scores_of_commute_stand_under_their_titles(browser: Any, size: dict[str, int]) -> None:
    """On the page of a past game, the styles of the page's own tables don't affect the table of Commute's scores: no
    title is broken, and each is above its column."""
    table = finished("commute")
    table.end()
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser, size)
        page.goto(f"http://127.0.0.1:{server.port}/host?key={web_table.lobby.host_key}")
        page.goto(f"http://127.0.0.1:{server.port}/games/1?at=30")
        heads, cells = page.locator(".tally thead th"), page.locator(".tally tbody tr:first-child > *")
        for n in range(3):
            head, cell = heads.nth(n).bounding_box(), cells.nth(n).bounding_box()
            assert (head["x"], head["width"]) == (cell["x"], cell["width"])
            assert head["height"] < 30


@pytest.mark.parametrize("size", thorough_except([PHONE, DESKTOP], PHONE))
def test_long_names_make_room_for_the_figures(browser: Any, size: dict[str, int]) -> None:
    """In the tables of past games, only the names of players break within a word: every head and every figure is as
    high as a line."""
    table = Table(Journal(None))
    table.start("system-won", 3, {}, {}, ("Jörg", "W" * 24, "Ann"), SEED)
    play_to_the_end(table, Random(4))
    table.end()
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser, size, base_url=f"http://127.0.0.1:{server.port}", locale="de-DE")
        page.request.post("/api/join", data={"code": web_table.lobby.code})
        page.goto("/games")
        lines = """row => [...row.cells].filter(cell => !cell.matches("tbody th"))
          .map(cell => [cell.textContent, (range => (range.selectNodeContents(cell), range.getClientRects().length))
            (document.createRange())])"""
        cells = [cell for row in page.locator(".game-results tr").all() for cell in row.evaluate(lines)]
        assert len(cells) > 20
        assert [cell for cell in cells if cell[1] != 1] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
