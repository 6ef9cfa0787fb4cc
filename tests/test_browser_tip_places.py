"""The places of the tips of a first game, in a real browser: none of them covers what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.view import View
from companion.text.translation import Translator
from tests.browser import CHROMIUM, DESKTOP, PHONE, new_page
from tests.keyboard_user import KeyboardUser
from tests.page_states import Until, played
from tests.repetitions import is_thorough, one_by_turns
from tests.systems_failing_tables import seen
from tests.web_table import WebTable, served
from web.templating.game_pages import page_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
SIZES = (PHONE, {"width": 360, "height": 640})
LOCALES = ("de-DE", "es-ES", "en-US")
TIP = "#first-game-tips .tip"
NEEDED = (
    ".turn h1, .alert, .holder, .counts p, .pool, .meter-card, fieldset.hand, .score, .key"
    ", .spot.house.owned, .dock .action, .small-actions button, .sheet:popover-open :is(h2, button, a)"
)
"""What players need for their turn, or for a choice in an open sheet."""
COVERED = """([tip, others]) => {
    const sheet = document.querySelector(".sheet:popover-open");
    const at = document.querySelector(tip).getBoundingClientRect();
    return [...document.querySelectorAll(others)].filter((element) => {
        if (!element.checkVisibility() || (sheet && !sheet.contains(element))) return false;
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return left < at.right - 1 && right > at.left + 1 && top < at.bottom - 1 && bottom > at.top + 1;
    }).map((element) => `${element.getAttribute("class")} ${element.textContent.trim().slice(0, 20)}`);
}"""
"""Which of these elements the tip covers. Behind an open sheet, nothing is needed."""
LINES = "(text) => Math.round(text.scrollHeight / parseFloat(getComputedStyle(text).lineHeight))"
NEXT_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def at_first_turn(view: View) -> bool:
    return isinstance(view.turn, int) and not view.choices.pause_label and bool(view.choices.legal)


def at_turn_with_hints(view: View) -> bool:
    """Whether it is a player's first turn, after a hint about this player's hand."""
    if not isinstance(view.turn, int) or any(entry.seat == view.turn for entry in view.log):
        return False
    return any(card["color"] or card["rank"] for card in view.position.to_json()["knowledge"][view.turn])


CASES: Mapping[str, tuple[str, int, Until, str]] = {
    **{name: (name, GAMES[name].rules.seats[0], at_first_turn, "") for name in GAMES},
    "system-won-hints": ("system-won", 3, at_turn_with_hints, "specify"),
    "system-won-hints-three-hands": ("system-won", 4, at_turn_with_hints, "specify"),
    "commute-five-homes": ("commute", 5, at_first_turn, ""),
}
"""The game, the number of players, the condition when they stop, and the moves that they prefer."""
SIMPLER_CASES = ("commute", "system-won", "system-won-hints")
"""Cases that only a thorough run checks. Each other run checks a case of the same game with more players, and less
room."""


@pytest.mark.parametrize(
    ("case", "locale"),
    one_by_turns([case for case in CASES if is_thorough() or case not in SIMPLER_CASES], LOCALES),
)
def test_no_tip_covers_what_it_is_about(browser: Any, case: str, locale: str) -> None:
    """On phones of two sizes, a tip covers nothing that it points at or asks people to tap, and nothing that the turn
    needs: hands, hint marks, cubes, meters, scores, homes, the map key, the dock’s buttons, and the heading and the
    buttons of an open sheet. The others have no phone, or somebody has just taken a seat, which an alert says. On the
    smaller phone, no tip has more than two lines. Unless the run is thorough, each case is checked in one language, by
    turns."""
    name, seats, when, prefers = CASES[case]
    table = played(name, when, seats=seats, prefers=prefers)
    table.set_phones_only(phones_only=True)
    web_table, tips = WebTable(table), page_of(GAMES[name]).first_game_tips
    with served(web_table) as server:
        page = new_page(browser, PHONE, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        page.set_extra_http_headers({"Accept-Language": locale})
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        if prefers:
            web_table.lobby.join(None, web_table.lobby.code, (turn + 1) % seats, "")
        page.goto("/play")
        assert page.locator(".alert").count() == bool(prefers)
        for n, tip in enumerate(tips):
            if "popover-open" not in tip.target:
                page.keyboard.press("Escape")
            page.evaluate(f"localStorage.setItem('coach-{name}', {n}); dispatchEvent(new Event('storage'))")
            text = page.locator(f"{TIP} p", has_text=Translator(locale[:2]).gettext(tip.text))
            page.evaluate(NEXT_FRAMES)
            if not page.locator(tip.target).locator("visible=true").count():
                assert "end_turn" in tip.target, "only the tip to end the turn waits for what it points at"
                continue
            for size in SIZES:
                page.set_viewport_size(size)
                page.evaluate(NEXT_FRAMES)
                text.wait_for()
                needed = ", ".join(filter(None, (NEEDED, tip.target, tip.tap)))
                assert page.evaluate(COVERED, [TIP, needed]) == [], (locale, size, n)
            assert text.evaluate(LINES) <= 2, (locale, n)
            if tip.tap:
                page.locator(tip.tap).locator("visible=true").first.click()
        assert page.complaints == []
        page.context.close()


def test_a_tip_is_near_what_it_is_about(browser: Any) -> None:
    """On a desktop, the tip about a button in the right column is beside this column, not at the other edge of the
    window."""
    table, name = played("systems-failing", at_first_turn), "systems-failing"
    web_table = WebTable(table)
    with served(web_table) as server:
        page = new_page(browser, DESKTOP, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        page.evaluate(f"localStorage.setItem('coach-{name}', 1); dispatchEvent(new Event('storage'))")
        page.locator(f"{TIP} .count", has_text="2/3").wait_for()
        tip, button = page.locator(TIP).bounding_box(), page.locator(".dock [value*='scavenge']").bounding_box()
        assert button["x"] - tip["x"] - tip["width"] < 200
        page.context.close()
