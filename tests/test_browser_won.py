"""System WON's page in a real browser: sheets that stay open while others act."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from companion.games.rules import Seat
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from tests.browser import CHROMIUM, PHONE, SMALL, new_page
from tests.off_screen import hidden
from tests.page_states import LANGUAGES, PageScene, PageState, Who, after, opened, played, with_companion
from tests.repetitions import is_thorough, one_by_turns, thorough_except
from tests.systems_failing_tables import seen
from tests.test_web_won import NAMES, won
from tests.web_table import WebTable
from web.server.http_server import serve

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

LINES_BY_NAME = """() => Object.fromEntries([...document.querySelectorAll(".holder .player")].map((name) => {
    const words = document.createRange();
    words.selectNodeContents(name);
    return [name.textContent, new Set([...words.getClientRects()].map((line) => line.top)).size];
}))"""
"""The number of lines of each name beside a hand."""

LOW_TARGETS = """() => [...document.querySelectorAll("main :is(button, summary, a)")].filter((target) => {
    const { width, height } = target.getBoundingClientRect();
    return target.checkVisibility({ visibilityProperty: true }) && width > 0 && height > 0 && height < 44;
}).map((target) => target.textContent.trim())"""
"""The visible targets that are too low for a thumb."""

CRAMPED_LABELS = """() => [...document.querySelectorAll(".dock :is(.action, .small-actions > *)")].filter((part) => {
    const isCutOff = part.scrollWidth > part.clientWidth || part.getBoundingClientRect().right > innerWidth;
    return part.checkVisibility() && (isCutOff || part.offsetHeight > 64);
}).map((part) => part.textContent.trim())"""
"""The parts of the dock whose text is cut off or takes more than three lines."""


class Served:
    """A table behind a real server."""

    def __init__(self, web_table: WebTable) -> None:
        self.web_table, self.server = web_table, serve(web_table.app, "127.0.0.1", 0)

    def seat(self, browser: Any, number: int) -> Any:
        page = new_page(browser)
        address = f"http://127.0.0.1:{self.server.port}"
        page.request.post(f"{address}/api/join", data={"code": self.web_table.lobby.code, "seat": number})
        page.goto(f"{address}/play")
        return page


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    made = Served(won(dealer=request.param))
    yield made
    made.server.close()


@pytest.mark.parametrize("served", thorough_except(["companion", "unseen"], "unseen"), indirect=True)
def test_a_sheet_stays_open_while_another_rearranges(browser: Any, served: Served) -> None:
    """Another player's act updates the page under an open sheet. The sheet stays open and the choice in it stays the
    same, but ticks are removed, because the cards may have changed places."""
    ann = served.seat(browser, 0)
    ann.get_by_role("button", name="Hint…").first.click()
    sheet = ann.locator(".sheet.hint-sheet:popover-open")
    sheet.locator(".said label").first.click()
    ticks = sheet.locator("input[type=checkbox]")
    if ticks.count():
        sheet.locator("label.tick").first.click()
        assert sheet.locator("input[type=checkbox]:checked").count() == 1
    served.web_table.table.submit(Seat(1), {"seat": 1, "move": "arrange", "order": [1, 0, 2, 3, 4]})
    ann.locator(f"main[data-version='{seen(served.web_table.table).version}']").wait_for()
    assert sheet.count() == 1
    assert sheet.locator(".said input:checked").count() == 1
    assert sheet.locator("input[type=checkbox]:checked").count() == 0
    assert ann.complaints == []


PHONES = (PHONE, SMALL, {"width": 390, "height": 664})


def within(page: Any, selector: str, top: float = 0, bottom: float | None = None) -> bool:
    """Whether all of these elements are between two heights of the window."""
    boxes = [found.bounding_box() for found in page.locator(f"{selector}:visible").all()]
    low = page.viewport_size["height"] if bottom is None else bottom
    return bool(boxes) and all(box["y"] >= top and box["y"] + box["height"] <= low + 1 for box in boxes)


@pytest.mark.parametrize("served", ["companion"], indirect=True)
def test_the_own_hand_stays_in_view_beside_discrepancies(browser: Any, served: Served) -> None:
    """Whose turn it is, the player's own cards with their marks, and the actions are visible together on any phone. The
    hand stays above the dock while the other hands scroll."""
    table = served.web_table.table
    said = seen(table, 2).state["hands"][0][0][1]
    for target in (1, 2):
        table.submit(Seat(target - 1), {"seat": target - 1, "move": "discard", "slot": 0})
    table.submit(Seat(2), {"seat": 2, "move": "specify", "target": 0, "rank": int(said)})
    table.observe(MatSeen(t=0, mat="MAT-SW"))
    table.observe(CardSeen(t=1, code="SW-SPEC1", zone="specifications", mm=(50, 30), angle=0, change="appeared"))
    assert len(seen(table).tabletop.discrepancies) == 2
    ann = served.seat(browser, 0)
    for size in PHONES:
        ann.set_viewport_size(size)
        ann.evaluate("scrollTo(0, 0)")
        dock = ann.locator(".dock").bounding_box()["y"]
        assert within(ann, ".turn h1")
        assert within(ann, ".discrepancies")
        assert not ann.locator(".instructions").is_visible(), "the same, said twice"
        for part in (".own .wcard", ".own .knowledge", ".own h2"):
            assert within(ann, part, bottom=dock), (part, size)
        assert within(ann, ".dock button")
        ann.evaluate("document.querySelector('.holder:not(.own):nth-child(2)').scrollIntoView({block: 'center'})")
        hand = ann.locator(".own").bounding_box()["y"]
        assert within(ann, ".holder:not(.own):nth-child(2) .wcard", bottom=hand), size
        assert within(ann, ".own .wcard", bottom=ann.locator(".dock").bounding_box()["y"]), size
        assert ann.evaluate("document.documentElement.scrollWidth") == size["width"]
    ann.set_viewport_size(PHONE)
    ann.evaluate("scrollTo(0, 0)")
    ann.locator(".own button.face").last.click()
    ann.keyboard.press("Escape")
    assert ann.evaluate("scrollY") == 0, "looking at one's own card has scrolled the page"
    assert ann.complaints == []


@pytest.mark.parametrize("served", ["companion"], indirect=True)
def test_what_is_tapped_is_large_enough_for_a_thumb(browser: Any, served: Served) -> None:
    """Everything that can be tapped is at least 44 pixels high, including links and unfolding sections, even with many
    discrepancies."""
    served.web_table.table.observe(MatSeen(t=0, mat="MAT-SW"))
    ann = served.seat(browser, 0)
    tapped = ann.locator("main :is(button, summary, a):visible")
    small = [one.inner_text() for one in tapped.all() if one.bounding_box()["height"] < 44]
    assert tapped.count() > 15
    assert small == []


@pytest.mark.parametrize("served", ["companion"], indirect=True)
def test_a_sheet_with_two_forms_keeps_both(browser: Any, served: Served) -> None:
    """The Engineer's sheet of another hand can specify and play, and an update changes neither form."""
    table = served.web_table.table
    table.start("system-won", 3, {"roles": "engineer,operations,technician"}, {}, NAMES, "e")
    engineer = seen(table).state["roles"].index("engineer")
    while (turn := seen(table).turn) != engineer:
        table.submit(Seat(int(turn)), {"seat": turn, "move": "discard", "slot": 0})
    page = served.seat(browser, engineer)
    page.locator(".holder:not(.own) button.face").first.click()
    sheet = page.locator(".sheet.hint-sheet:popover-open")
    other = (engineer + 1) % 3
    table.submit(Seat(other), {"seat": other, "move": "arrange", "order": [1, 0, 2, 3, 4]})
    page.locator(f"main[data-version='{seen(table).version}']").wait_for()
    assert sheet.locator(".confirm:visible").count() == 1
    sheet.get_by_role("radio", name=f"of {NAMES[other]}").first.check(force=True)
    assert seen(table).state["roles_used"] == []
    sheet.get_by_role("button", name=f"play it for {NAMES[other]}").click()
    page.locator(".sheet:popover-open").wait_for(state="detached")
    assert seen(table).state["roles_used"] == ["engineer"]
    assert page.complaints == []


@pytest.mark.parametrize("served", ["companion"], indirect=True)
def test_a_refusal_is_shown_above_its_sheet(browser: Any, served: Served) -> None:
    """A refusal is shown above the open sheet, which stays for another choice."""
    ann = served.seat(browser, 0)
    answer = {"error": {"code": "illegal_move", "message": "Not now."}}
    ann.route("**/api/moves", lambda route: route.fulfill(status=409, json=answer))
    ann.locator(".own button.face").first.click()
    ann.get_by_role("button", name="Discard it").click()
    ann.locator("#toast:popover-open", has_text="Not now.").wait_for()
    assert ann.locator(".sheet.mine:popover-open").count() == 1
    ann.locator("#toast").click()
    ann.locator("#toast").wait_for(state="hidden")


@pytest.mark.parametrize("served", ["companion"], indirect=True)
@pytest.mark.parametrize("locale", thorough_except(["en-GB", "de-DE", "es-ES"], "es-ES"))
def test_the_button_for_hints_covers_no_card(browser: Any, served: Served, locale: str) -> None:
    """On a phone the button is beside the cards, in each language."""
    page = new_page(browser, locale=locale)
    address = f"http://127.0.0.1:{served.server.port}"
    page.request.post(f"{address}/api/join", data={"code": served.web_table.lobby.code, "seat": 0})
    page.goto(f"{address}/play")
    button = page.locator(".hint-button").first
    box, card = button.bounding_box(), page.locator(".holder", has=button).locator(".face").first.bounding_box()
    assert box["x"] + box["width"] <= card["x"]
    assert button.evaluate("(button) => button.scrollWidth <= button.clientWidth")
    page.context.close()


@pytest.mark.parametrize("width", thorough_except([360, 390], 360))
def test_no_usual_name_is_broken_within_a_word(browser: Any, width: int) -> None:
    """Beside the cards on a phone, words of up to 11 letters stay on one line."""
    names = ("Ann", "Großmutter", "Maximiliane", "Companion")
    scene = PageScene(
        "names",
        "Names",
        partial(played, "system-won", after(0), seats=4, names=names),
        (PageState("mine", "", who="turn"), PageState("other", "", who="next")),
        game="system-won",
    )
    page = new_page(browser)
    with opened(browser, scene, page) as open_page:
        for page_state in scene.page_states:
            open_page(page_state, "phone")
            page.set_viewport_size({"width": width, "height": 844})
            lines = page.evaluate(LINES_BY_NAME)
            assert len(lines) == 3
            assert all(count == 1 for count in lines.values()), lines
    page.context.close()


LONG_NAMES = ("Großmutter", "Maximiliane", "Christopher", "Bartholomäus")
FOUR = partial(played, "system-won", seats=4, names=LONG_NAMES, options={"roles": "all"})
SEATS: tuple[Who, ...] = ("0", "1", "2", "3")


def undone(table: Table) -> Table:
    """The table after the last act was undone, so that it can be redone."""
    table.undo(None)
    return table


FOUR_PLAYERS = {
    "after two hints, beside the companion": PageScene(
        "hints", "", lambda: with_companion(FOUR(after(2), prefers="specify"), 0), (), empty={0: "free"}
    ),
    "with many hints": PageScene("many-hints", "", partial(FOUR, after(25), seed="25"), ()),
    "with two plays at once": PageScene("ability", "", partial(FOUR, after(6), prefers="ability"), ()),
    "after undo, with a phone offline": PageScene(
        "undone", "", lambda: undone(FOUR(after(14))), (), empty={1: "away", 2: "free"}
    ),
}
"""Games of four players with roles and long names."""
SHORT = ("with many hints", "after undo, with a phone offline")
"""The games that are checked unless the run is thorough."""


@pytest.mark.parametrize("name", thorough_except([*FOUR_PLAYERS], *SHORT))
def test_four_players_see_all_hands_at_once_on_a_phone(browser: Any, name: str) -> None:
    """Every seat sees the systems, the other three hands, its own, what hints said of each card, and the buttons,
    without scrolling, in every language. Everything that can be tapped is large enough for a thumb, and no label of a
    button is broken. Unless the run is thorough, this is checked at two seats."""
    page, found, scene = new_page(browser), [], FOUR_PLAYERS[name]
    seats = [each for each in SEATS if scene.empty.get(int(each)) is None][: None if is_thorough() else 2]
    with opened(browser, scene, page) as open_page:
        for seat, look in one_by_turns(seats, LANGUAGES if is_thorough() else LANGUAGES[:2]):
            open_page(PageState("four", "", who=seat), look)
            wrong = hidden(page, "system-won") + page.evaluate(LOW_TARGETS) + page.evaluate(CRAMPED_LABELS)
            found += [f"seat {seat}, {look}: {each}" for each in wrong]
    assert found == []
    assert page.complaints == []
    page.context.close()
