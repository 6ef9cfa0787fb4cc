"""The places of the tips of a first game, in a real browser: none of them covers what it is about."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games import GAMES
from companion.games.view import View
from companion.text.translation import Translator
from tests.browser import CHROMIUM, PHONE, new_page
from tests.keyboard_user import KeyboardUser
from tests.page_states import Until, played
from tests.systems_failing_tables import seen
from tests.web_table import WebTable, served
from web.templating.game_pages import page_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
SIZES = (PHONE, {"width": 360, "height": 640})
LOCALES = ("en-US", "de-DE", "es-ES")
TIP = "#first-game-tips .tip"
BOARD = ".turn, .alert, .holder, .pool, fieldset.hand, .score"
DOCK = ".dock .actions, .small-actions button"
IN_SHEET = ".sheet:popover-open :is(button, a)"
COVERED = """([tip, target, others]) => {
    const sheet = document.querySelector(".sheet:popover-open");
    const at = document.querySelector(tip).getBoundingClientRect();
    return [...document.querySelectorAll(`${target}, ${others}`)].filter((element) => {
        if (!element.checkVisibility() || (sheet && !sheet.contains(element))) return false;
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return left < at.right - 1 && right > at.left + 1 && top < at.bottom - 1 && bottom > at.top + 1;
    }).map((element) => `${element.getAttribute("class")} ${element.textContent.trim().slice(0, 20)}`);
}"""
"""What the tip covers: of everything that it can point at, and of what players need for their turn. Behind an open
sheet, nothing is needed."""
NEXT_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def at_first_turn(view: View) -> bool:
    return isinstance(view.turn, int) and not view.choices.pause_label and bool(view.choices.legal)


def at_turn_with_hints(view: View) -> bool:
    """Whether it is a player's first turn, after a hint about this player's hand."""
    if not isinstance(view.turn, int) or any(entry.seat == view.turn for entry in view.log):
        return False
    return any(card["color"] or card["rank"] for card in view.position.to_json()["knowledge"][view.turn])


@pytest.mark.parametrize(
    ("name", "seats", "when", "prefers", "decisive"),
    [
        *(
            pytest.param(name, GAMES[name].rules.seats[0], at_first_turn, "", f"{BOARD}, {DOCK}", id=name)
            for name in GAMES
        ),
        pytest.param("system-won", 3, at_turn_with_hints, "specify", BOARD, id="system-won-hints"),
    ],
)
def test_no_tip_covers_what_it_is_about(
    browser: Any, name: str, seats: int, when: Until, prefers: str, decisive: str
) -> None:
    """On phones of two sizes and in three languages, while the other players have no phone: a tip covers nothing that
    it can point at, and neither hands, hint marks, cubes and scores nor the dock's buttons. With hint marks below three
    hands, System WON has no room for a tip, except over the dock."""
    table = played(name, when, seats=seats, prefers=prefers)
    table.set_phones_only(phones_only=True)
    web_table, tips = WebTable(table), page_of(GAMES[name]).first_game_tips
    with served(web_table) as server:
        page = new_page(browser, PHONE, first_game=True, base_url=f"http://127.0.0.1:{server.port}")
        turn = seen(table).turn
        assert isinstance(turn, int)
        KeyboardUser(page, web_table.lobby.code).sit(turn)
        for locale in LOCALES:
            page.set_extra_http_headers({"Accept-Language": locale})
            page.goto("/play")
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
                    covered = page.evaluate(COVERED, [TIP, tip.target, f"{decisive}, {IN_SHEET}"])
                    assert covered == [], (locale, size, n)
                if tip.tap:
                    page.locator(tip.tap).locator("visible=true").first.click()
        assert page.complaints == []
        page.context.close()
