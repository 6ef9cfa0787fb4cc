"""A player leaves, the companion plays, and the player comes back, all in a real browser."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.companion_player import HANDS_PAUSE_S, UNDO_PAUSE_S, CompanionPlayer
from companion.table.table import Table
from tests.browser import new_page
from tests.off_screen import SIZES, hidden
from tests.repetitions import thorough_except
from tests.systems_failing_tables import SEED, seen
from tests.test_accessibility import complaints
from tests.web_table import WebTable, new_web_table, served

pytestmark = pytest.mark.browser


def test_a_player_leaves_and_comes_back(browser: Any) -> None:
    """A player hands their seat over with the button below the log. The phone shows what the companion does without a
    reload, and one tap takes the seat back. axe finds nothing wrong on this page and on the host page."""
    now = [0.0]
    web_table = WebTable(Table(Journal(None), lambda: now[0]))
    web_table.table.start("system-won", 2, {"roles": "none"}, {}, ("Ann", "Bob"), SEED)
    web_table.table.set_phones_only(phones_only=True)
    player = CompanionPlayer(web_table.table, lambda: now[0], Random(1))
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        ann, host = new_page(browser), new_page(browser)
        ann.goto(f"{address}/join?code={web_table.lobby.code}")
        ann.get_by_role("button", name="Ann").click()
        ann.locator("details.leave summary").click()
        wrong = complaints(ann)
        ann.get_by_role("button", name="Let the companion play: easy").click()
        ann.get_by_role("heading", name="The companion plays for you").wait_for()
        wrong += complaints(ann)

        player.step()
        now[0] += UNDO_PAUSE_S
        player.step()
        assert seen(web_table.table).turn == 1
        ann.get_by_role("heading", level=1, name="Bob’s turn").wait_for()

        host.goto(f"{address}/host?key={web_table.lobby.host_key}")
        host.get_by_label("Let the companion play for Bob").click()
        wrong += complaints(host)
        ann.get_by_role("button", name="I’m back").click()
        ann.get_by_role("heading", name="The companion plays for you").wait_for(state="detached")
        assert web_table.table.companion_seats == {}
        assert wrong == []


def test_what_to_do_for_the_companion_is_in_view(browser: Any) -> None:
    """What people must do for the companion is shown above the board, on small phones too. Everything that players need
    for their turn is still in view."""
    now = [0.0]
    web_table = WebTable(Table(Journal(None), lambda: now[0]))
    web_table.table.start("traffic-congestion", 2, {}, {}, ("Ann", "Bob"), SEED, companions={1: "careful"})
    player = CompanionPlayer(web_table.table, lambda: now[0], Random(1))
    web_table.table.submit(Seat(0), move_json.to_json(seen(web_table.table, Seat(0)).choices.legal[0]))
    player.step()
    now[0] += HANDS_PAUSE_S
    player.step()
    with served(web_table) as server:
        page = new_page(browser)
        page.goto(f"http://127.0.0.1:{server.port}/join?code={web_table.lobby.code}")
        page.get_by_role("button", name="Ann").click()
        page.get_by_role("heading", name="Do this for Bob").wait_for()
        for size in SIZES:
            page.set_viewport_size(size)
            page.evaluate("new Promise(requestAnimationFrame)")
            alert, board = (page.locator(name).bounding_box() for name in (".instructions", ".board"))
            assert 0 < alert["y"] + alert["height"] <= board["y"], size
        assert hidden(page, "traffic-congestion") == []


@pytest.mark.parametrize("locale", thorough_except(["en-US", "de-DE", "es-ES"], "de-DE"))
def test_the_dock_of_a_seat_that_was_handed_over_has_one_full_row(browser: Any, locale: str) -> None:
    """In Systems Failing, the button to take the seat back, Undo and Redo share a row from edge to edge, and their
    texts fit."""
    web_table = new_web_table()
    web_table.table.set_phones_only(phones_only=True)
    with served(web_table) as server:
        page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}", locale=locale)
        page.goto(f"/join?code={web_table.lobby.code}")
        page.locator("button[name=seat][value='0']").click()
        web_table.lobby.hand_over(0, "careful")
        page.locator("[name=take-back]").wait_for()
        for size in SIZES:
            page.set_viewport_size(size)
            buttons = page.locator(".dock button")
            question = page.locator(".dock .question").bounding_box()
            boxes = [each.bounding_box() for each in buttons.all()]
            assert len(boxes) == 3
            assert len({box["y"] for box in boxes}) == 1
            assert boxes[0]["x"] == question["x"]
            assert boxes[2]["x"] + boxes[2]["width"] == pytest.approx(question["x"] + question["width"])
            assert buttons.evaluate_all("(all) => all.every((it) => it.scrollWidth <= it.clientWidth)")
        page.context.close()
