"""The page of the simulated table with mouse, keyboard and touch in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from companion.games import GAMES
from companion.tabletop.mat import Point
from tests.browser import CHROMIUM, DESKTOP, PHONE
from tests.running_service import RunningService, until

GAME = GAMES["systems-failing"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


class TablePage:
    """The page of the simulated table, and the table's state according to the server."""

    def __init__(self, page: Any, service: RunningService) -> None:
        self.page = page
        page.goto(service.host_link)
        page.goto(f"{service.address}/simulator")
        page.locator(".pile-top").first.wait_for()

    def state(self) -> Any:
        return self.page.evaluate("fetch('/simulator/state').then(answer => answer.json())")

    def px(self, mm: Point) -> Point:
        """The position on the screen of a place on the mat."""
        assert GAME.physical.components.mat
        box = self.page.locator("#mat").bounding_box()
        (x, y), (width, height) = mm, GAME.physical.components.mat.size
        return box["x"] + x / width * box["width"], box["y"] + y / height * box["height"]

    def only(self) -> Any:
        """The only component on the table; None if there is not exactly one."""
        lying = self.state()["on_mat"]
        return lying[0] if len(lying) == 1 else None

    def near(self, x: float, y: float) -> Any:
        """Waits until the only component is near this place, and returns it."""
        return until(
            lambda: (p := self.only()) and abs(p["x"] - x) < 8 and abs(p["y"] - y) < 8 and p, f"a card at {x}, {y}"
        )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with RunningService(tmp_path_factory.mktemp("table"), "--simulate") as running:
        yield running


def test_mouse_and_keys(service: RunningService, browser: Any) -> None:
    """The mouse drags the top card off its pile, the arrow keys move it, R rotates it, F flips it, and Delete puts it
    away."""
    context = browser.new_context(viewport=DESKTOP)
    table = TablePage(context.new_page(), service)
    page, mouse = table.page, table.page.mouse
    mouse.move(*table.px((389, 180)))
    mouse.down()
    mouse.move(*table.px((300, 150)))
    mouse.move(*table.px((160, 120)))
    mouse.up()
    component = table.near(160, 120)["code"]
    piece = page.locator(f".piece[data-key='{component}']")
    piece.focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowDown"):
        page.keyboard.press(key)
    table.near(170, 145)
    page.keyboard.press("r")
    until(lambda: table.only()["angle"] == 90, "a turn")
    page.keyboard.press("f")
    until(lambda: not table.only()["face_up"], "a flip")
    mouse.move(*table.px((170, 145)))
    mouse.down()
    mouse.move(*table.px((200, 200)))
    mouse.move(*table.px((230, 230)))
    mouse.up()
    assert table.near(230, 230)["code"] == component
    page.locator(f".piece[data-key='{component}']").focus()
    page.keyboard.press("Delete")
    until(lambda: not table.state()["on_mat"], "an empty table")
    context.close()


def test_a_card_by_name_and_a_cube(service: RunningService, browser: Any) -> None:
    """The search finds a card in its pile or says that there is none. A tap puts it on the table and selects it. A cube
    follows the mouse."""
    context = browser.new_context(viewport=DESKTOP)
    table = TablePage(context.new_page(), service)
    table.page.fill("#search", "no such card")
    table.page.locator("#box[data-none^='Nothing']").wait_for()
    table.page.fill("#search", "D07")
    table.page.get_by_role("button", name="Put D07 on the table").click()
    assert until(table.only, "the card")["code"] == "SF-D07"
    table.page.locator("#tokens [data-kind=red]").click()
    until(lambda: len(table.state()["tokens"]) == 1, "a cube")
    table.page.locator("#chosen:has-text('D07')").wait_for()
    table.page.get_by_role("button", name="Put away").click()
    until(lambda: not table.state()["on_mat"], "an empty table")
    table.page.locator(".token").focus()
    table.page.keyboard.press("Delete")
    until(lambda: not table.state()["tokens"], "no cubes")
    context.close()


def test_an_answer_overtaken_by_a_later_one(service: RunningService, browser: Any) -> None:
    """When a card is put on the table, it is selected, even if the answer to this action arrives after a later answer
    that already showed the card."""
    context = browser.new_context(viewport=DESKTOP)
    table = TablePage(context.new_page(), service)
    held: list[Any] = []
    table.page.route("**/simulator/do/put-near", lambda route: held.append((route, route.fetch())))
    table.page.fill("#search", "D07")
    table.page.get_by_role("button", name="Put D07 on the table").click()
    table.page.locator(".piece[data-key='SF-D07']").wait_for()
    [(route, answer)] = held
    route.fulfill(response=answer)
    table.page.locator("#chosen:has-text('D07')").wait_for()
    table.page.get_by_role("button", name="Put away").click()
    until(lambda: not table.state()["on_mat"], "an empty table")
    context.close()


def test_a_state_from_before_a_move_does_not_undo_it(service: RunningService, browser: Any) -> None:
    """A card moved by arrow keys stays there when an answer arrives that was asked for before the move."""
    context = browser.new_context(viewport=DESKTOP)
    table = TablePage(context.new_page(), service)
    table.page.evaluate("act('put', {code: 'SF-D01', x: 80, y: 100})")
    piece = table.page.locator(".piece[data-key='SF-D01']")
    piece.focus()
    held: list[Any] = []

    def hold_first(route: Any) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    table.page.route("**/simulator/state", hold_first)
    until(lambda: table.page.evaluate("1") and held, "a request that is held")
    table.page.keyboard.press("Shift+ArrowRight")
    [(route, answer)] = held
    with table.page.expect_response("**/simulator/state"):
        route.fulfill(response=answer)
    table.page.keyboard.press("Shift+ArrowDown")
    until(lambda: (card := table.only()) and card["y"] > 110, "the move")
    assert table.only()["x"] > 90
    table.page.evaluate("act('put-away', {code: 'SF-D01'})")
    until(lambda: not table.state()["on_mat"], "an empty table")
    context.close()


def test_a_finger(service: RunningService, browser: Any) -> None:
    """On a phone a card can be dragged by touch, and the page does not scroll while this happens. Links are large
    enough, and the page has a title for screen readers."""
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    table = TablePage(context.new_page(), service)
    assert table.page.get_by_role("heading", level=1).count() == 1
    sizes = table.page.locator(".bar a").evaluate_all("all => all.map(a => [a.offsetWidth, a.offsetHeight]).flat()")
    assert min(sizes) >= 44
    table.page.evaluate("act('put', {code: 'SF-D01', x: 80, y: 100})")
    table.page.locator(".piece").wait_for()
    table.near(80, 100)
    finger = context.new_cdp_session(table.page)
    path = [table.px((80, 100)), table.px((120, 140)), table.px((180, 220))]
    for kind, place in zip(("touchStart", "touchMove", "touchMove"), path, strict=True):
        points = [{"x": place[0], "y": place[1]}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    table.near(180, 220)
    assert table.page.evaluate("scrollY") == 0
    table.page.evaluate("act('put-away', {code: 'SF-D01'})")
    until(lambda: not table.state()["on_mat"], "an empty table")
    context.close()


def test_the_box_on_the_page(service: RunningService, browser: Any) -> None:
    """A game goes on with seat buttons and dial. The lamp of the seat in turn is lit, and the bars show the meters."""
    context = browser.new_context(viewport=DESKTOP)
    table = TablePage(context.new_page(), service)
    page = table.page
    game = {"game": "systems-failing", "options": {}, "dealers": {}, "players": ["Ann", "Bob"]}
    page.evaluate("body => fetch('/api/start', {method: 'POST', body: JSON.stringify(body),"
                  " headers: {'Content-Type': 'application/json'}})", game)  # fmt: skip
    page.locator(".seat[data-lamp=on]:has-text('1')").wait_for()
    page.get_by_role("button", name="Turn the dial right").click()
    page.locator("#dial-position:has-text('1 of')").wait_for()
    page.get_by_role("button", name="Push the dial").click()
    page.locator("#dial-position:empty").wait_for(state="attached")
    page.get_by_role("button", name="Seat 1: lamp on").click()
    page.locator(".seat[data-lamp=on]:has-text('2')").wait_for()
    assert page.locator("#bars p").all_inner_texts() == ["Stability 0", "Damage 0"]
    context.close()


BLINKING = """() => {
  for (const mode of ["recorded", "waiting", "discrepancy"]) lamp.insertAdjacentHTML("afterend",
    `<span class="lamp" data-mode="${mode}"><i></i></span><i class="seat" data-lamp="blinking"></i>
     <span class="bars"><i class="fix"></i></span>`);
  return document.getAnimations().length;
}"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_lamps_blink_unless_motion_is_reduced(service: RunningService, browser: Any, motion: str) -> None:
    """Lamps and bars of the simulated table blink, but not for people who have asked for reduced motion."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion=motion)
    page = context.new_page()
    page.goto(service.host_link)
    page.goto(f"{service.address}/simulator")
    assert (page.evaluate(BLINKING) > 0) == (motion == "no-preference")
    context.close()


def test_an_open_page_follows_to_the_next_game(service: RunningService, browser: Any) -> None:
    """When the next game starts and this browser may not see it, the page hides the last game. As soon as the browser
    may see the game, the page shows it."""
    context = browser.new_context(viewport=DESKTOP)
    page = TablePage(context.new_page(), service).page

    def post(path: str, body: object) -> None:
        assert page.request.post(service.address + path, data=body).ok

    def begin(game: str) -> None:
        post("/api/start", {"game": game, "seats": 2, "options": {}, "dealers": {}, "players": []})

    begin("systems-failing")
    post("/api/join", {"seat": 0})
    page.locator(".pile-top").first.wait_for()
    begin("commute")
    page.get_by_text("This browser has seen the cards of a seat").wait_for()
    assert page.locator("#mat").count() == 0
    begin("systems-failing")
    page.locator("#mat").wait_for()
    context.close()


def test_the_button_that_fixes_the_table_is_there_when_something_is_to_fix(
    service: RunningService, browser: Any
) -> None:
    """While the table matches the game, there is no button to fix it."""
    context = browser.new_context(viewport=DESKTOP)
    table = TablePage(context.new_page(), service)
    page, now = table.page, {"playing": True, "in_view": True, "settled": True, "fixes": []}
    for wrong in ([], ["Put D07 in Zone 1."], []):
        state = json.dumps({**table.state(), **now, "discrepancies": wrong})
        page.route("**/simulator/state", lambda route, _, body=state: route.fulfill(body=body))
        page.locator("#tidy").wait_for(state="visible" if wrong else "hidden")
        page.unroute("**/simulator/state")
    context.close()
