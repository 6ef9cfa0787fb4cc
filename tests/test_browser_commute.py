"""Commute in a real browser: choosing a card and a space, keyboards, small screens, and touch targets."""

from __future__ import annotations

import re
from typing import Any

import pytest

from companion.games.commute.page.city_map import city
from companion.games.rules import Seat
from tests import page_states
from tests.browser import DESKTOP, PHONE, SMALL
from tests.browser_table import COPIED_ELEMENTS, OVERFLOW_PX, BrowserTable, wait_for_title
from tests.commute_games import asks, begun, must_bump, played, until
from tests.page_states import after
from tests.repetitions import or_if_thorough, thorough_except
from tests.systems_failing_tables import seen
from tests.web_table import WebTable

pytestmark = pytest.mark.browser

SMALLER = """selector => [...document.querySelectorAll(selector)].filter(el => el.offsetParent)
    .map(el => el.getBoundingClientRect()).filter(box => box.width < 43.5 || box.height < 43.5).length"""
"""The number of visible controls that are too small for a thumb."""


def test_a_card_lights_up_spaces_and_a_space_asks_once_more(browser: Any) -> None:
    """A player taps a card, a space and the confirmation, and the piece appears there on the other phone and on the big
    screen. The other phone accepts its first tap while the piece is still moving."""
    with BrowserTable(browser, begun(2)) as table:
        ann, ben, screen = table.seat(0), table.seat(1, reduced_motion="no-preference"), table.screen()
        ben.add_style_tag(content="::view-transition-group(*) { animation-duration: 60s !important; }")
        assert ann.locator(".stop:visible").count() == 0
        assert ann.evaluate(COPIED_ELEMENTS) < 100, "closed sheets do not copy the map"
        card = ann.locator("fieldset.hand .choice").nth(1)
        card.click()
        stop = ann.locator(".stop:visible:not(.uh-oh)").first
        cost, space = stop.inner_text().split("\n")
        x, y = re.findall(r"--[xy]:([.\d]+)", stop.get_attribute("style"))
        stop.click()
        sheet = ann.locator(".sheet:popover-open")
        assert cost in sheet.inner_text()
        mark = ann.get_attribute("main", "data-mark")
        table.web_table.table.rename(Seat(1), "Benny")
        ann.locator(f"main:not([data-mark='{mark}'])").wait_for()
        assert sheet.locator(".where use").evaluate("map => map.getBBox().width") > 0, "the sheet still shows the map"
        assert sheet.get_by_role("heading").inner_text() == f"Travel to {space}"
        sheet.get_by_role("button", name="Go with the").click()
        wait_for_title(ben, "Your turn")
        box = ben.locator("fieldset.hand .choice").first.bounding_box()
        ben.mouse.click(box["x"] + 20, box["y"] + 20)
        ben.locator(".stop:visible").first.wait_for()
        for page in (ann, ben, screen):
            page.locator(f".piece-at[data-key='piece-0'][style*='{x}'][style*='{y}']").wait_for()
            assert page.complaints == []
        assert ann.locator(".stop").count() == 0


def test_choosing_another_card_changes_the_stops(browser: Any) -> None:
    """The stops on the map and in the list are those of the chosen card, and change with it."""
    with BrowserTable(browser, begun(2)) as table:
        page = table.seat(0)
        for number in range(3):
            page.locator("fieldset.hand .choice").nth(number).click()
            assert page.locator(".ends:visible").count() == 1
            assert page.locator(".stop:visible").count() == page.locator(".ends:visible .row").count() > 0


def test_a_bump_asks_for_a_card_and_then_for_a_space(browser: Any) -> None:
    """A bump asks for the card first and then for the space. The page numbers the steps and marks both pieces."""
    web_table = begun(3)
    view = until(web_table, must_bump)
    with BrowserTable(browser, web_table) as table:
        page = table.seat(int(view.turn))  # type: ignore[arg-type]
        target = view.names[view.state["pending"]["target"]]
        assert page.locator(".piece-at.moves").get_attribute("data-key") == f"piece-{view.state['pending']['target']}"
        page.locator("fieldset.hand .choice").first.click()
        page.locator(".ends:visible .row").first.click()
        sheet = page.locator(".sheet:popover-open")
        assert sheet.get_by_role("heading").inner_text().startswith(f"Send {target} ")
        sheet.get_by_role("button", name="Send with the").click()
        page.locator(".steps").wait_for(state="detached")
        assert page.complaints == []


def test_an_uh_oh_card_is_shown_above_its_answers(browser: Any) -> None:
    """An “Uh-Oh!” card that asks a question is shown large, with its answers below."""
    web_table = begun(3)
    view = until(web_table, asks("choice"))
    with BrowserTable(browser, web_table) as table:
        page = table.seat(int(view.turn))  # type: ignore[arg-type]
        before = page.get_attribute("main", "data-version")
        page.locator(".uh-oh-card.open .answer").first.click()
        page.locator(f"main:not([data-version='{before}'])").wait_for()
        assert page.complaints == []


def test_the_longest_name_fits_into_its_answer(browser: Any) -> None:
    """The longest name fits into its answer on a small phone, even with letters twice as large."""
    web_table = begun(5)
    view = until(web_table, asks("partner", "skip"))
    for other in range(5):
        web_table.table.rename(Seat(other), "Maximiliane-Charlotte WWW")
    with BrowserTable(browser, web_table) as table:
        page = table.seat(int(view.turn), SMALL)  # type: ignore[arg-type]
        for size in ("100%", "200%"):
            page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
            wide = page.locator(".answer").evaluate_all(
                "all => all.filter(el => el.scrollWidth > el.clientWidth).length"
            )
            assert (wide, page.evaluate(OVERFLOW_PX)) == (0, 0), size


def test_the_keyboard_alone_travels(browser: Any) -> None:
    """With the keyboard, Space chooses the card, Tab moves to the list, and Enter opens and confirms."""
    with BrowserTable(browser, begun(2)) as table:
        page = table.seat(0)
        page.locator("fieldset.hand input").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "row"
        page.keyboard.press("Enter")
        page.locator(".sheet:popover-open").wait_for()
        for _ in range(2):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.locator("main[data-version='2']").wait_for()


def test_nothing_runs_off_the_screen_and_thumbs_hit(browser: Any) -> None:
    """Nothing is cut off on a desktop and zoomed in; if the run is thorough, also on phones. Every control is at
    least 44 pixels wide and high."""
    web_table = begun(5)
    with BrowserTable(browser, web_table) as table:
        seat, screen = table.seat(0), table.screen()
        seat.locator("fieldset.hand .choice").nth(1).click()
        for page in (seat, screen):
            for size in or_if_thorough((DESKTOP, ZOOMED), (PHONE, SMALL, {"width": 844, "height": 390})):
                page.set_viewport_size(size)
                assert page.evaluate(OVERFLOW_PX) <= 0, (size, page.url)
                assert page.evaluate(SMALLER, ".choice, .stop, .row, .answer, .board summary") == 0, size
        seat.set_viewport_size(PHONE)
        box, hand = seat.locator(".map").bounding_box(), seat.locator("fieldset.hand").bounding_box()
        assert box["y"] + box["height"] <= hand["y"] + 24, "the whole map is seen above the hand"


ZOOMED = {"width": 195, "height": 422}
"""A phone's window at 200% zoom."""
COVERED_TIMES = """() => [...document.querySelectorAll('.log li')].filter(entry => {
    const box = node => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect();
    };
    return box(entry.querySelector('time')).left < box(entry.querySelector(':scope > span')).right;
}).length"""
"""The number of log entries whose time covers their words."""


def test_times_in_the_log_are_beside_the_words(browser: Any) -> None:
    """In the log, the time of an entry is to the right of its words, on phones and desktops."""
    with BrowserTable(browser, begun(3)) as table:
        page = table.seat(0)
        page.get_by_role("link", name="Log").click()
        page.locator(".log time").first.wait_for()
        for size in (PHONE, DESKTOP):
            page.set_viewport_size(size)
            assert page.evaluate(COVERED_TIMES) == 0, size


CUT_SCORES = """() => [...document.querySelectorAll(".so-far > span")].filter((score) => {
  score.querySelector(":scope > b").textContent = "107′";
  score.querySelector("small").firstChild.textContent = "★−75 ";
  const box = score.getBoundingClientRect(), parts = [...score.children].map((part) => part.getBoundingClientRect());
  const isSmall = [...score.querySelectorAll(":scope > b, small")].some(
    (text) => parseFloat(getComputedStyle(text).fontSize) < 0.85 * 16,
  );
  return isSmall || score.getBoundingClientRect().right > innerWidth
    || parts.some((part) => part.left < box.left || part.right > box.right);
}).length"""
"""JavaScript: gives every player large numbers. Returns how many scores are cut off or in small letters."""


@pytest.mark.parametrize("seats", thorough_except([3, 4, 5], 5))
def test_the_scores_above_the_map_can_be_read(browser: Any, seats: int) -> None:
    """On a phone, the scores of all players are large enough to read across the table, and fit even if minutes have
    three digits and reputations are low."""
    with BrowserTable(browser, begun(seats)) as table:
        page = table.seat(0)
        for size in (PHONE, {"width": 360, "height": 640}):
            page.set_viewport_size(size)
            assert page.evaluate(CUT_SCORES) == 0, size
            tops = {score.bounding_box()["y"] for score in page.locator(".so-far > span").all()}
            assert len(tops) == 1, "the scores are in one row"
            assert page.locator(".so-far > span", has_text="you").count() == 1, "the player’s own score is marked"


COVERED_LABELS = """() => {
  const labels = [...document.querySelectorAll(".stop span")].filter((label) => label.checkVisibility());
  const boxes = labels.map((label) => label.getBoundingClientRect());
  const meet = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  return boxes.flatMap((box, n) => boxes.slice(0, n).some((other) => meet(box, other)) ? labels[n].textContent : []);
}"""
"""The labels of stops on the map that overlap others."""


def test_no_label_on_the_map_covers_another(browser: Any) -> None:
    """With a high card, many neighboring spaces light up. All of them show their minutes, even with two digits, on
    phones of all sizes (unless the run is thorough, on the smallest) and on a desktop."""
    web_table = WebTable(page_states.played("commute", after(22, "travel"), seats=3, seed="seed1"))
    view = seen(web_table.table)
    with BrowserTable(browser, web_table) as table:
        page = table.seat(int(view.turn))  # type: ignore[arg-type]
        for size in or_if_thorough((SMALL, DESKTOP), (PHONE, {"width": 360, "height": 640})):
            page.set_viewport_size(size)
            most = 0
            for card in page.locator("fieldset.hand .choice input").all():
                card.check(force=True)
                assert page.evaluate(COVERED_LABELS) == [], size
                most = max(most, page.locator(".stop:visible").count())
            assert most > 20, size


LETTERS = """selector => [...document.querySelectorAll(selector)].filter(text => text.getClientRects().length)
    .map(text => parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM?.().a ?? 1))"""
"""The heights of the visible texts on the map, in pixels."""


def test_names_on_the_map_can_be_read(browser: Any) -> None:
    """On a desktop, every space on the map shows its name. On a phone, only the spaces that the chosen card reaches
    do."""
    with BrowserTable(browser, begun(2)) as table:
        page = table.seat(0)
        page.locator("fieldset.hand .choice").nth(1).click()
        assert min(page.evaluate(LETTERS, ".stop small")) >= 11
        page.set_viewport_size(DESKTOP)
        names = page.evaluate(LETTERS, ".ids text")
        assert len(names) > 60
        assert min(names) >= 11


COVERED_BY_A_PAWN = """places => {
  const pawn = document.querySelector(".piece-at.moves:not(.at-end)"), token = pawn.querySelector(".tok");
  const name = pawn.querySelector("small"), map = document.querySelector(".map").getBoundingClientRect();
  const middle = (box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const found = [];
  for (const [id, at, style] of places) {
    pawn.style.cssText = style;
    const box = token.getBoundingClientRect(), [x, y] = middle(box), radius = box.width / 2 + 2;
    const spot = document.querySelector(`.map .spot[transform="translate(${at})"]`);
    for (const text of spot.querySelectorAll("text")) {
      const digits = text.getBoundingClientRect(), [left, top] = middle(digits);
      const high = digits.height * 0.3, across = Math.max(0, Math.abs(left - x) - digits.width / 2);
      const covers = Math.hypot(across, Math.max(0, Math.abs(top - y) - high)) < radius;
      if (covers) found.push([id, text.textContent, "is covered"]);
    }
    const texts = name.offsetParent ? [box, name.getBoundingClientRect()] : [box];
    for (const each of texts) {
      const outside = Math.max(map.left - each.left, map.top - each.top, each.right - map.right);
      if (Math.max(outside, each.bottom - map.bottom) > 1) found.push([id, "is cut off"]);
    }
  }
  return found;
}"""
"""JavaScript: moves a pawn from space to space. Returns where it covers a number or a badge, or where it is cut off."""


def test_a_pawn_hides_neither_the_number_nor_the_badge_of_its_space(browser: Any) -> None:
    """On every space, the pawn is beside the number and the badge, even with the ring that marks the pawn to move. Pawn
    and name are completely on the map. So it is on phones and on a desktop."""
    web_table = begun(2)
    view = until(web_table, lambda view: view.position.locations[view.turn] not in view.position.board.ends)
    spots = city(view.position.board, {}, {}).spots.values()
    places = [
        (spot.id, " ".join(map(str, spot.xy)), f"{spot.place};{spot.pawns[0]};--aside:0")
        for spot in spots
        if spot.kind not in ("house", "work")
    ]
    with BrowserTable(browser, web_table) as table:
        page = table.seat(int(view.turn))  # type: ignore[arg-type]
        for size in (PHONE, SMALL, DESKTOP):
            page.set_viewport_size(size)
            assert page.evaluate(COVERED_BY_A_PAWN, places) == [], size


def test_the_end_fits_on_every_screen(browser: Any) -> None:
    """At the end, the big screen shows everyone's points without scrolling, and nothing is cut off on the smallest
    phone."""
    web_table = begun(5, rounds="0.5")
    for _ in played(web_table):
        pass
    with BrowserTable(browser, web_table) as table:
        screen, seat = table.screen(), table.seat(0)
        screen.set_viewport_size({"width": 1280, "height": 800})
        points = screen.locator(".standing-list").bounding_box()
        assert points["y"] + points["height"] <= 800
        seat.set_viewport_size(SMALL)
        assert seat.evaluate(OVERFLOW_PX) <= 0
        numbers = seat.locator(".scroll")
        assert numbers.evaluate("box => box.scrollWidth - box.clientWidth") == 0
        numbers.focus()
        assert numbers.evaluate("box => document.activeElement === box")
