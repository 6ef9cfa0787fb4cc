"""`tablekeeper play`: the headless referee, and the house that deals for it."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.__main__ import main
from companion.games import GAMES
from companion.games.rules import CERTAIN, Seat, play
from companion.games.systems_failing.cube_multiset import Cubes
from companion.games.systems_failing.moves import Draw, Scavenge
from companion.match.chance_player import ChancePlayer
from tests.systems_failing_positions import act, ship

Run = Callable[..., tuple[int, list[dict[str, Any]], str]]
SCAVENGE = {"seat": 0, "move": "scavenge"}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Returns a function that runs `tablekeeper play systems-failing` with options and input lines. The function
    returns the exit status, the output and the errors."""

    def run(*options: str, lines: list[Any] | bytes = b"") -> tuple[int, list[dict[str, Any]], str]:
        if isinstance(lines, list):
            lines = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
        try:
            status = main(["play", "systems-failing", *options])
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        said = capsys.readouterr()
        return status, [json.loads(line) for line in said.out.splitlines()], said.err

    return run


def code(answer: dict[str, Any]) -> str:
    """The code in an answer that is a refusal."""
    return str(answer["error"]["code"])


def test_line_0_is_before_the_first_deal(run: Run) -> None:
    """Line 0 is the position before the first deal. Then every move follows in order, those of the house included, each
    with its ply."""
    status, answers, _ = run("--seed", "7", lines=[SCAVENGE])
    assert status == 0
    assert set(answers[0]) == {"ply", "state"}
    assert answers[0]["state"]["bag"] == dict.fromkeys(("orange", "blue", "yellow", "red", "black", "green"), 5)
    assert [answer["ply"] for answer in answers] == list(range(len(answers)))
    assert all(set(answer) == {"ply", "move", "state"} for answer in answers[1:])
    assert [answer["move"]["move"] for answer in answers[1:4]] == ["reveal", "role", "role"]
    assert answers[-1]["state"]["actions_left"] == 3


def test_a_seed_decides_what_is_dealt(run: Run) -> None:
    """The same seed deals the same cards, another seed deals other cards. Without a seed, every game is different."""
    assert run("--seed", "7")[1] == run("--seed", "7")[1]
    assert run("--seed", "7")[1] != run("--seed", "8")[1]
    assert run("--seed", "")[1] == run("--seed", "")[1]
    assert run()[1] != run()[1]


def test_accepted_moves_fed_back_give_the_same_states(run: Run) -> None:
    """Feeding the accepted moves back "with `--house input` gives the same states, whatever the seed." """
    _, answers, _ = run("--seed", "7", "--option", "difficulty=hard", lines=[SCAVENGE, {"seat": 0, "move": "end_turn"}])
    moves = [answer["move"] for answer in answers[1:]]
    _, again, _ = run("--seed", "1", "--house", "input", "--option", "difficulty=hard", lines=moves)
    assert again == answers


def test_with_house_input_a_set_up_binds_nobody(run: Run, tmp_path: Path) -> None:
    """ "What comes in need only be possible": with house input, moves may differ from the set-up's script."""
    setup = tmp_path / "setup.json"
    setup.write_text('{"escape":["E1"]}')
    _, answers, _ = run(
        "--house", "input", "--setup", str(setup), lines=[{"seat": "house", "move": "reveal", "card": "E2"}]
    )
    assert len(answers) == 2
    assert answers[1]["state"]["escape"]["active"] == "E2"


def test_a_set_up_file_prescribes_the_deals(run: Run, tmp_path: Path) -> None:
    """A set-up file prescribes the deals. Options on the command line override those in the file."""
    setup = tmp_path / "setup.json"
    setup.write_text('{"escape":["E4"],"roles":["medic"],"difficulty":"hard","zones":{"2":["D01"]}}')
    _, answers, _ = run("--setup", str(setup), "--option", "difficulty=medium")
    state = answers[-1]["state"]
    assert (state["escape"]["active"], state["roles"][0], state["difficulty"]) == ("E4", "medic", "medium")
    assert state["zones"] == {"1": [], "2": [{"card": "D01", "placed": {}}], "3": []}


def test_refusals_are_judged_in_the_contracts_order(run: Run) -> None:
    """Errors are checked in the order bad_json, bad_move, game_over, not_your_turn, illegal_move. After a refusal,
    state and ply stay the same, and the move is echoed."""
    lines = [
        "{",
        {"seat": 1, "move": "fly"},
        {"seat": 1, "move": "transfer", "color": "white"},
        {"seat": "house", "move": "advance"},
        {"seat": 0, "move": "transfer", "color": "white"},
        {"seat": 0, "move": "repair", "card": "D01", "cubes": ["red"], "ability": 1, "x": 1},
        '{"seat":0,"x":1e999}',
        {"seat": 0, "move": "end_turn"},
    ]
    _, answers, _ = run("--seed", "7", lines=lines)
    refused = [answer for answer in answers if "error" in answer]
    wanted = ["bad_json", "bad_move", "not_your_turn", "not_your_turn", "illegal_move", "bad_move", "bad_move"]
    assert [code(answer) for answer in refused] == wanted
    assert all(set(answer) == {"error", "move"} and set(answer["error"]) == {"code", "message"} for answer in refused)
    assert [answer["move"] for answer in refused[:6]] == lines[:6]
    assert answers[-1]["ply"] == answers[-len(refused) - 2]["ply"] + 1


def test_after_the_end_a_malformed_move_is_still_a_bad_move(run: Run) -> None:
    """After the end of the game, a malformed move is still `bad_move`; any other move is `game_over`."""
    turns = [{"seat": seat, "move": "end_turn"} for seat in (0, 1, 1, 0)] * 20
    last = [{"seat": "house", "move": "advance"}, {"seat": 0, "move": "fly"}, "{"]
    _, answers, _ = run("--seed", "7", lines=[*turns, *last])
    assert [code(answer) for answer in answers[-3:]] == ["game_over", "bad_move", "bad_json"]
    over = next(answer["state"] for answer in reversed(answers) if "state" in answer)
    assert (over["turn"], over["over"], over["result"]["won"]) == (None, True, False)


def test_moves_are_echoed_as_they_came(run: Run) -> None:
    """The echo of a move keeps the order of keys and does not add omitted defaults."""
    move = {"move": "repair", "seat": 0, "cubes": [], "card": "E1", "ability": False}
    _, answers, _ = run("--seed", "7", lines=[move, {"move": "end_turn", "seat": 0}])
    assert [list(answer["move"]) for answer in answers[-2:]] == [[*move], ["move", "seat"]]


def test_legal_lists_the_moves_of_who_may_act(run: Run) -> None:
    """On the house's turn, `legal` is `[]`. Otherwise it lists moves that are all accepted."""
    _, answers, _ = run("--seed", "7", "--legal")
    assert all(answer["legal"] == [] for answer in answers[:-1])
    for move in answers[-1]["legal"]:
        assert "error" not in run("--seed", "7", lines=[move])[1][-1]


def test_each_seat_sees_all_there_is(run: Run) -> None:
    """Systems Failing has no hidden information, so both seats and the referee see the same, including refusals."""
    lines = [SCAVENGE, {"seat": 1, "move": "scavenge"}]
    seen = [run("--seed", "7", "--legal", *seat, lines=lines)[1] for seat in ((), ("--seat", "0"), ("--seat", "1"))]
    assert seen[0] == seen[1] == seen[2]


def test_strict_stops_at_the_first_refusal(run: Run) -> None:
    """With --strict the first refusal is printed, and the command ends with status 1 and a line that gives the
    reason."""
    status, answers, said = run("--seed", "7", "--strict", lines=[{"seat": 1, "move": "end_turn"}, SCAVENGE])
    assert (status, code(answers[-1])) == (1, "not_your_turn")
    assert said.count("\n") == 1
    assert "seat 0’s turn" in said


def test_lines_may_be_anything(run: Run) -> None:
    """Empty input lines are skipped. Invalid UTF-8 and very deep nesting are bad JSON."""
    _, answers, _ = run("--seed", "7", lines=b'\n  \n\xff\n{"seat":0,"move":"scav\xff"}\n' + b"[" * 50_000 + b"\r\n")
    assert [code(answer) for answer in answers if "error" in answer] == ["bad_json"] * 3


@pytest.mark.parametrize(
    ("options", "setup", "status"),
    [
        (("--seats", "3"), None, 2),
        (("--seat", "2"), None, 2),
        (("--option", "difficulty=brutal"), None, 2),
        (("--option", "speed=3"), None, 2),
        (("--house", "maybe"), None, 2),
        ((), '{"deck":["D01","D01"]}', 2),
        ((), '{"zones":{"1":["D01"]},"deck":["D01"]}', 2),
        ((), "[]", 2),
        ((), "{", 2),
        (("moves-that-are-not-there.jsonl",), None, 1),
    ],
)
def test_wrong_usage_is_one_line(
    run: Run, tmp_path: Path, options: tuple[str, ...], setup: str | None, status: int
) -> None:
    """Wrong usage gives exit status 2, and a failure gives 1. Both print one line, and never a traceback."""
    if setup:
        (tmp_path / "setup.json").write_text(setup)
        options = ("--setup", str(tmp_path / "setup.json"))
    got, answers, said = run(*options)
    assert (got, answers) == (status, [])
    assert "Traceback" not in said
    assert said.strip().splitlines()[-1].startswith("tablekeeper")


def test_moves_may_come_from_a_file(run: Run, tmp_path: Path) -> None:
    """Moves can be read from a file, which the last argument names."""
    (tmp_path / "moves.jsonl").write_text(json.dumps(SCAVENGE) + "\n")
    assert run("--seed", "7", str(tmp_path / "moves.jsonl"))[1] == run("--seed", "7", lines=[SCAVENGE])[1]


def test_chance_depends_on_seed_and_ply_alone() -> None:
    """Chance depends only on the seed and the ply: "Nobody can fish for a better one". Asking twice gives the same
    outcome."""
    state, house = act(ship(), "scavenge"), ChancePlayer("a")
    assert {house.next_move(state, 5) for _ in range(5)} == {ChancePlayer("a").next_move(state, 5)}
    assert len({ChancePlayer(str(seed)).next_move(state, 5) for seed in range(30)}) > 3


def test_cubes_come_as_often_as_they_lie_in_the_bag() -> None:
    """Cubes are drawn in proportion to their number, here from a bag of 3 red cubes and 1 blue one."""
    bag = Cubes({"red": 3, "blue": 1})
    state = play(ship(bag=bag), Scavenge(seat=Seat(0)))
    drawn = Counter(
        move.face for ply in range(400) if isinstance(move := ChancePlayer("a").next_move(state, ply), Draw)
    )
    assert 250 < drawn["red"] < 350


def test_a_script_comes_first_and_is_used_up() -> None:
    """Scripted faces that are not possible yet wait. After the script is used up, the seed decides."""
    state = act(ship(), "scavenge")
    house = ChancePlayer("a", {"draw": ("purple", "green", "red")})
    assert [house.next_move(state, 0).face for _ in range(2)] == ["green", "red"]
    assert house.next_move(state, 3) == ChancePlayer("a").next_move(state, 3)


def test_a_certain_outcome_comes_before_the_script() -> None:
    """A certain outcome, such as a card that was put back on the deck, comes before the script and uses up nothing of
    it."""
    state, house = act(ship(), "scavenge"), ChancePlayer("a", {"draw": ("green", "red")})
    put_back = SimpleNamespace(
        chances=lambda: iter([(move, CERTAIN * (move.face == "red")) for move, _ in state.chances()])
    )
    assert [house.next_move(on, 0).face for on in (put_back, state, state)] == ["red", "green", "red"]


def test_a_house_without_chances_says_so() -> None:
    """Asking the house for a move when chance has no outcome is an error."""
    with pytest.raises(ValueError, match="does not exist"):
        ChancePlayer("a").next_move(ship(), 0)


def test_every_game_is_listed_by_its_name() -> None:
    """The command's GAME argument is the game's own name."""
    assert all(name == game.name for name, game in GAMES.items())
