"""axe checks every page and state in a real browser against WCAG 2.2 AA, light and dark, on phone and desktop.

Nothing may be cut off at 320 pixels, zoomed in, with letters twice as large, or in a right-to-left language.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.games import GAMES
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from tests.browser import CHROMIUM, DESKTOP, PHONE, new_page
from tests.layout_faults import NARROW, TIGHT, WIDE, Look, faults
from tests.systems_failing_tables import act, hasty_clock
from tests.test_past_games import finished
from tests.web_table import WebTable, served
from web.access.phone_cookie import COOKIE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

RULES = """async (part) => {
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const preload = { assets: ["media"] }; // no rule reads style sheets, which axe would fetch and parse again
  const { violations } = await axe.run(part, { resultTypes: ["violations"], runOnly: rules, preload });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}"""
LOOKS = [(PHONE, "light", NARROW), (DESKTOP, "dark", WIDE)]
KINDS = """() => {
  const kinds = new Map(), parts = (sheet) => sheet.querySelectorAll("*").length;
  for (const sheet of document.querySelectorAll("[popover].sheet")) {
    const kind = sheet.className === "sheet" ? sheet.id : sheet.className;
    if (!kinds.has(kind) || parts(sheet) > parts(kinds.get(kind))) kinds.set(kind, sheet);
  }
  return [...kinds.values()].map((sheet) => sheet.id);
}"""
"""For each kind of sheet, the one with the most content."""


def complaints(page: Any, part: str = "html") -> list[str]:
    """What axe finds on the page as it is now, or in the element that the selector `part` matches."""
    if not page.evaluate("typeof axe === 'object'"):
        axe = pytest.importorskip("axe_playwright_python", reason="pip install -e '.[dev]'")
        page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text())
    return [f"{page.url}: {found}" for found in page.evaluate(RULES, part)]


def fits(page: Any) -> bool:
    """Whether the whole page is visible at once."""
    high, wide = page.evaluate(
        "(({ scrollHeight, scrollWidth }) => [scrollHeight, scrollWidth])(document.documentElement)"
    )
    return bool(high <= page.viewport_size["height"] and wide <= page.viewport_size["width"])


def shown(page: Any, looks: tuple[Look, ...], *paths: str) -> list[str]:
    """What axe finds on several pages, and what is cut off there in these looks."""
    found = []
    for path in paths:
        page.goto(path)
        page.wait_for_load_state()
        found += complaints(page) + faults(page, looks)
    return found


def sheets(page: Any) -> list[str]:
    """What axe finds in each kind of sheet when it is open."""
    found = []
    for name in page.evaluate(KINDS):
        sheet = page.locator(f"[id='{name}']")
        sheet.evaluate("(sheet) => sheet.showPopover()")
        found += complaints(page, f"[id='{name}']") + faults(page, TIGHT)
        sheet.evaluate("(sheet) => sheet.hidePopover()")
    return found


def spoken(size: dict[str, int]) -> dict[str, str]:
    """The language of the pages: German, with its long words, in the narrowest window, and Spanish elsewhere."""
    return {"locale": "de-DE" if size == PHONE else "es-ES"}


def test_axe_finds_what_is_wrong(browser: Any) -> None:
    """axe reports a picture without a text alternative and text with low contrast."""
    page = new_page(browser)
    page.set_content('<main><h1>x</h1><img src="x"><p style="color:#bbb;background:#fff">pale</p></main>')
    assert {line.split(": ")[1] for line in complaints(page)} >= {"image-alt", "color-contrast"}


def test_layout_faults_are_found(browser: Any) -> None:
    """The check for layout faults reports text outside the window, outside its box or cut off, overlapping buttons, and
    targets below 44 pixels."""
    page = new_page(browser)
    box = '<p style="width:40px;{more}">unbreakable</p>'
    page.set_content(
        box.format(more="background:red")
        + box.format(more="overflow:hidden")
        + '<p style="width:900px">wide</p><p style="margin-left:600px">off</p>'
        + '<button style="min-height:44px;width:60px">one</button>'
        + '<button style="margin-left:-20px;min-height:44px;width:60px">two</button><select></select>'
    )
    found = {fault.split("): ", 1)[1].split(" | ")[0] for fault in faults(page, (Look(PHONE),))}
    assert found == {"scrolls sideways", "runs off", "spills", "is cut", "lie over one another", "is small for a thumb"}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("size", "scheme", "looks"), LOOKS, ids=["phone", "desk"])
def test_pages_of_a_game_have_no_faults(
    browser: Any, name: str, size: dict[str, int], scheme: str, looks: tuple[Look, ...]
) -> None:
    """The page of the seat in turn with every sheet open and a discrepancy, that of another seat, and the big screen
    have no faults."""
    game, table, rng = GAMES[name], Table(Journal(None), hasty_clock()), Random(1)
    table.start(name, game.rules.seats[-1], {}, {}, ("Ann", "Ben", "Cy", "Dora", "Eve"), "s")
    for _ in range(9):
        act(table, rng)
    if mat := game.physical.components.mat:
        table.observe(MatSeen(t=0, mat=mat.name))
        code = game.physical.components.components[0].id
        table.observe(CardSeen(t=1, code=code, zone=mat.zones[0].name, mm=(300, 200), angle=0, change="appeared"))
    web_table, view = WebTable(table), table.view()
    assert view
    turn = view.turn if isinstance(view.turn, int) else 0
    with served(web_table) as server:
        page = new_page(browser, size, color_scheme=scheme, base_url=f"http://127.0.0.1:{server.port}", **spoken(size))
        page.goto("/join")
        page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": (turn + 1) % view.seats})
        found = shown(page, (), "/play")
        page.goto("about:blank")  # otherwise the previous page would notice that its cookie has changed
        page.context.clear_cookies(name=COOKIE)
        page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": turn})
        found += shown(page, looks, "/table", "/play")
        found += sheets(page) if size == PHONE else []
        page.goto("/table")
        assert size == PHONE or fits(page), "the big screen can't be scrolled from afar"
    assert found == []


@pytest.mark.parametrize(("size", "scheme", "looks"), LOOKS, ids=["phone", "desk"])
def test_pages_outside_a_game_have_no_faults(
    browser: Any, size: dict[str, int], scheme: str, looks: tuple[Look, ...]
) -> None:
    """The host page before, during and after a game, past games, people, the join page, settings, an unreachable table
    and a refusal have no faults."""
    table = finished("system-won", 3)
    web_table = WebTable(table)
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        page = new_page(browser, size, color_scheme=scheme, base_url=address, **spoken(size))
        page.goto(f"/host?key={web_table.lobby.host_key}")
        around = ("/host", "/table", "/join", "/log", "/settings", "/help", "/offline", "/nothing-here")
        found = shown(page, looks, *around)
        found += shown(new_page(browser, size, color_scheme=scheme, base_url=address), looks, "/join")
        table.end()
        found += shown(page, looks, "/host", "/table", "/games", "/games/1?at=30", "/people", "/people/1")
        page.request.post("/games/1", form={"at": "30", "do": "lead"})
        found += shown(page, looks, "/together")
        found += shown(new_page(browser, size, color_scheme=scheme, base_url=address), looks, "/join")
    assert found == []
