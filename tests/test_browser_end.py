"""The end of a game in a real browser: the screen that people photograph, and the next game after one tap."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games import GAMES
from companion.games.system_won.catalog import catalog
from companion.text.translation import Translator
from tests.browser import CHROMIUM, new_page
from tests.browser_table import BrowserTable
from tests.page_states import over, played
from tests.repetitions import thorough_except
from tests.running_service import until
from tests.test_end_screen import finished
from tests.web_table import WebTable, served
from web.access.phone_cookie import COOKIE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
HIDDEN = """() => [...document.querySelectorAll(".grade, .figures, .standing-list, .finale figure")]
    .filter((it) => it.getBoundingClientRect().bottom > document.querySelector(".dock").getBoundingClientRect().top)
    .map((it) => it.className)"""
CUT_LABELS = """() => [...document.querySelectorAll(".curves text")].filter((label) => {
    const chart = label.closest("svg"), isClipped = getComputedStyle(chart).overflow !== "visible";
    const edges = (isClipped ? chart : label.closest(".panel")).getBoundingClientRect();
    const { left, right } = label.getBoundingClientRect();
    return left < edges.left || right > edges.right;
}).map((label) => label.textContent)"""
LETTER_SIZES = """() => [...document.querySelectorAll(".curves text")]
    .map((label) => parseFloat(getComputedStyle(label).fontSize) * label.getScreenCTM().a)"""
BOARD_TOP = "() => document.querySelector('#board').getBoundingClientRect().top"
SHARING = """() => {
    navigator.canShare = ({ files }) => files.length === 1;
    navigator.share = async ({ files: [file] }) => (window.shared = [file.type, (await file.arrayBuffer()).byteLength]);
}"""


def test_one_tap_after_the_end_brings_all_phones_into_the_next_game(browser: Any) -> None:
    """At the end of a game, both phones show the whole result without scrolling, have a link to the board below, and
    can share the picture of the end. After the host's tap, both phones are in the next game, moved up one seat."""
    web_table = WebTable(finished("system-won"))
    tokens = [web_table.lobby.join(None, web_table.lobby.code, seat, "") for seat in (0, 1)]
    web_table.lobby.claim_host(tokens[0], web_table.lobby.host_key)
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        pages = []
        for token in tokens:
            page = new_page(browser, base_url=address)
            page.context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
            page.goto("/play")
            page.locator(".finale .curves").wait_for()
            assert page.evaluate(HIDDEN) == []
            pages.append(page)
        host, other = pages
        assert other.get_by_role("button", name="Play again").count() == 0

        other.get_by_role("link", name="See the board").click()
        until(lambda: other.evaluate(BOARD_TOP) < 200, "the board at the top")
        other.evaluate(SHARING)
        other.get_by_role("link", name="Share").click()
        until(lambda: other.evaluate("window.shared"), "a shared picture")
        kind, size = other.evaluate("window.shared")
        assert kind == "image/png"
        assert size > 10_000
        with host.expect_download() as download:  # this browser can share no files
            host.get_by_role("link", name="Share").click()
        assert download.value.suggested_filename == "game-1.png"

        host.get_by_role("button", name="Play again").click()
        for page, seat in ((host, "1"), (other, "0")):
            page.locator(f"#page[data-game='2'][data-seat='{seat}']").wait_for(state="attached")
            assert page.locator(".finale").count() == 0
        other.get_by_role("heading", name="Your turn").wait_for()
        assert host.complaints == other.complaints == []


@pytest.mark.parametrize("name", thorough_except([*GAMES], "traffic-congestion"))
def test_a_short_phone_shows_the_result_and_its_chart(browser: Any, name: str) -> None:
    """On a small phone in German, the dock takes at most a quarter of the screen, and hides neither the result nor a
    chart. A game without meters has no chart."""
    web_table = WebTable(finished(name))
    view = web_table.table.view()
    assert view
    parts = [".figures", ".standing-list", *([".finale figure svg"] if view.meters else [])]
    token = web_table.lobby.join(None, web_table.lobby.code, 0, "")
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        page = new_page(browser, {"width": 360, "height": 640}, base_url=address, locale="de-DE")
        page.context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
        page.goto("/play")
        page.locator(parts[-1]).last.wait_for()
        assert page.locator(".dock").bounding_box()["height"] <= 640 / 4
        bottoms = [box["y"] + box["height"] for part in parts if (box := page.locator(part).last.bounding_box())]
        assert len(bottoms) == len(parts)
        assert max(bottoms) <= page.locator(".dock").bounding_box()["y"]
        page.context.close()


def test_the_letters_of_two_charts_can_be_read(browser: Any) -> None:
    """At the end of Systems Failing, a phone shows two charts. They are smaller than a single one, but the numbers
    beside them are not."""
    with BrowserTable(browser, WebTable(finished("systems-failing"))) as table:
        page = table.seat(0)
        page.locator(".finale .curves").first.wait_for()
        sizes = page.evaluate(LETTER_SIZES)
        assert len(sizes) >= 4
        assert min(sizes) >= 10
        page.context.close()


@pytest.mark.parametrize("locale", thorough_except(["en-US", "de-DE", "es-ES"], "de-DE"))
def test_the_longest_result_leaves_the_chart_in_view(browser: Any, locale: str) -> None:
    """In System WON the result may have many lines. Above the dock, there is still room for four hands and the whole
    chart, on the host's phone and on the others."""
    web_table, say = WebTable(played("system-won", over, seats=4)), Translator(locale[:2]).gettext
    comments = [
        say("The score is {score}: {rating}. {says}").format(score=20, rating=say(each.title), says=say(each.comment))
        for each in catalog().ratings
    ]
    longest = max([*comments[:-1], f"{say('You’ve won!')} {comments[-1]}"], key=len)
    tokens = [web_table.lobby.join(None, web_table.lobby.code, seat, "") for seat in (0, 1)]
    web_table.lobby.claim_host(tokens[0], web_table.lobby.host_key)
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        page = new_page(browser, base_url=address, locale=locale)
        for token in tokens:
            page.context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
            page.goto("/play")
            page.locator(".finale .curves").wait_for()
            page.locator("#turn-title").evaluate("(title, text) => (title.textContent = text)", longest)
            assert page.evaluate(HIDDEN) == []
        page.context.close()


def test_no_label_of_a_chart_is_cut_off(browser: Any) -> None:
    """At the end of Commute, the whole name and number at the end of each line is seen, even with wide letters."""
    played_table = played("commute", over, seats=3, names=("Ann", "Emma", "Mo"), options={"rounds": "0.5"})
    with BrowserTable(browser, WebTable(played_table)) as table:
        page = table.seat(0)
        page.locator(".finale .curves").wait_for()
        assert page.locator(".finale .curves .end").count() == 3
        assert page.evaluate(CUT_LABELS) == []
        page.context.close()


def test_a_page_that_was_scrolled_down_shows_the_end(browser: Any) -> None:
    """After the last move, a page that was scrolled down goes back to its top, where the result is."""
    web_table = WebTable(played("traffic-congestion", over))
    token = web_table.lobby.join(None, web_table.lobby.code, 0, "")
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        page = new_page(browser, base_url=address)
        page.context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
        assert page.request.post("/api/undo").ok
        page.goto("/play")
        page.evaluate("scrollTo(0, 300)")
        assert page.evaluate("scrollY") == 300
        assert page.request.post("/api/redo").ok
        page.locator(".turn.over").wait_for()
        assert page.evaluate("scrollY") == 0


def test_what_the_end_unfolds_does_not_scroll_the_page(browser: Any) -> None:
    """The end of Commute unfolds the table of all numbers, further down on the page. The page still shows its top,
    where the result is. When a person unfolds something, it is scrolled into view, so that the dock does not cover it.
    """
    web_table = WebTable(played("commute", over, options={"rounds": "0.5"}))
    host = web_table.host()
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        page = new_page(browser, base_url=address)
        token = web_table.lobby.join(None, web_table.lobby.code, 0, "")
        page.context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
        host.client.post("/host", data={"reopen": page.request.get("/api/view").json()["version"]})
        page.goto("/play")
        page.evaluate("document.addEventListener('toggle', () => (window.unfolded = true), true)")
        assert page.request.post("/api/redo").ok
        page.locator(".finale").wait_for()
        until(lambda: page.evaluate("window.unfolded"), "the numbers, unfolded")
        assert page.locator(".results details[open] .numbers").count() == 1
        assert page.evaluate("scrollY") == 0
        legend = page.locator(".legend summary")
        legend.focus()
        page.evaluate("scrollTo(0, 0)")
        page.keyboard.press("Enter")
        until(lambda: page.evaluate("scrollY") > 0, "the map key in view")
        assert page.complaints == []
