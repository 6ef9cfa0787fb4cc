"""The venue's pages in a real browser: they are readable from five meters, are kept up to date, and are accessible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from typing import Any

import pytest

from companion.venue.club_tables import ClubTables
from companion.venue.table_messages import WallReport
from tests.browser import CHROMIUM, DESKTOP, PHONE, new_page
from tests.layout_faults import TIGHT, faults
from tests.repetitions import one_by_turns, thorough_except
from tests.test_accessibility import complaints, fits
from tests.venue_scene import KEY, club_tables_with, store_with
from web.server.http_server import serve
from web.venue.app import VenueContext, create_venue_app

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
TELEVISION = {"width": 1920, "height": 1080}
SMALLEST_LETTERS_VH = 2.7
"""The smallest font size, in percent of the height of a screen of 16:9. On a 55-inch screen (685 mm high), letters of
this font size have capitals of 13 mm, 9 minutes of arc at five meters. With normal sight people read 5 minutes of
arc."""
FONT_SIZES = """() => {
  const sizes = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const box = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() && box.getClientRects().length)
      sizes.push([parseFloat(getComputedStyle(box).fontSize), walker.currentNode.data.trim()]);
  }
  return sizes;
}"""
CUT_OFF = """() => [...document.querySelectorAll(".table-card")]
  .filter((card) => card.scrollHeight > card.clientHeight + 1)
  .map((card) => card.dataset.key)"""


@contextmanager
def venue(club_tables: ClubTables) -> Iterator[str]:
    """Serves a venue; yields its address."""
    with closing(store_with(8)) as store:
        context = VenueContext(club_tables, store, KEY, today=lambda: date(2026, 1, 31))
        with closing(serve(create_venue_app(context), "127.0.0.1", 0)) as server:
            yield f"http://127.0.0.1:{server.port}"


def shown(page: Any) -> list[str]:
    """The names of the tables that are visible."""
    return [name.strip() for name in page.locator(".table-card h2:visible").all_inner_texts()]


WALLS = ((200, TELEVISION), (4, TELEVISION), (14, DESKTOP), (1, DESKTOP))
"""How many tables a wall shows, and the size of its screen."""


@pytest.mark.parametrize(("wall", "locale"), one_by_turns(WALLS, ("de-DE", "en-US")))
def test_the_wall_is_readable_from_five_meters(browser: Any, wall: tuple[int, dict[str, int]], locale: str) -> None:
    """On every page of the wall, all text is large, everything fits the screen without scrolling, and no card is cut
    off. Unless the run is thorough, each wall is checked in one language, by turns."""
    count, size = wall
    with venue(club_tables_with(count)) as address:
        page = new_page(browser, size, locale=locale)
        page.goto(address)
        page.locator("#clock:not(:empty)").wait_for()
        for _ in range(min(3, -(-count // 9))):
            smallest = min(page.evaluate(FONT_SIZES))
            assert smallest[0] >= SMALLEST_LETTERS_VH / 100 * min(size["height"], size["width"] * 9 / 16), smallest
            assert page.evaluate(CUT_OFF) == []
            assert fits(page)
            if page.locator("#next").is_visible():
                page.locator("#next").click()
        assert page.complaints == []


def test_the_wall_follows_the_tables(browser: Any) -> None:
    """The wall shows a move, a new table and the departure of a table without loading the page again."""
    club_tables = club_tables_with(4)
    with venue(club_tables) as address:
        page = new_page(browser, DESKTOP)
        page.goto(address)
        page.evaluate("document.body.dataset.same = 'yes'")
        club_tables.set_wall("table-1", WallReport(game="commute", round=77, players=("Zoe",)), is_retained=False)
        page.get_by_text("Round 77").wait_for()
        club_tables.set_status("table-3a", is_online=True)
        page.locator('[data-key="table-3a"]').wait_for()
        assert shown(page) == ["table-1", "table-2", "table-3", "table-3a", "table-4"]
        club_tables.forget("table-2")
        page.locator('[data-key="table-2"]').wait_for(state="detached")
        assert page.evaluate("document.body.dataset.same") == "yes"
        assert page.complaints == []


def test_pages_turn_and_can_be_stopped(browser: Any) -> None:
    """The pages of the wall turn by themselves until somebody taps. Every table is shown once before the first page is
    shown again."""
    with venue(club_tables_with(20)) as address:
        page = new_page(browser, TELEVISION)
        page.clock.install()
        page.goto(address)
        found = []
        for _ in range(3):
            found += shown(page)
            page.locator("#next").click()
        assert found == [f"table-{n}" for n in range(1, 21)]
        assert page.locator("#count").inner_text() == "1 / 3"
        page.clock.run_for(8000)
        assert page.locator("#count").inner_text() == "2 / 3"
        page.locator("#pause").click()
        page.clock.run_for(60_000)
        assert page.locator("#count").inner_text() == "2 / 3"
        page.locator("#pause").click()
        page.clock.run_for(8000)
        assert page.locator("#count").inner_text() == "3 / 3"


def test_a_wall_says_when_the_venue_is_gone_and_comes_back(browser: Any) -> None:
    club_tables = club_tables_with(2)
    with venue(club_tables) as address:
        page = new_page(browser, DESKTOP)
        page.goto(address)
        page.locator(".table-card").first.wait_for()
    page.locator("#away:visible").wait_for()
    assert page.locator("body.stale").count() == 1


def test_the_staff_page_follows(browser: Any) -> None:
    """A table that needs help appears on the staff's page, and the key does not stay in the address."""
    club_tables = club_tables_with(1)
    with venue(club_tables) as address:
        page = new_page(browser, PHONE)
        page.goto(f"{address}/staff?key={KEY}")
        assert page.url == f"{address}/staff"
        page.get_by_text("No table needs help.").wait_for()
        club_tables.set_wall("table-1", WallReport(game="commute", needs_help=True), is_retained=False)
        page.get_by_text("The table needs help.").wait_for()


@pytest.mark.parametrize(
    ("size", "scheme"), thorough_except([(PHONE, "light"), (DESKTOP, "dark")], (PHONE, "light")), ids=["phone", "desk"]
)
def test_axe_finds_nothing(browser: Any, size: dict[str, int], scheme: str) -> None:
    """axe finds no fault on any page of the venue, light on a phone and dark on a desktop. On a phone nothing is cut
    off, not even in German with its long words."""
    with venue(club_tables_with(14)) as address:
        page = new_page(browser, size, color_scheme=scheme, locale="de-DE" if size == PHONE else "en-US")
        found = []
        for path in (f"/staff?key={KEY}", "/", "/standings"):
            page.goto(address + path)
            page.wait_for_load_state()
            found += complaints(page) + (faults(page, TIGHT) if size == PHONE else [])
        assert found == []
