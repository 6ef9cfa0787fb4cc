"""A whole game of Traffic Congestion: two phones in real browsers, one phone without a browser, and signals that are
placed and turned under the camera of the simulated table."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.position import CARS_TO_WIN
from companion.match.history import fold
from companion.match.journal import Journal
from companion.tabletop.mat import Point
from tests.browser import CHROMIUM, PHONE, SMALL
from tests.browser_party import Party
from tests.repetitions import is_thorough
from tests.running_service import RunningService

COLORS = ("blue", "red", "yellow")
GATES = ("north1", "east1", "south1")
"""The gate of each color's side on the crossroads; each side has one gate."""
BESIDE: Point = (120.0, 60.0)
"""A place away from all streets, mm."""


def act(party: Party, seat: int, lane: str, button: str) -> Any:
    """Taps a lane on a player's phone and then a button of the lane's sheet. Returns the state after the move."""
    version = party.view()["version"]
    sheet(party, seat, lane).get_by_role("button", name=button).click()
    return party.after(version, f"{button} by player {seat}")["state"]


def sheet(party: Party, seat: int, lane: str) -> Any:
    """The sheet that opens when a player taps a lane."""
    name = lane.replace(">", "_")
    party.page_of[seat].locator(f"[data-key='tap-{name}']").click()
    opened = party.page_of[seat].locator(f"#sheet-lane-{name}:popover-open")
    opened.wait_for()
    return opened


def everybody(party: Party, move: str, *, to_own: bool = False, **more: str) -> None:
    """Lets the players make this move in turn, each at their own gate, beginning with the first player. Does not use
    their pages."""
    for seat, gate in enumerate(GATES):
        to = {"to": f"A>{gate}"} if to_own else {}
        party.submit(seat, seat=seat, move=move, lane=f"{gate}>A", **to, **more)


def tile(party: Party) -> Any:
    """The only signal on the page of the simulated table."""
    return party.table.locator(".piece")


def turn_tile(party: Party, times: int) -> None:
    """Turns the tile by this many quarter turns, and waits for each to be done."""
    for _ in range(times):
        angle = party.state()["on_mat"][0]["angle"]
        tile(party).focus()
        party.table.keyboard.press("r")
        party.until(lambda was=angle: party.state()["on_mat"][0]["angle"] != was, "a quarter turn")


def lay_signal(party: Party, lane: str, quarters: int) -> Any:
    """Takes a signal out of the box, turns it, and puts it at the end of a lane."""
    version = party.view()["version"]
    party.drag(party.table.locator("#box img").first, BESIDE)
    tile(party).wait_for()
    turn_tile(party, quarters)
    party.drag(tile(party), party.middle(lane))
    return party.after(version, "the recording of a signal that was laid")["state"]


def check_cubes(party: Party) -> None:
    """Checks that the cubes on the simulated table are as recorded."""
    with closing(Journal(party.service.data / "journal.sqlite3")) as journal:

        def as_recorded() -> bool:
            kept = journal.running_game()
            assert kept
            wanted = GAME.physical.token_placements(fold(kept).state)
            stand = {(token["kind"], token["x"], token["y"]) for token in party.state()["tokens"]}
            return stand == {(stand.kind, stand.x, stand.y) for stand in wanted}

        party.until(as_recorded, "the cubes in their places")


def trip(party: Party) -> None:
    """Every player enters five cars, and lets them return to the player's own side."""
    for _ in range(5):
        everybody(party, "enter")
    everybody(party, "signal", to_own=True)
    everybody(party, "go", then="remove")


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_whole_game_of_traffic_congestion(browser: Any, tmp_path: Path) -> None:
    """Cars are entered on phones. Signals are laid, laid again after an undo, and turned on the table. One Go keeps its
    signal, another Go removes it. Some cars leave where they score, others where they don't. A phone is reloaded, and a
    path that prevents a signal is highlighted. The last Go wins. The cubes always match the recorded state, and the
    journal replays. If the run is thorough, a game then starts on another board, without a restart."""
    with RunningService(tmp_path, "--simulate") as service:
        party = Party(browser, service, "traffic-congestion", (PHONE, "dark"), None, (SMALL, "light"))
        party.begin(option_board="crossroads")
        party.until(lambda: party.state()["in_view"], "the mat of the crossroads")
        first_rounds(party)
        turned_on_the_table(party)
        party.leave_table()
        with party.locked():
            for _ in range(3):
                trip(party)
        check_cubes(party)
        end = home(party)
        if is_thorough():
            on_another_board(party)
        assert party.complaints == [], "".join(service.said)
        assert service.stop() == 0
    journal = Journal(tmp_path / "journal.sqlite3")
    won, *running = journal.games()
    assert fold(won).state.to_json() == end
    assert [fold(each).state.to_json()["signals"] for each in running] == [{"E>F": "F>C"}] * is_thorough()
    journal.close()


def first_rounds(party: Party) -> None:
    """Two cars are entered by phone, and a signal is put down, undone on another phone, picked up, and put down
    again. Then everybody enters a car elsewhere, so turning the signal is no longer a correction."""
    act(party, 0, "south1>A", "Add a blue car")
    party.post(1, seat=1, move="enter", lane="south1>A")
    assert lay_signal(party, "south1>A", 3)["signals"] == {"south1>A": "A>west1"}
    version = party.view()["version"]
    party.page_of[0].get_by_role("button", name="Undo").click()
    assert party.after(version, "the undo")["state"]["signals"] == {}
    party.until(lambda: "put it in the supply" in " ".join(party.state()["discrepancies"]), "that the tile is to go")
    tile(party).focus()
    party.table.keyboard.press("Delete")
    party.until(party.is_right, "a right table")
    assert lay_signal(party, "south1>A", 3)["turn"] == 0
    for seat in range(3):
        party.post(seat, seat=seat, move="enter", lane="west1>A")
    check_cubes(party)


def turned_on_the_table(party: Party) -> None:
    """The blue player sees why a signal may not cross, reloads, and turns the tile on the table: both cars leave in the
    west, where they do not score, and the signal points elsewhere. Then the signal is kept once, and removed."""
    refused = sheet(party, 0, "east1>A").locator("li[data-key='A>south1']")
    refused.get_by_text("would cross").wait_for()
    assert refused.locator(".crossed .curve").count() == 1
    before = party.view(0)
    party.page_of[0].reload()
    party.page_of[0].locator(".car").first.wait_for()
    assert party.view(0) == before
    turn_tile(party, 1)
    state = party.after(before["version"], "the Go of a signal that was turned")["state"]
    assert (state["signals"], state["lanes"]["south1>A"]) == ({"south1>A": "A>north1"}, [])
    assert set(state["scores"].values()) == {0}
    check_cubes(party)
    party.post(1, seat=1, move="enter", lane="south1>A")
    act(party, 2, "south1>A", "Add a yellow car")
    state = act(party, 0, "south1>A", "Move, keep signal")
    assert (state["signals"], state["lanes"]["south1>A"]) == ({"south1>A": "A>north1"}, [])
    party.post(1, seat=1, move="enter", lane="south1>A")
    state = act(party, 2, "south1>A", "Move, remove signal")
    assert (state["signals"], state["turn"]) == ({}, 0)
    party.put_right()


def home(party: Party) -> Any:
    """The blue player, who has scored fifteen cars, scores five more on the phone. Everyone sees the end."""
    scores = party.view()["state"]["scores"]
    assert scores == dict.fromkeys(COLORS, CARS_TO_WIN - 5)
    with party.locked():
        for _ in range(5):
            everybody(party, "enter")
    act(party, 0, "north1>A", "U-turn")
    party.post(1, seat=1, move="signal", lane="east1>A", to="A>east1")
    act(party, 2, "south1>A", "U-turn")
    assert "5 cars" in sheet(party, 0, "north1>A").inner_text()
    party.page_of[0].keyboard.press("Escape")
    end = act(party, 0, "north1>A", "Move, keep signal")
    assert (end["winner"], end["scores"]["blue"]) == (0, CARS_TO_WIN)
    for phone in party.phones:
        phone.locator(".turn.over").wait_for()
    check_cubes(party)
    return end


def on_another_board(party: Party) -> None:
    """The host starts another game on the largest board. The simulated table shows that board's mat, and a tile in one
    of its lanes counts."""
    party.table.goto(f"{party.address}/simulator")
    pictures = party.state()["image_set"]
    form = {"game": GAME.name, "seats": 3, "option-board": "grid-3x3", "player": [f"Player {n}" for n in range(3)]}
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": party.address}
    answer = party.table.request.post(f"{party.address}/host", data=urlencode(form, doseq=True), headers=headers)
    assert answer.ok
    state = party.until(
        lambda: (now := party.state())["playing"] and now["image_set"] != pictures and now, "the other mat"
    )
    party.table.locator(f"#mat[data-image-set='{state['image_set']}']").wait_for()
    party.until(lambda: party.state()["in_view"], "the mat of the grid")
    party.use_board("grid-3x3")
    version = party.view()["version"]
    x, y = party.middle("E>F")
    party.do("put", code="TC-SIG07", x=x, y=y)
    party.after(version, "the recording of a signal on the other board")
