"""The host's page before the first game: it asks two things, and the button that starts the game covers nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from companion.games import GAMES
from companion.match.journal import Journal
from companion.table.table import Table
from tests.browser import CHROMIUM, DESKTOP, new_page
from tests.web_table import WebTable, served, unwrapped

COVERED = """
    const start = document.querySelector("button.start").getBoundingClientRect();
    return [...document.querySelectorAll("form input, form select, form summary, form legend")].filter((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const isApart = right <= start.left || left >= start.right || bottom <= start.top || top >= start.bottom;
        return element.checkVisibility() && !isApart;
    }).map((element) => element.name || element.textContent);
"""


@pytest.mark.parametrize("name", [*GAMES])
def test_the_first_start_asks_two_questions(name: str) -> None:
    """The form of the first start asks who plays and, if the game has a mat, with what. Everything else is under "More
    options", which is closed."""
    page = unwrapped(WebTable(Table(Journal(None))).host().get(f"/host?game={name}").text)
    form, more = page.split('<details class="more"')[:2]
    questions = ["Who’s playing"] + ["What you play with"] * bool(GAMES[name].physical.components.mat)
    assert re.findall(r"<legend>(.*?)</legend>", form) == questions
    assert not more.split(">")[0].endswith(" open")


def test_the_guidebook_and_the_preset_options_agree() -> None:
    """If a host chooses nothing, a game of Systems Failing has the options that the guidebook recommends for a first
    game."""
    page = unwrapped(WebTable(Table(Journal(None))).host().get("/host?game=systems-failing").text)
    preset = re.findall(r'name="option-(\w+)" value="(\w+)" checked', page)
    assert preset == [("difficulty", "easy"), ("side", "normal")]
    file = GAMES["systems-failing"].text.guidebook_file
    assert file
    advice = file.read_text().split('title = "Set up the table"')[1].split("[[step]]")[0]
    assert "“Easy” is preset" in advice
    assert "For your first game, use" not in advice


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_the_labels_of_the_seats_touch_nothing(browser: Any) -> None:
    """The labels of the seats touch nothing: there is some space between the number of players and the names."""
    web_table = WebTable(Table(Journal(None)))
    with served(web_table) as server:
        page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}")
        page.goto(f"/host?key={web_table.lobby.host_key}")
        page.goto("/host?game=system-won")
        number, label = page.locator("select[name=seats]").bounding_box(), page.locator(".pair label").first
        assert label.bounding_box()["y"] - number["y"] - number["height"] >= 8
        page.context.close()


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_the_start_button_covers_no_option(browser: Any) -> None:
    """At 1280 × 800, the start button covers nothing, wherever the page is scrolled and with all options open."""
    web_table = WebTable(Table(Journal(None)))
    with served(web_table) as server:
        page = new_page(browser, DESKTOP, base_url=f"http://127.0.0.1:{server.port}")
        page.goto(f"/host?key={web_table.lobby.host_key}")
        for name in GAMES:
            page.goto(f"/host?game={name}")
            assert page.locator("button.start").is_visible()
            for more in (False, True):
                if more:
                    page.locator("details.more > summary").click()
                for top in (0, 200, 5000):
                    page.evaluate("top => scrollTo(0, top)", top)
                    assert page.evaluate(f"() => {{ {COVERED} }}") == [], (name, more, top)
        assert page.complaints == []
        page.context.close()
