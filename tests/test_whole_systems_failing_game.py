"""A whole game of Systems Failing in real browsers with the simulated table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES
from companion.match.history import fold
from companion.match.journal import Journal
from tests.browser import CHROMIUM, PHONE, SMALL
from tests.browser_party import Party
from tests.running_service import RunningService

GAME = GAMES["systems-failing"]


BY_HAND = 4
"""The number of cards that are put under the camera. Later ones are reported on a phone."""


def free_place(zone: str, state: Any) -> tuple[float, float]:
    """The center of an empty slot in a zone."""
    assert GAME.physical.components.mat
    (left, top), _, (right, bottom), _ = GAME.physical.components.mat.zone(zone).polygon
    x = (left + right) / 2
    slots = [(top + bottom) / 2] if bottom - top < 110 else [top + 48 + 104 * n for n in (0, 1, 2)]
    taken = [piece["y"] for piece in state["on_mat"] if abs(piece["x"] - x) < 30]
    return x, next((y for y in slots if all(abs(y - other) > 60 for other in taken)), slots[-1])


def next_zone(view: Any, guide: str) -> str:
    """The zone of the next card, as the companion says."""
    if view["state"]["escape"]["active"] is None:
        return "escape"
    named = re.search(r"Zone (\d)", guide)
    return f"zone-{named[1]}" if named else "zone-3"


def deal(party: Party, zone: str) -> None:
    """Drags the top card of the pile for this zone to a free place in the zone."""
    pile = "Escape" if zone == "escape" else "Disaster"
    party.drag(party.table.locator(f"#piles .pile:has-text('{pile}')"), free_place(zone, party.state()))


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_whole_game_in_the_browser(browser: Any, tmp_path: Path) -> None:
    """Cards dragged onto the mat are read by the real decoder and recorded. Cubes are drawn on a phone, and the buttons
    at the table work through gpiozero. Phones are locked, disconnected and reloaded, and the service restarts. The game
    ends, and the journal replays to the state that the phones show."""
    with RunningService(tmp_path, "--simulate") as service:
        party = Party(browser, service, "systems-failing", (PHONE, "light"), (SMALL, "dark"))
        party.begin(option_difficulty="hard", dealer_cards="table")
        meters = party.state()["meters"]
        scavenged = laid = 0
        shaken = False
        while (view := party.view())["state"]["result"] is None:
            version, state = view["version"], view["state"]
            guide = party.state()["guide"]
            if state["turn"] in (0, 1):
                phone = party.page_of[state["turn"]]
                if scavenged < 2 and state["actions_left"] == 4:
                    pool = sum(state["pools"][state["turn"]].values())
                    phone.get_by_role("button", name="Scavenge").click()
                    drawn = party.after(version, "the cubes that were scavenged")["state"]
                    assert sum(drawn["pools"][state["turn"]].values()) + drawn["deck_whites"] >= pool + 1
                    scavenged += 1
                elif not shaken:
                    with party.mishaps():
                        party.post(state["turn"], seat=state["turn"], move="end_turn")
                    shaken = True
                else:
                    phone.get_by_role("button", name="End turn").click()
                    party.after(version, "the end of the turn")
            elif state["phase"] == "advance":
                party.table.locator("[data-press=next]").click()
                party.after(version, "the disasters’ move after the button")
            elif laid < BY_HAND:
                deal(party, next_zone(view, guide))
                party.after(version, f"the recording of a card ({guide})")
                party.put_right()
                laid += 1
            else:
                party.post(0, **view["reports"][0])
        assert scavenged == 2
        assert shaken
        assert party.state()["meters"] != meters
        for phone in party.phones:
            phone.locator(".turn.over").wait_for()
        assert party.complaints == [], "".join(service.said)
        assert service.stop() == 0
    journal = Journal(tmp_path / "journal.sqlite3")
    kept = journal.running_game()
    assert kept
    assert fold(kept).state.to_json() == view["state"]
    journal.close()
