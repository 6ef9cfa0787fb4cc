"""The tips of a first game in a real browser, on a small phone: each tip shows beside what it points at, and ends when
somebody does what it says."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from companion.games import GAMES, move_json
from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.moves import Enter, Signal
from companion.games.view import View
from companion.table.table import Table
from companion.text.translation import Translator
from tests.browser import CHROMIUM, PHONE, new_page
from tests.keyboard_user import KeyboardUser
from tests.page_states import LANGUAGES, LOOKS, PageScene, PageState, opened, played, with_tile_turned
from tests.repetitions import thorough_except
from tests.running_service import until
from tests.systems_failing_tables import seen
from tests.web_table import WebTable, served
from web.templating.game_pages import page_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
PHONE_360 = {"width": 360, "height": 640}
TIP = "#first-game-tips .tip"
NEXT_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
COVERED = """(tip) => {
    const at = document.querySelector(tip).getBoundingClientRect();
    const sheet = document.querySelector(".sheet:popover-open");
    const decisive = [...document.querySelectorAll(".turn, .alert, .holder, .pool, .score, .dock .actions")];
    return decisive.filter((element) => {
        if (sheet && !sheet.contains(element)) return false;
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return left < at.right && right > at.left && top < at.bottom && bottom > at.top;
    }).map((element) => element.className);
}"""
"""The elements that players need for their turn and that the tip covers. Behind an open sheet, nothing is needed."""


def at_first_turn(view: View) -> bool:
    return isinstance(view.turn, int) and not view.choices.pause_label and bool(view.choices.legal)


def begun(name: str) -> Table:
    return played(name, at_first_turn, seats=GAMES[name].rules.seats[0])


def shown(page: Any, text: str) -> Any:
    """Waits for the step with this text. Checks that its tip is on the screen and does not cover what it points at."""
    page.locator(f"{TIP} p", has_text=text).wait_for()
    tip, ring = (page.locator(f"#first-game-tips .{part}").bounding_box() for part in ("tip", "ring"))
    assert tip["x"] >= 0
    assert tip["y"] >= 0
    assert tip["x"] + tip["width"] <= page.viewport_size["width"]
    assert tip["y"] + tip["height"] <= page.viewport_size["height"]
    assert tip["y"] >= ring["y"] + ring["height"] or tip["y"] + tip["height"] <= ring["y"], "it covers its target"
    return ring


def make(table: Table, kind: type[Move], *, at_table: bool = False) -> None:
    """Makes a legal move of this kind for the seat in turn. `at_table`: the move is made with the components, not on a
    phone."""
    turn = seen(table).turn
    assert isinstance(turn, int)
    view = seen(table, turn)
    move = next(move for move in view.choices.legal if isinstance(move, kind))
    table.submit(None if at_table else Seat(turn), move_json.to_json(move))


@pytest.mark.parametrize("name", thorough_except([*GAMES], "commute"))
def test_the_first_turn_is_guided(browser: Any, name: str) -> None:
    """Taps and moves lead from step to step. A reload shows the same step or, if it closes what the second tip points
    at, the first tip again. The last move ends the guide for good, until somebody wants it again."""
    table = begun(name)
    web_table, steps = WebTable(table), page_of(GAMES[name]).first_game_tips
    with served(web_table) as server:
        page = new_page(browser, PHONE_360, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        shown(page, steps[0].text)
        page.reload()
        shown(page, steps[0].text)
        if steps[0].tap:
            page.locator(steps[0].tap).locator("visible=true").first.click()
            page.locator(TIP, has_text=steps[0].text).wait_for(state="hidden")
        if name in ("commute", "traffic-congestion"):  # the second tip points at what the first one opens
            shown(page, steps[1].text)
            page.reload()
            shown(page, steps[0].text)
            page.locator(steps[0].tap).locator("visible=true").first.click()
            shown(page, steps[1].text)
        if name == "commute":
            page.locator(".map .stop:visible").first.click()
            shown(page, steps[2].text)
        page.keyboard.press("Escape")
        others = new_page(browser, PHONE_360, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        KeyboardUser(others, web_table.lobby.code).sit(1 - turn)
        others.evaluate(NEXT_FRAMES)
        assert not others.locator(TIP).is_visible(), "it is not their turn"
        others.context.close()
        make(table, steps[-1].moves[0], at_table=True)
        until(lambda: page.evaluate(f"localStorage.getItem('coach-{name}')") == f"{len(steps)}", "the end of the guide")
        assert not page.locator(TIP).is_visible()
        if GAMES[name].text.guidebook_file:
            page.locator(".rule-button").click()
            page.get_by_role("button", name="Show tips").click()
            assert page.evaluate(f"localStorage.getItem('coach-{name}')") == "0"
            version = page.locator("#page").get_attribute("data-mark")
            table.refresh()
            until(lambda: page.locator("#page").get_attribute("data-mark") != version, "the next page")
            assert page.evaluate(f"localStorage.getItem('coach-{name}')") == "0", "moves made before don’t count"
        assert page.complaints == []
        page.context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*GAMES])
def test_a_tip_leaves_in_view_what_decides_the_turn(browser: Any, name: str) -> None:
    """On a small phone, with German's long words, no tip covers whose turn it is, the players' hands and cubes, the
    scores of Traffic Congestion, or the moves. `tests/test_browser_tip_places.py` has a shorter version."""
    table = begun(name)
    web_table, steps = WebTable(table), page_of(GAMES[name]).first_game_tips
    with served(web_table) as server:
        page = new_page(browser, PHONE_360, first_game=True, base_url=f"http://127.0.0.1:{server.port}", locale="de-DE")
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        for n, step in enumerate(steps):
            page.evaluate(f"localStorage.setItem('coach-{name}', {n}); dispatchEvent(new Event('storage'))")
            page.evaluate(NEXT_FRAMES)
            if page.locator(step.target).locator("visible=true").count():
                shown(page, Translator("de").gettext(step.text))
                assert page.evaluate(COVERED, TIP) == []
        page.context.close()


@pytest.mark.parametrize("locale", thorough_except(["en-US", "de-DE", "es-ES"], "es-ES"))
def test_a_tip_leaves_undo_and_redo_in_view(browser: Any, locale: str) -> None:
    """In Traffic Congestion, the tips point at the whole board. With everybody’s phone there, they have room between
    the board and the buttons below it, even on a small phone."""
    scene = PageScene("first", "", lambda: begun("traffic-congestion"), (), game="traffic-congestion")
    page = new_page(browser, PHONE_360, first_game=True)
    with opened(browser, scene, page) as open_page:
        open_page(PageState("mine", ""), "phone")
        page.set_viewport_size(PHONE_360)
        page.set_extra_http_headers({"Accept-Language": locale})
        for n in (0, 2):
            page.evaluate(f"localStorage.setItem('coach-traffic-congestion', {n})")
            page.reload()
            page.locator(TIP).wait_for()
            tip = page.locator(TIP).bounding_box()
            buttons = [each.bounding_box() for each in page.locator(".small-actions button").all()]
            assert len(buttons) == 2
            assert all(tip["y"] + tip["height"] <= button["y"] for button in buttons)
    page.context.close()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("size", "locale"),
    [
        pytest.param(PHONE_360, "en-US", id="small-english"),
        pytest.param(PHONE_360, "de-DE", id="small-german"),
        pytest.param(PHONE, "en-US", id="large-english"),
        pytest.param(PHONE, "de-DE", id="large-german"),
    ],
)
def test_a_tip_covers_no_hand_of_three_players(browser: Any, size: dict[str, int], locale: str) -> None:
    """In System WON, where the tips talk about hands, no tip covers any player's hand or whose turn it is. A shorter
    version, with four players, is in `tests/test_browser_tip_places.py`."""
    table = played("system-won", at_first_turn, seats=3)
    web_table, steps = WebTable(table), page_of(GAMES["system-won"]).first_game_tips
    with served(web_table) as server:
        page = new_page(browser, size, first_game=True, base_url=f"http://127.0.0.1:{server.port}", locale=locale)
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        for n, step in enumerate(steps):
            page.evaluate(f"localStorage.setItem('coach-system-won', {n}); dispatchEvent(new Event('storage'))")
            page.evaluate(NEXT_FRAMES)
            shown(page, Translator(locale[:2]).gettext(step.text))
            assert page.evaluate(COVERED, TIP) == []
        page.context.close()


@pytest.mark.parametrize(
    ("size", "look"),
    thorough_except([*product((PHONE_360, PHONE), LANGUAGES)], (PHONE_360, "phone-german"), (PHONE, "phone-spanish")),
)
def test_no_tip_covers_what_to_fix_on_the_table(browser: Any, size: dict[str, int], look: str) -> None:
    """In Traffic Congestion, a signal on the table points where it should not. The tip leaves the instruction to turn
    it in view, and the scores too. On a small phone, which may have no room for it, it waits until the signal is
    turned."""
    scene = PageScene(
        "turned",
        "A signal was turned",
        lambda: with_tile_turned(played("traffic-congestion", at_first_turn, seats=2)),
        (PageState("mine", ""),),
        game="traffic-congestion",
    )
    steps = page_of(GAMES["traffic-congestion"]).first_game_tips
    page = new_page(browser, size, first_game=True)
    with opened(browser, scene, page) as open_page:
        open_page(scene.page_states[0], look)
        page.set_viewport_size(size)
        page.locator(".alert.discrepancies").wait_for()
        if size == PHONE_360:
            page.evaluate(NEXT_FRAMES)
            assert not page.locator(TIP).is_visible() or page.evaluate(COVERED, TIP) == []
            page.evaluate("document.querySelector('.alert.discrepancies').remove()")
        shown(page, Translator(LOOKS[look].get("locale", "en")[:2]).gettext(steps[0].text))
        assert page.evaluate(COVERED, TIP) == []
    page.context.close()


def test_ending_the_turn_is_a_step_only_where_nothing_else_can_be_done(browser: Any) -> None:
    """In Systems Failing the tip to end the turn does not cover Repair, Scavenge and Take while they can be used. It
    appears once they are gone."""
    table = begun("systems-failing")
    web_table, last = WebTable(table), page_of(GAMES["systems-failing"]).first_game_tips[-1]
    with served(web_table) as server:
        page = new_page(browser, PHONE_360, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        page.evaluate("localStorage.setItem('coach-systems-failing', 2)")
        page.reload()
        page.locator(".dock [value*='end_turn']").locator("visible=true").wait_for()
        page.evaluate(NEXT_FRAMES)
        assert not page.locator(TIP).is_visible()
        page.evaluate("""
            document.querySelectorAll(".dock button[value*=move]").forEach((button) => {
                if (!button.value.includes("end_turn")) button.remove();
            })
        """)
        shown(page, last.text)
        assert page.complaints == []
        page.context.close()


def test_the_guide_is_skipped_by_keyboard_and_brought_back_in_the_settings(browser: Any) -> None:
    """Skip precedes the page in tab order. It also ends the tips in other browser tabs. The settings bring them
    back."""
    table = begun("system-won")
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser, PHONE_360, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        KeyboardUser(page, web_table.lobby.code).sit(0)
        shown(page, page_of(GAMES["system-won"]).first_game_tips[0].text)
        other_tab = page.context.new_page()
        other_tab.goto(page.url)
        other_tab.locator(TIP).wait_for()
        page.locator(TIP).get_by_role("button", name="Skip").focus()
        page.keyboard.press("Enter")
        page.locator(TIP).wait_for(state="hidden")
        assert page.evaluate("document.activeElement.id") == "page", "the focus is lost"
        other_tab.locator(TIP).wait_for(state="hidden")
        page.goto("/settings")
        page.get_by_role("button", name="Show tips again").click()
        page.goto("/play")
        shown(page, page_of(GAMES["system-won"]).first_game_tips[0].text)
        assert page.complaints == []
        page.context.close()


def test_adding_a_car_does_not_end_the_guide(browser: Any) -> None:
    """In Traffic Congestion, adding a car does not end the tips: in the next turn, the player is told about signals."""
    table = begun("traffic-congestion")
    web_table, tips = WebTable(table), page_of(GAMES["traffic-congestion"]).first_game_tips
    with served(web_table) as server:
        page = new_page(browser, PHONE_360, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        shown(page, tips[0].text)
        make(table, Enter)
        make(table, Enter)
        assert seen(table).turn == turn
        shown(page, tips[2].text)
        make(table, Signal)
        page.locator(TIP).wait_for(state="hidden")
        page.context.close()


@pytest.mark.parametrize("name", thorough_except([*GAMES], "traffic-congestion"))
def test_the_keyboard_goes_round_a_page_with_a_tip(browser: Any, name: str) -> None:
    """On a small phone, no tip covers what has the focus, and every control can be reached without a pointer."""
    table = begun(name)
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser, PHONE_360, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        turn = seen(table).turn
        assert isinstance(turn, int)
        user = KeyboardUser(page, web_table.lobby.code)
        user.sit(turn)
        page.locator(TIP).wait_for()
        user.check_tab_order()
        assert page.complaints == []
        page.context.close()
