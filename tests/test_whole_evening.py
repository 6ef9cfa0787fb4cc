"""An evening in real browsers with the real service, from an empty table to a replay that people watch together."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.browser import CHROMIUM, DESKTOP, new_page
from tests.running_service import RunningService, join_code, until

PRESENT = "() => !document.body.matches('.stale')"


class Family:
    """Ann, who is the host, Bob, and the big screen."""

    def __init__(self, browser: Any, service: RunningService) -> None:
        self.service = service
        self.ann, self.bob = new_page(browser), new_page(browser, color_scheme="dark")
        self.screen = new_page(browser, DESKTOP)

    @property
    def pages(self) -> tuple[Any, ...]:
        """All three browsers."""
        return self.ann, self.bob, self.screen

    def open(self, page: Any, path: str) -> None:
        """Opens a page of the service."""
        page.goto(self.service.address + path)

    def view(self, page: Any) -> Any:
        """What the phone of `page` may know."""
        return page.request.get(f"{self.service.address}/api/view").json()

    def play(self, page: Any, *, to_the_end: bool = False) -> None:
        """Ends turns until it is the turn of `page`, or until the game is over."""
        while (view := self.view(self.ann))["state"]["result"] is None:
            turn = view["state"]["turn"]
            if turn == self.view(page)["seat"] and not to_the_end:
                return
            if turn == "house":
                self.post(self.ann, "next", view)
            else:
                mover = next(each for each in (self.ann, self.bob) if self.view(each)["seat"] == turn)
                self.post(mover, "moves", view, move={"seat": turn, "move": "end_turn"})

    def post(self, page: Any, what: str, view: Any, **body: Any) -> None:
        """Acts for a phone without using its page."""
        data = {**body, "version": view["version"], "id": f"{view['version']}"}
        answer = page.request.post(f"{self.service.address}/api/{what}", data=data)
        assert answer.ok, answer.text()


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_whole_evening(browser: Any, tmp_path: Path) -> None:
    """The host names two people and starts a game on phones. Bob leaves, the companion plays for him, and he takes his
    seat back. The power fails. After the end, one tap starts the next game. The statistics include both people, and a
    phone steps through the game on the big screen."""
    with RunningService(tmp_path, "--box", "none") as service:
        family = Family(browser, service)
        starts(family)
        hands_over_and_back(family)
        power_cut(family)
        plays_again(family)
        statistics(family)
        watched_together(family)
        for page in family.pages:
            assert [line for line in page.complaints if "net::ERR" not in line] == []


def starts(family: Family) -> None:
    """Ann and Bob get from the host's link to the first move in a few taps."""
    ann, bob = family.ann, family.bob
    ann.goto(family.service.host_link)
    family.open(ann, "/host?game=systems-failing")
    for n, name in enumerate(("Ann", "Bob")):
        ann.locator("input[name=player]").nth(n).fill(name)
    ann.locator("label:has(input[name=material][value=phones])").click()
    ann.locator("button.start").click()
    ann.get_by_text("no phone yet").first.wait_for()
    code = join_code(ann.content())
    family.open(bob, f"/join?code={code}")
    bob.get_by_role("button", name="Bob").click()
    family.open(ann, "/join")
    ann.get_by_role("button", name="Ann").click()
    family.open(family.screen, "/table")
    for page in family.pages:
        page.locator(".turn").first.wait_for()


def hands_over_and_back(family: Family) -> None:
    """Bob must leave during his turn. The companion plays for him until he is back."""
    bob = family.bob
    family.play(bob)
    version = family.view(bob)["version"]
    bob.locator("details.leave summary").click()
    bob.get_by_role("button", name="Let the companion play").first.click()
    bob.get_by_role("heading", name="The companion plays for you").wait_for()
    until(lambda: answered(family.ann) or family.view(bob)["version"] > version, "a move of the companion")
    bob.get_by_role("button", name="I’m back").click()
    bob.get_by_role("heading", name="The companion plays for you").wait_for(state="detached")
    assert family.view(bob)["companions"] == {}


def answered(page: Any) -> bool:
    """Lets a player agree if the companion asks for a cube. Returns whether the companion has asked."""
    if asked := page.locator(".ask .yes").count():
        page.locator(".ask .yes").click()
    return bool(asked)


def power_cut(family: Family) -> None:
    """The power fails. Nothing that was acknowledged is lost, and the phones reconnect by themselves."""
    before = family.view(family.bob)
    family.service.restart(signal.SIGKILL)
    for page in family.pages:
        page.wait_for_function(PRESENT)
    assert family.view(family.bob)["state"] == before["state"]


def plays_again(family: Family) -> None:
    """Everyone sees the end. After one tap, Ann and Bob are in the next game, and Bob starts."""
    ann, bob = family.ann, family.bob
    family.play(ann, to_the_end=True)
    for page in family.pages:
        page.locator(".finale .standing-list").wait_for()
    ann.get_by_role("button", name="Play again").click()
    for page, seat in ((ann, 1), (bob, 0)):
        page.locator(f"#page[data-game='2'][data-seat='{seat}']").wait_for(state="attached")


def statistics(family: Family) -> None:
    """The statistics show that both have finished one game, together."""
    bob = family.bob
    family.open(bob, "/people")
    bob.get_by_role("link", name="Ann").click()
    bob.locator("table", has_text="Played with").locator("tr", has_text="Bob").wait_for()


def watched_together(family: Family) -> None:
    """Bob's phone steps through the first game, and the big screen follows."""
    bob, screen = family.bob, family.screen
    family.open(bob, "/games/1?at=3")
    bob.get_by_role("button", name="Show on the big screen").click()
    screen.locator(".about", has_text="step 3 of").wait_for()
    bob.get_by_role("button", name="Step forward").click()
    screen.locator(".about", has_text="step 4 of").wait_for()
    bob.get_by_role("button", name="Stop").click()
    screen.locator(".turn").first.wait_for()
