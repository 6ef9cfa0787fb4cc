"""Setting up Traffic Congestion: boards, colors, driving side, U-turns, and users' own boards, which are stored with
the game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.__main__ import main
from companion.games.rules import REFEREE, SPECTATOR, Seat
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.moves import LaneId
from companion.match.journal import Journal
from companion.table.table import Table
from companion.text.refusal_errors import SetupError
from tests.traffic_positions import GRID, act, begin

TOWN = GRID.replace('name = "grid-2x2"', 'name = "Our town"').replace('"A"', '"Oak"')


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """The file of a user's board."""
    path = tmp_path / "town.toml"
    path.write_text(TOWN, "utf-8")
    return path


def refused(setup: dict[str, Any], seats: int = 2) -> str:
    """The reason why a game can't begin."""
    with pytest.raises(SetupError) as caught:
        GAME.rules.begin(seats, GAME.rules.resolve_setup(setup))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_two_to_four_may_play() -> None:
    """Two to four can play: "Traffic Congestion (2–4 seats)." """
    assert list(GAME.rules.seats) == [2, 3, 4]


def test_the_set_up_keys() -> None:
    """A set-up has the keys of the contract's example,
    `{"board":"grid-2x2","colors":["blue","red"],"driving":"right"}`, and the option for U-turns. Each key may be left
    out."""
    state = begin(board="grid-3x3", colors=["green", "blue"], driving="left", u_turns=False)
    shown = state.to_json()
    assert (shown["board"], shown["colors"], shown["driving"]) == ("grid-3x3", ["green", "blue"], "left")
    assert shown["scores"] == {"green": 0, "blue": 0}
    assert state.network.u_turns is False
    assert (
        begin(u_turns="true").network.u_turns is begin(u_turns=True).network.u_turns is begin().network.u_turns is True
    )


def test_the_state_has_the_contracts_shape() -> None:
    """A state has the keys of the contract: "`board, driving, turn, colors, lanes, signals, scores, over, winner`";
    "every lane, exits and empty ones too"."""
    shown = begin().to_json()
    assert list(shown) == ["board", "driving", "turn", "colors", "lanes", "signals", "scores", "over", "winner"]
    assert len(shown["lanes"]) == 24
    assert not any(shown["lanes"].values())
    assert (shown["signals"], shown["turn"], shown["over"], shown["winner"]) == ({}, 0, False, None)


def test_colors_that_nobody_chose() -> None:
    """ "By default seats take them in the order blue, red, yellow, green": seats without a chosen color take the
    remaining colors in this order."""
    assert begin(4, colors=["red"]).colors == ("red", "blue", "yellow", "green")
    assert begin(3, colors=[]).colors == ("blue", "red", "yellow")


@pytest.mark.parametrize(
    ("setup", "why"),
    [
        ({"colors": ["pink", "red"]}, "colors contains 'pink'; it may contain blue, red, yellow, green."),
        ({"colors": ["red", "red"]}, "colors contains red twice"),
        ({"colors": ["red", "blue", "green"]}, "colors contains 3 names; it may contain at most 2."),
        ({"colors": "red"}, "colors must be a list"),
        ({"colors": [["red"], {}]}, "colors contains ['red']"),
        ({"driving": "up"}, "driving is 'up'; it must be one of right, left."),
        ({"driving": True}, "driving is True"),
        ({"u_turns": "no"}, "u_turns is 'no'; it must be one of true, false."),
        ({"u_turns": 0}, "u_turns is 0"),
        ({"u_turns": None}, "u_turns is None"),
        ({"board": "atlantis"}, "board is 'atlantis'; it must be crossroads, grid-2x2, grid-3x3, or the path of a"),
        ({"board": ""}, "board is ''"),
        ({"board": "\0"}, "board is '\\x00'"),
        ({"board": "x" * 5000}, "board is 'xxx"),
        ({"board": "/dev/zero"}, "a regular file"),
        ({"board": "/"}, "a regular file"),
        ({"board": 7}, "board is 7"),
        ({"board": None}, "board is None"),
        ({"board": {"name": "x"}}, "board is {'name': 'x'}"),
        ({"board": {"file": "x", "text": 5}}, "board is {"),
        ({"board": {"file": "x", "text": "["}}, "x, line 1: "),
        ({"speed": 50}, "Traffic Congestion has no set-up key 'speed'"),
    ],
)
def test_a_wrong_set_up_is_refused(setup: dict[str, Any], why: str) -> None:
    """A wrong set-up is refused with one line that says what would be right."""
    assert why in refused(setup)


def test_a_mistake_in_the_board_file_is_reported_with_its_line(town: Path) -> None:
    """An error in the board file that a set-up names is reported as `tablekeeper board` reports it."""
    town.write_text(TOWN.replace('red = "east"', 'red = "up"'), "utf-8")
    assert "town.toml, line " in refused({"board": str(town)})
    town.write_bytes(b"\xff")
    assert "town.toml isn’t UTF-8 text" in refused({"board": str(town)})
    town.write_text("#" * 70_000, "utf-8")
    assert "larger than 64 KiB" in refused({"board": str(town)})


def test_a_board_of_ones_own_is_played(town: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ "A person can draw another and name its path where a board is asked for": this works as an option and in a
    set-up file."""
    moves = town.with_name("moves.jsonl")
    moves.write_text('{"seat":0,"move":"enter","lane":"west1>Oak"}\n{"seat":1,"move":"enter","lane":"west1>A"}\n')
    setup = town.with_name("setup.json")
    setup.write_text(json.dumps({"board": str(town)}))
    for how in (["--option", f"board={town}"], ["--setup", str(setup)]):
        assert main(["play", "traffic-congestion", *how, str(moves)]) == 0
        start, entered, refusal = map(json.loads, capsys.readouterr().out.splitlines())
        assert (start["state"]["board"], start["ply"]) == ("Our town", 0)
        assert entered["state"]["lanes"]["west1>Oak"] == ["blue"]
        assert refusal["error"]["code"] == "bad_move"


def test_a_wrong_board_is_wrong_usage(town: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ "An invalid set-up is wrong usage: exit 2, one line". A wrong board is such a set-up."""
    for board in ("atlantis", str(town.parent)):
        assert main(["play", "traffic-congestion", "--option", f"board={board}"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_names_are_those_of_the_board() -> None:
    """Moves can only name lanes of the board on which the game was started."""
    assert "I>south3" in GAME.rules.begin(2, {"board": "grid-3x3"}).identifiers[LaneId]
    assert "I>south3" not in GAME.rules.begin(2, {"board": "grid-2x2"}).identifiers[LaneId]


def test_a_settled_set_up_needs_no_file(town: Path) -> None:
    """Resolving a set-up reads the board's file once. The resolved set-up needs no file, and can be written as JSON and
    read again."""
    with_board_file = GAME.rules.resolve_setup({"board": str(town), "driving": "left"})
    state = GAME.rules.begin(2, with_board_file).state
    town.unlink()
    again = json.loads(json.dumps(with_board_file))
    assert GAME.rules.resolve_setup(again) == again
    assert GAME.rules.begin(2, again).state == state
    assert state.to_json()["board"] == "Our town"
    assert GAME.rules.resolve_setup({"board": "grid-3x3"}) == {"board": "grid-3x3"}
    assert GAME.rules.resolve_setup({}) == {}


def test_a_kept_game_needs_no_file(town: Path, tmp_path: Path) -> None:
    """The journal contains the board, so the game goes on if the file is moved, edited or lost."""
    journal = Journal(tmp_path / "journal.db")
    table = Table(journal)
    table.start("traffic-congestion", 2, {"board": str(town)}, {}, ("Ann", "Bob"), "seed")
    town.unlink()
    journal.close()
    journal = Journal(tmp_path / "journal.db")
    view = Table(journal).view()
    assert view is not None
    assert view.state["board"] == "Our town"
    journal.close()


def test_every_viewer_knows_the_whole_position() -> None:
    """The game has no hidden information."""
    state = act(begin(3), "enter", "north1>A")
    assert all(state.as_known_to(viewer) == state for viewer in (Seat(0), Seat(2), SPECTATOR, REFEREE))
