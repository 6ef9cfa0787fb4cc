"""Traffic Congestion in a real browser: phones that add a car, place a signal and let the cars go; touch, keyboards,
small screens."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from companion.games.rules import Seat
from companion.tabletop.observations import MatSeen, TokensCounted
from tests.browser import DESKTOP, PHONE, SMALL, new_page
from tests.browser_table import COPIED_ELEMENTS, OVERFLOW_PX, BrowserTable, wait_for_title
from tests.keyboard_user import KeyboardUser
from tests.off_screen import hidden
from tests.page_states import PageScene, PageState, after, opened, played
from tests.repetitions import one_by_turns, or_if_thorough, thorough_except
from tests.test_traffic_congestion_table import mat_of, tile
from tests.traffic_games import RUSH, begun, seen
from tests.web_table import WebTable

pytestmark = pytest.mark.browser

HIT = """() => [...document.querySelectorAll('.car')].map(car => {
    const box = car.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return [car.dataset.key.replace(/-\\d+$/, ''), hit?.dataset.key];
})"""
"""For each car, its lane and the lane that a tap on it opens."""

SIZES = "taps => taps.map(getComputedStyle).map(style => [parseFloat(style.width), parseFloat(style.height)])"
"""The sizes of the lanes' touch targets, not rounded."""


LINES_BY_NAME = """() => Object.fromEntries([...document.querySelectorAll(".score .name")].map((name) => {
    const words = document.createRange();
    words.selectNodeContents(name.firstChild);
    return [name.firstChild.textContent, new Set([...words.getClientRects()].map((line) => line.top)).size];
}))"""
"""The number of lines of each name beside a score."""


def tap(page: Any, lane: str) -> Any:
    """Taps a lane on the drawing. Returns its sheet."""
    page.locator(f"[data-key='tap-{lane}']").click()
    sheet = page.locator(f"#sheet-lane-{lane}:popover-open")
    sheet.wait_for()
    return sheet


def test_two_phones_play_by_tapping_lanes(browser: Any) -> None:
    """Adding a car, placing a signal, a Go, and turning the signal each appear at once on both phones and on the big
    screen."""
    with BrowserTable(browser, begun()) as table:
        ann, ben, screen = table.seat(0), table.seat(1), table.screen()
        sheet = tap(ann, "south1_C")
        copies = sheet.locator(".junction use").evaluate_all(
            "all => all.filter((use) => use.getBBox().width > 0).length"
        )
        assert copies > 0, "an open sheet shows the streets"
        sheet.get_by_role("button", name="Add a blue car").click()
        wait_for_title(ben, "Your turn")
        assert ben.evaluate(COPIED_ELEMENTS) < 400, "closed sheets do not copy the streets"
        screen.locator(".car[data-key='south1_C-0']").wait_for()
        tap(ben, "south1_C").get_by_role("button", name="Straight on").click()
        wait_for_title(ann, "Your turn")
        assert ann.locator("#streets-signals .signal").count() == 1
        go = tap(ann, "south1_C")
        assert "1 car moves" in go.inner_text()
        go.get_by_role("button", name="Move, then signal right").click()
        wait_for_title(ben, "Your turn")
        ben.locator(".car[data-key='C_A-0']").wait_for()
        assert screen.locator("[data-key='south1>C']").count() == 1
        assert ann.complaints == ben.complaints == screen.complaints == []


def test_players_without_a_phone_hide_nothing(browser: Any) -> None:
    """The names of two players without a phone are below the buttons, and the dock stays low, even in German."""
    table = played("traffic-congestion", lambda view: True, seats=4, names=("Ann", "Ben", "Charlotte", "Dominik"))
    with BrowserTable(browser, WebTable(table)) as browser_table:
        pages = [browser_table.seat(number, locale="de-DE") for number in (0, 1)]
        for page in pages:
            page.locator(".who .off").nth(1).wait_for()
            assert hidden(page, "traffic-congestion") == []


def test_a_car_that_gets_home_is_announced_and_counted(browser: Any) -> None:
    """The sheet of a Go says who will score, and after the tap the meter shows the score."""
    actions = (
        {"move": "enter", "lane": "north1>A"},
        {"move": "enter", "lane": "north1>A"},
        {"move": "signal", "lane": "north1>A", "to": "A>north1"},
        {"move": "enter", "lane": "east1>B"},
    )
    with BrowserTable(browser, begun(*actions)) as table:
        ann = table.seat(0)
        sheet = tap(ann, "north1_A")
        assert "Ann scores 1." in sheet.inner_text()
        sheet.get_by_role("button", name="Move, keep signal").click()
        ann.locator("meter[aria-label='Ann, blue cars home'][value='1']").wait_for()


def test_a_refused_end_shows_what_is_in_the_way(browser: Any) -> None:
    """If a signal can't point somewhere, the crossing path is highlighted and the reason is shown, both in view, and
    there is no button."""
    with BrowserTable(browser, begun(*RUSH)) as table:
        sheet = tap(table.seat(0), "north1_A")
        refused = sheet.locator("li[data-key='A>C']")
        refused.get_by_text("would cross the one from west1>A to A>B").wait_for()
        lit, barred = (
            refused.locator(f".signal.{kind} .curve").evaluate("path => getComputedStyle(path).stroke")
            for kind in ("crossed", "refused")
        )
        assert lit != barred
        assert refused.locator(".crossed .curve").bounding_box()["width"] > 20
        assert refused.get_by_role("button").count() == 0


@pytest.mark.parametrize(("board", "driving"), one_by_turns(("grid-2x2", "crossroads"), ("right", "left")))
def test_every_lane_fits_a_thumb(browser: Any, board: str, driving: str) -> None:
    """On phones and tablets each lane is a target of 44 px. On a phone that is 390 px wide, no target covers another,
    and tapping a car opens its lane."""
    entrances = {"crossroads": ("north1", "east1", "south1", "west1"), "grid-2x2": ("north1", "west1")}[board]
    full = [{"move": "enter", "lane": f"{gate}>A"} for gate in entrances for _ in range(5)]
    with BrowserTable(browser, begun(*full, board=board, driving=driving)) as table:
        page = table.seat(0)
        for screen in ({"width": 900, "height": 800}, PHONE):
            page.set_viewport_size(screen)
            sizes = page.eval_on_selector_all(".tap", SIZES)
            assert min(min(size) for size in sizes) >= 44, screen
        hits = page.evaluate(HIT)
        assert len(hits) == len(full)
        assert [hit for hit in hits if hit[1] != f"tap-{hit[0]}"] == []


def test_the_sheet_stands_beside_the_town(browser: Any) -> None:
    """On a wide screen all lanes stay visible next to the sheet, and the lane of the sheet is marked, whatever has the
    focus."""
    with BrowserTable(browser, begun()) as table:
        page = table.seat(0, DESKTOP)
        sheet = tap(page, "east1_B")
        for width in (900, 960, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            drawn = page.locator(".town").bounding_box()
            assert drawn["x"] + drawn["width"] <= sheet.bounding_box()["x"]
        page.evaluate("document.activeElement.blur()")
        chosen = page.locator(".tap[aria-expanded='true']")
        assert chosen.get_attribute("data-key") == "tap-east1_B"
        assert chosen.evaluate("tap => getComputedStyle(tap).outlineStyle") == "solid"
        table.web_table.table.submit(Seat(0), {"seat": 0, "move": "enter", "lane": "north1>A"}, None, None)
        wait_for_title(page, "Ben’s turn")
        assert chosen.count() == 1
        page.keyboard.press("Escape")
        page.locator(".tap[aria-expanded='false'][data-key='tap-east1_B']").wait_for()


@pytest.mark.parametrize("board", [pytest.param("crossroads", marks=pytest.mark.thorough), "grid-3x3"])
def test_nothing_scrolls_sideways(browser: Any, board: str) -> None:
    """Nothing scrolls horizontally at any size (unless the run is thorough, at a small and a large one), for a seat and
    for the big screen, even with an open sheet."""
    with BrowserTable(browser, begun(board=board, seats=4)) as table:
        seat = table.seat(0)
        for page in (table.screen(), seat):
            for size in or_if_thorough((SMALL, DESKTOP), (PHONE, {"width": 195, "height": 422})):
                page.set_viewport_size(size)
                assert page.evaluate(OVERFLOW_PX) <= 0, (size, page.url)
                assert page.locator(".streets").evaluate("(it) => it.scrollWidth - it.clientWidth") <= 0, size
        seat.set_viewport_size(SMALL)
        tap(seat, "north1_A")
        assert seat.evaluate(OVERFLOW_PX) <= 0


def test_the_keyboard_alone_plays(browser: Any) -> None:
    """Tab reaches every control. From the list, Enter opens a lane, Tab moves into its sheet, and Enter makes the
    move."""
    with BrowserTable(browser, begun()) as table:
        user = KeyboardUser(table.seat(0), "")
        user.check_tab_order()
        user.look_into("[data-key='tap-south1_C']")
        user.reach("details.lanes summary")
        user.press("Enter")
        user.open("details.lanes [data-key='row-south1_C'] button")
        user.act(""".sheet:popover-open button[value*='"enter"']""")
        wait_for_title(user.page, "Ben’s turn")


# Slow enough to be observed. Meanwhile the page gets no clicks, but it gets keys.
SLOWLY = "::view-transition-group(*) { animation-duration: 20s !important }"


def glides(page: Any, car: str) -> None:
    """Waits until this car is moving."""
    group = f"::view-transition-group(glide-{car})"
    page.wait_for_function("on => document.getAnimations().some(a => a.effect.pseudoElement === on)", arg=group)


def test_cars_glide_from_lane_to_lane(browser: Any) -> None:
    """If motion is allowed, cars drive to their new places on all phones, and back after an undo."""
    with BrowserTable(browser, begun(*RUSH)) as table:
        ann, ben = (table.seat(seat, reduced_motion="no-preference") for seat in (0, 1))
        for page in (ann, ben):
            page.add_style_tag(content=SLOWLY)
        ann.locator("[data-key='tap-west1_A']").press("Enter")
        ann.locator(".sheet:popover-open").get_by_role("button", name="Move, keep signal").press("Enter")
        for page in (ann, ben):
            page.locator(".car[data-key='A_B-1'][data-from='west1_A-1']").wait_for()
            glides(page, "west1_A-1")
        ben.get_by_role("button", name="Undo").press("Enter")
        for page in (ben, ann):
            page.locator(".car[data-key='west1_A-1'][data-from='A_B-1']").wait_for()
            glides(page, "A_B-1")
            assert page.complaints == []


def test_a_signal_turned_after_the_move_replaces_it(browser: Any) -> None:
    """If Ann turns her signal after it was recorded, her phone offers to replace the last move with the one that the
    table now shows."""
    with BrowserTable(browser, begun()) as table:
        table.web_table.table.observe(MatSeen(t=0, mat="MAT-TC"))
        table.web_table.table.observe(tile("west1>A", 90))
        table.web_table.table.observe(tile("west1>A", 0, t=2))
        ann = table.seat(0)
        sentence = "Change the last move: Ann places a signal from west1>A to A>north1."
        ann.get_by_role("button", name=sentence, exact=True).click()
        ann.locator(".accept").wait_for(state="detached")
        assert seen(table.web_table).state["signals"] == {"west1>A": "A>north1"}
        assert ann.complaints == []


def test_a_component_without_a_place_can_be_ignored(browser: Any) -> None:
    """If two signals are in places where none belongs and one of them is ignored, the other is still reported."""
    with BrowserTable(browser, begun()) as table:
        table.web_table.table.observe(MatSeen(t=0, mat="MAT-TC"))
        x, y = (sum(values) / 4 for values in zip(*mat_of().zone("west1>A").polygon, strict=True))
        for number in (1, 2):
            beside = replace(tile("west1>A", 90, number), mm=(x, y + 30 * number), zone=None)
            table.web_table.table.observe(beside)
        ann = table.seat(0)
        ignore = ann.get_by_role("button", name="Ignore")
        assert ignore.count() == 2
        ignore.first.click()
        ann.wait_for_function("() => document.querySelectorAll('[name=ignore]').length === 1")
        assert len(seen(table.web_table).tabletop.discrepancies) == 1
        assert ann.complaints == []


def test_people_without_cubes_can_say_so(browser: Any) -> None:
    """If no cube was ever seen, a phone asks for the first car and lets people say that the table has no cubes: in the
    list of what to fix, and already while nothing lies on the mat."""
    for is_bare in (True, False):
        with BrowserTable(browser, begun(*RUSH[:3])) as table:
            table.web_table.table.observe(MatSeen(t=0, mat="MAT-TC"))
            if not is_bare:
                table.web_table.table.observe(tile("west1>A", 90))
            table.web_table.table.observe(TokensCounted(t=1, place="west1>A", tokens={}, certainty="certain"))
            ann = table.seat(0)
            if is_bare:
                ann.get_by_text("The camera doesn’t see the game yet").click()
            ann.get_by_text("Put 1 blue car and 1 red car in").wait_for()
            ann.get_by_role("button", name="Stop counting cubes").click()
            ann.locator("[name=ignore][value=tokens]").wait_for(state="detached")
            assert not [each for each in seen(table.web_table).tabletop.discrepancies if each.fix.act == "count"]
            assert ann.complaints == []


@pytest.mark.parametrize("players", thorough_except([2, 3, 4], 4))
def test_no_usual_name_beside_a_score_is_broken_within_a_word(browser: Any, players: int) -> None:
    """On phones and on a desktop, words of up to 9 letters stay on one line; with two players, of up to 11 letters."""
    names = ("Maximiliane" if players == 2 else "Companion", "Katharina", "Ann", "Sebastian")[:players]
    scene = PageScene(
        "names",
        "Names",
        partial(played, "traffic-congestion", after(players + 2), seats=players, names=names),
        (PageState("mine", "", who="turn"), PageState("table", "", "/table", "guest")),
        game="traffic-congestion",
    )
    page = new_page(browser)
    with opened(browser, scene, page) as open_page:
        for page_state in scene.page_states:
            open_page(page_state, "phone")
            for width, height in ((360, 640), (390, 844), (1000, 700), (1280, 800)):
                page.set_viewport_size({"width": width, "height": height})
                lines = page.evaluate(LINES_BY_NAME)
                assert len(lines) == players
                assert all(count == 1 for count in lines.values()), (page_state.path, width, lines)
    page.context.close()
