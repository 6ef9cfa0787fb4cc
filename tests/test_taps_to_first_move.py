"""How many taps and how much time each game needs from `make run` to the first move, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES
from tests.browser import CHROMIUM, new_page
from tests.repetitions import thorough_except
from tests.running_service import RunningService, join_code

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
MOST_TAPS = 12
MOST_SECONDS = 180
TAKES_A_STEP = {
    "commute": ("fieldset.hand label", ".map .stop", ".sheet:popover-open button.action[name=move]"),
    "system-won": (".holder:not(.own) button.face", ".sheet:popover-open button[name=move]"),
    "systems-failing": (".dock [value*='scavenge']",),
    "traffic-congestion": (".streets .tap", ".sheet:popover-open [value*='enter']"),
}
"""What a player taps for a first move, by game."""


class Taps:
    """Counts what people do on the pages: each tap, each name that they enter, and each address or code that they
    open."""

    def __init__(self) -> None:
        self.count, self.start = 0, time.monotonic()

    def open(self, page: Any, address: str) -> None:
        """Opens a link, as after scanning its QR code."""
        self.count += 1
        page.goto(address)

    def tap(self, element: Any) -> None:
        self.count += 1
        element.tap()

    def type(self, element: Any, text: str) -> None:
        self.count += 1
        element.fill(text)


def first_move(
    browser: Any, data: Path, game: str, look: Callable[[Any, str], object] = lambda page, name: None, **more: Any
) -> tuple[int, float]:
    """Plays to the first move of a game that is played on two phones; returns the taps and the seconds. `look` is
    called with each page that people see on the way."""
    taps = Taps()
    with RunningService(data, "--box", "none") as service:
        ann, bob = (new_page(browser, first_game=True, has_touch=True, **more) for _ in range(2))
        taps.open(ann, service.host_link)
        look(ann, "1-host")
        taps.tap(ann.locator(f".tabs a[href='/host?game={game}']"))
        for n, name in enumerate(("Ann", "Bob")):
            taps.type(ann.locator("input[name=player]").nth(n), name)
        look(ann, "2-names")
        taps.tap(ann.locator("button.start"))
        ann.locator(".now, [data-key=now]").wait_for()
        look(ann, "3-invite")
        taps.open(bob, f"{service.address}/join?code={join_code(ann.content())}")
        look(bob, "4-join")
        taps.tap(bob.locator("button[name=seat][value='1']"))
        bob.locator("main.play").wait_for()
        look(bob, "5-waiting")
        taps.tap(ann.locator("a[href='/join'].action"))
        look(ann, "6-seat")
        taps.tap(ann.locator("button[name=seat][value='0']"))
        ann.locator("main.play").wait_for()
        look(ann, "7-play")
        view = ann.request.get(f"{service.address}/api/view").json()
        while view["state"]["turn"] == "house":
            taps.tap(ann.locator(".dock button.next"))
            ann.wait_for_function("(v) => +document.getElementById('page').dataset.version > v", arg=view["version"])
            view = ann.request.get(f"{service.address}/api/view").json()
        mover = (ann, bob)[view["state"]["turn"]]
        mover.locator(".turn.mine").wait_for()
        look(mover, "8-my-turn")
        for n, selector in enumerate(TAKES_A_STEP[game]):
            taps.tap(mover.locator(selector).locator("visible=true").first)
            look(mover, f"9-step-{n}")
        mover.wait_for_function("(v) => +document.getElementById('page').dataset.version > v", arg=view["version"])
        look(mover, "10-moved")
        look(ann if mover is bob else bob, "11-other")
        assert ann.complaints == bob.complaints == []
        seconds = time.monotonic() - taps.start
        ann.context.close()
        bob.context.close()
    return taps.count, seconds


@pytest.mark.parametrize("game", thorough_except([*GAMES], "commute"))
def test_the_first_move_is_a_few_taps_away(browser: Any, tmp_path: Path, game: str) -> None:
    """It takes only a few taps until the host has opened the link, chosen the game, named two people and started, both
    have taken their seats, and one has made a move."""
    if game not in TAKES_A_STEP:
        pytest.skip(f"{game} has no taps of a first move yet: TAKES_A_STEP in tests/test_taps_to_first_move.py")
    taps, seconds = first_move(browser, tmp_path, game)
    print(f"{game}: {taps} taps, {seconds:.0f} s")
    assert taps <= MOST_TAPS
    assert seconds < MOST_SECONDS
