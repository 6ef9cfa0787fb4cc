"""A whole game in real browsers against the simulated table, and a filmed game through the eyes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.rules import REFEREE
from companion.history import fold
from companion.journal import Journal
from tests.running import Running, join_code, until

playwright = pytest.importorskip("playwright.sync_api")

GAME = GAMES["systems-failing"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}


@contextmanager
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


class Party:
    """The host's browser with the simulated table, and two phones."""

    def __init__(self, browser: Any, service: Running) -> None:
        self.errors: list[str] = []
        self.address = service.address
        self.table = self._page(browser, DESK)
        self.phones = [self._page(browser, PHONE) for _ in range(2)]
        self.table.goto(service.host_link)

    def _page(self, browser: Any, size: dict[str, int]) -> Any:
        page = browser.new_context(viewport=size, reduced_motion="reduce").new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def begin(self) -> None:
        """The host starts a hard game whose cards the table deals; the players sit down."""
        self.table.check("input[name=option-difficulty][value=hard]")
        self.table.check("input[name=dealer-cards][value=table]")
        self.table.locator("button.start").click()
        self.table.get_by_text("no phone yet").first.wait_for()
        code = join_code(self.table.content())
        for number, phone in enumerate(self.phones):
            phone.goto(self.address)
            phone.fill("input[name=code]", code)
            phone.fill("input[name=name]", f"Player {number}")
            phone.locator(f"button[name=seat][value='{number}']").click()
            phone.locator("main.play").wait_for()
        self.table.goto(f"{self.address}/simulator")
        self.table.locator(".pile-top").first.wait_for()

    # What everyone may see

    def view(self) -> Any:
        return self.phones[0].evaluate("fetch('/api/view').then(answer => answer.json())")

    def after(self, version: int, what: str) -> Any:
        """The view once the table has moved on."""
        return until(lambda: (view := self.view())["version"] > version and view, what)

    # What hands do

    def deal(self, zone: str) -> None:
        """Drags the top card off its pile into a zone of the mat, where it is free."""
        pile = "Escape" if zone == "escape" else "Disaster"
        source = self.table.locator(f"#piles .pile:has-text('{pile}')")
        x, y = free_place(zone, self.state())
        source.scroll_into_view_if_needed()
        start, mat = source.bounding_box(), self.table.locator("#mat").bounding_box()
        assert GAME.equipment.mat
        width, height = GAME.equipment.mat.size
        mouse = self.table.mouse
        mouse.move(start["x"] + 30, start["y"] + 30)
        mouse.down()
        for part in (0.3, 0.7, 1.0):
            goal = mat["x"] + x / width * mat["width"], mat["y"] + y / height * mat["height"]
            mouse.move(
                start["x"] + 30 + part * (goal[0] - start["x"] - 30),
                start["y"] + 30 + part * (goal[1] - start["y"] - 30),
            )
        mouse.up()

    def state(self) -> Any:
        return self.table.evaluate("fetch('/simulator/state').then(answer => answer.json())")

    def put_right(self) -> None:
        """Lets the simulator lay everything right, and waits until the camera has seen it."""
        self.table.locator("#put-right").click()
        until(lambda: not self.state()["amiss"], "a right table")


def free_place(zone: str, state: Any) -> tuple[float, float]:
    """The middle of a slot in a zone on which nothing lies."""
    assert GAME.equipment.mat
    (left, top), _, (right, bottom), _ = GAME.equipment.mat.zone(zone).polygon
    x = (left + right) / 2
    slots = [(top + bottom) / 2] if bottom - top < 110 else [top + 48 + 104 * n for n in (0, 1, 2)]
    taken = [piece["y"] for piece in state["lying"] if abs(piece["x"] - x) < 30]
    return x, next((y for y in slots if all(abs(y - other) > 60 for other in taken)), slots[-1])


def next_zone(view: Any, guide: str) -> str:
    """Where the next card goes, as the companion says."""
    if view["state"]["escape"]["active"] is None:
        return "escape"
    named = re.search(r"Zone (\d)", guide)
    return f"zone-{named[1]}" if named else "zone-3"


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_whole_game_in_the_browser(tmp_path: Path) -> None:
    """Cards dragged onto the mat are read by the real decoder and booked; the bag is drawn on a phone; buttons go
    through gpiozero; the meters move; the game ends, and the journal replays to what the phones show."""
    with Running(tmp_path, "--simulate") as service, chromium() as browser:
        party = Party(browser, service)
        party.begin()
        meters = party.state()["meters"]
        scavenged = 0
        while (view := party.view())["state"]["result"] is None:
            version, state = view["version"], view["state"]
            guide = party.state()["guide"]
            if state["turn"] in (0, 1):
                phone = party.phones[state["turn"]]
                if scavenged < 2 and state["actions_left"] == 4:
                    pool = sum(state["pools"][state["turn"]].values())
                    phone.get_by_role("button", name="Scavenge").click()
                    drawn = party.after(version, "the cubes that were scavenged")["state"]
                    assert sum(drawn["pools"][state["turn"]].values()) + drawn["deck_whites"] >= pool + 1
                    scavenged += 1
                else:
                    phone.get_by_role("button", name="End my turn").click()
                    party.after(version, "the end of the turn")
            elif state["phase"] == "advance":
                party.table.locator("[data-press=next]").click()
                party.after(version, "the disasters' move after the button")
            else:
                party.deal(next_zone(view, guide))
                party.after(version, f"the booking of a card ({guide})")
                party.put_right()
        assert scavenged == 2
        assert party.state()["meters"] != meters
        for phone in party.phones:
            phone.locator(".turn.over").wait_for()
        assert party.errors == []
        assert service.stop() == 0
    journal = Journal(tmp_path / "journal.sqlite3")
    kept = journal.running()
    assert kept
    assert fold(kept).state.seen_by(REFEREE) == view["state"]
    journal.close()
