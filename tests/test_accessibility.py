"""axe checks every page and state in a real browser against WCAG 2.2 AA, light and dark, on phone and desktop.

Nothing may be cut off at 320 pixels, zoomed in, with letters twice as large, or in a right-to-left language.
"""

from __future__ import annotations

import socket
from itertools import cycle
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
from tests.repetitions import is_thorough
from tests.systems_failing_tables import act, hasty_clock, seen
from tests.test_past_games import finished
from tests.web_table import WebTable, served
from web.access.phone_cookie import COOKIE
from web.localization import LANGUAGE_COOKIE
from web.startup_failure_page import create_failure_app, serving

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
COLORS = ("color-contrast", "link-in-text-block")
"""The only rules whose result depends on colors."""
SHOWN_IN = ("de", "es")
"""The languages in which pages are checked, because their words are longer than English ones."""
RULES = """async ([part, rules]) => {
  const preload = { assets: ["media"] }; // no rule reads style sheets, which axe would fetch and parse again
  const { violations } = await axe.run(part, { resultTypes: ["violations"], runOnly: rules, preload });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}"""
KINDS = """() => {
  const kinds = new Map(), parts = (sheet) => sheet.querySelectorAll("*").length;
  for (const sheet of document.querySelectorAll("[popover].sheet")) {
    const kind = sheet.className === "sheet" ? sheet.id : sheet.className;
    if (!kinds.has(kind) || parts(sheet) > parts(kinds.get(kind))) kinds.set(kind, sheet);
  }
  return [...kinds.values()].map((sheet) => sheet.id);
}"""
"""For each kind of sheet, the one with the most content."""
KEEP_ONE_OF_EACH_KIND = f"""() => {{
  const kept = ({KINDS})();
  for (const sheet of document.querySelectorAll("[popover].sheet")) if (!kept.includes(sheet.id)) sheet.remove();
}}"""
"""Removes the other sheets, which nothing checks. axe takes the longer, the more elements a page has."""
RULE_SHEET = "sheet-rule"
"""The sheet with the rule for the current position, which is alike in every game."""


def complaints(page: Any, part: str = "html", rules: tuple[str, ...] = LEVELS) -> list[str]:
    """What axe finds on the page as it is now, or in the element that the selector `part` matches."""
    if not page.evaluate("typeof axe === 'object'"):
        axe = pytest.importorskip("axe_playwright_python", reason="pip install -e '.[dev]'")
        script = (Path(axe.__file__).parent / "axe.min.js").read_text()
        page.evaluate(script)
        page.add_init_script(script)  # for all further addresses; evaluating it again would take longer
    return [f"{page.url}: {found}" for found in page.evaluate(RULES, [part, rules])]


def complaints_in_the_dark(page: Any) -> list[str]:
    """What axe finds wrong with the colors of the dark theme, on a page that it has already checked in the light
    theme."""
    page.emulate_media(color_scheme="dark")
    found = complaints(page, rules=COLORS)
    page.emulate_media(color_scheme="light")
    return found


def fits(page: Any) -> bool:
    """Whether the whole page is visible at once."""
    high, wide = page.evaluate(
        "(({ scrollHeight, scrollWidth }) => [scrollHeight, scrollWidth])(document.documentElement)"
    )
    return bool(high <= page.viewport_size["height"] and wide <= page.viewport_size["width"])


def shown(page: Any, *paths: str, desktop_first: bool = False) -> list[str]:
    """What axe finds on several pages, light on a phone and dark on a desktop, and which parts of them are cut off in
    narrow and in wide windows. If the run is thorough, each page is checked in German and Spanish. Otherwise the first
    page is checked in German and light on a phone, the second one in Spanish and dark on a desktop, and so on; nothing
    may be cut off in a narrow window in any of them. With `desktop_first`, the first page is checked on the desktop."""
    found = []
    for path, on_desktop in zip(paths, cycle((desktop_first, not desktop_first))):
        for language in SHOWN_IN if is_thorough() else (SHOWN_IN[on_desktop],):
            opened(page, path, language)
            if is_thorough() or not on_desktop:
                found += complaints(page)
            found += faults(page, NARROW)
            if is_thorough() or on_desktop:
                page.emulate_media(color_scheme="dark")
                page.set_viewport_size(DESKTOP)
                found += complaints(page) + faults(page, WIDE)
                page.emulate_media(color_scheme="light")
                page.set_viewport_size(PHONE)
    return found


def opened(page: Any, path: str, language: str) -> None:
    """Opens a page in a language."""
    page.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": language, "url": page.base_url}])
    page.goto(path)
    page.wait_for_load_state()
    if not is_thorough():
        page.evaluate(KEEP_ONE_OF_EACH_KIND)


def sheets(page: Any, *, with_rule: bool) -> list[str]:
    """What axe finds in each kind of sheet when it is open, and which parts of the sheets are cut off. `with_rule`:
    whether the sheet with the rule for the current position is also checked."""
    found, names = [], [name for name in page.evaluate(KINDS) if with_rule or name != RULE_SHEET]
    for name in names:
        sheet = page.locator(f"[id='{name}']")
        sheet.evaluate("(sheet) => sheet.showPopover()")
        found += complaints(page, f"[id='{name}']")
        sheet.evaluate("(sheet) => sheet.hidePopover()")
    return found + faults(page, TIGHT, names)


def german_phone(browser: Any, port: int) -> Any:
    """A phone whose language is German, and whose pages come from the server at this port."""
    page = new_page(browser, locale="de-DE", base_url=f"http://127.0.0.1:{port}")
    page.base_url = f"http://127.0.0.1:{port}"
    return page


class LoggedFailure:
    """What the page of a table that can't start shows to hosts. The key in the host link is "k"."""

    def is_host(self, token: str | None, key: str) -> bool:
        return key == "k"

    def log(self) -> list[str]:
        return ["2030-01-31 20:15:00 journal: /var/lib/tablekeeper/journal.sqlite3 can't be opened"] * 40

    def backups(self) -> list[str]:
        return ["tablekeeper-20300131-040000.tar.gz"]

    def restore(self, name: str) -> None:
        """Does nothing."""


def test_the_page_of_a_table_that_can_not_start_has_no_faults(browser: Any) -> None:
    """No faults are found on the page of a table that can't start, even if the reason contains a long path. Hosts also
    see a backup to restore, and the log."""
    listener = socket.create_server(("127.0.0.1", 0))
    page = german_phone(browser, listener.getsockname()[1])
    with serving(
        create_failure_app("/var/lib/tablekeeper/journal.sqlite3: Input/output error", LoggedFailure()), listener
    ):
        found = shown(page, "/", "/?key=k")
        page.locator("details summary").click()
        found += complaints(page)
    assert found == []


def test_axe_finds_what_is_wrong(browser: Any) -> None:
    """axe reports a picture without a text alternative and text with low contrast, even if it is low only in the dark
    theme."""
    page = new_page(browser)
    page.set_content('<main><h1>x</h1><img src="x"><p style="color:#bbb;background:#fff">pale</p></main>')
    assert {line.split(": ")[1] for line in complaints(page)} >= {"image-alt", "color-contrast"}
    dark = "<style>@media (prefers-color-scheme: dark) { body { background: #222 } }</style>"
    page.set_content(f'{dark}<main><h1>x</h1><p style="color:#111">black</p></main>')
    assert not any("color-contrast" in line for line in complaints(page))
    assert any("color-contrast" in line for line in complaints_in_the_dark(page))


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
    for place, is_seen in ((500, False), (370, True)):  # left out as a whole, or only cut off
        clipped = '<div style="overflow:clip;width:380px"><p style="margin-left:{}px;width:90px">{}</p></div>'
        page.set_content(clipped.format(place, "no room"))
        assert any("runs off" in fault for fault in faults(page, (Look(PHONE),))) == is_seen
    page.set_content('<div popover class="sheet" id="s"><select></select></div>')
    assert faults(page, TIGHT) == []
    assert all("s: is small for a thumb" in fault for fault in faults(page, TIGHT, ["s"]))
    assert len(faults(page, TIGHT, ["s"])) == len(TIGHT)


def game_in_progress(name: str) -> WebTable:
    """A table after nine acts of a game. A camera sees one component in a wrong place."""
    game, table, rng = GAMES[name], Table(Journal(None), hasty_clock()), Random(1)
    table.start(name, game.rules.seats[-1], {}, {}, ("Ann", "Ben", "Cy", "Dora", "Eve"), "s")
    for _ in range(9):
        act(table, rng)
    if mat := game.physical.components.mat:
        table.observe(MatSeen(t=0, mat=mat.name))
        code = game.physical.components.components[0].id
        table.observe(CardSeen(t=1, code=code, zone=mat.zones[0].name, mm=(300, 200), angle=0, change="appeared"))
    return WebTable(table)


@pytest.mark.parametrize("name", GAMES)
def test_pages_of_a_game_have_no_faults(browser: Any, name: str) -> None:
    """No faults are found on the page of the seat in turn (in light and dark, with each sheet open and a discrepancy)
    and on the big screen; if the run is thorough, also on the page of another seat (dark on a desktop)."""
    web_table = game_in_progress(name)
    view = seen(web_table.table)
    turn = view.turn if isinstance(view.turn, int) else 0
    with served(web_table) as server:
        page, found = german_phone(browser, server.port), []
        if is_thorough():
            page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": (turn + 1) % view.seats})
            page.emulate_media(color_scheme="dark")
            page.set_viewport_size(DESKTOP)
            page.goto("/play")
            found += complaints(page)
            page.emulate_media(color_scheme="light")
            page.set_viewport_size(PHONE)
            page.goto("about:blank")  # otherwise the previous page would notice that its cookie has changed
            page.context.clear_cookies(name=COOKIE)
        page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": turn})
        found += shown(page, "/play") + complaints_in_the_dark(page)
        found += sheets(page, with_rule=is_thorough() or name == "systems-failing")
        found += shown(page, "/table", desktop_first=True)
        page.set_viewport_size(DESKTOP)
        assert fits(page), "the big screen can't be scrolled from afar"
    assert found == []


def test_pages_outside_a_game_have_no_faults(browser: Any) -> None:
    """No faults are found on the host page (before, during and after a game), on the pages of past games, people and
    settings, on the join page, and on the pages for an unreachable table and a refusal."""
    table = finished("system-won", 3)
    web_table = WebTable(table)
    with served(web_table) as server:
        page, stranger = german_phone(browser, server.port), german_phone(browser, server.port)
        page.goto(f"/host?key={web_table.lobby.host_key}")
        found = shown(page, "/host", "/join", "/log", "/settings", "/help", "/offline", "/nothing-here")
        found += shown(stranger, "/join")
        table.end()
        found += shown(page, "/host", "/table", "/games", "/games/1?at=30", "/people", "/people/1")
        page.request.post("/games/1", form={"at": "30", "do": "lead"})
        found += shown(page, "/together")
        found += shown(stranger, "/join")
    assert found == []
