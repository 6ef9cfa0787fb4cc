"""Boards and “Uh-Oh!” cards of Commute: what their files may contain, and what is guaranteed about the shipped ones."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from companion.__main__ import main
from companion.games.commute import uh_oh_cards as uh_oh_file
from companion.games.commute import uh_oh_effect_types
from companion.games.commute.board import MIN_SPACING, SIZE, Board
from companion.games.commute.board_reader import MAX_SPACE_MINUTES, MIN_SPACE_MINUTES, boards, files, read
from companion.games.commute.game import GAME
from companion.games.commute.uh_oh_cards import uh_oh_cards
from companion.text.refusal_errors import SetupError
from companion.text.toml_files import DataError, load, parse
from tests.commute_positions import TOWN, town

METROPOLIS = boards()["metropolis"]


def steps(board: Board, start: str) -> dict[str, int]:
    """The number of steps from a space to each other space, without passing through houses or the workplace."""
    found, heads = {start: 0}, [start]
    for here in heads:
        if here == start or here not in board.ends:
            for there in board.neighbors[here]:
                if there not in found:
                    found[there] = found[here] + 1
                    heads.append(there)
    return found


def test_the_metropolis_has_what_the_game_needs() -> None:
    """The metropolis has about 70 spaces: a workplace, five houses, “Uh-Oh!” spaces, and stations on three lines.
    Minutes range from −3 to +8, with none on the workplace and houses."""
    kinds = Counter(space.kind for space in METROPOLIS.spaces.values())
    assert 65 <= len(METROPOLIS.spaces) <= 75
    assert (kinds["work"], kinds["house"]) == (1, 5)
    assert kinds["uh_oh"] >= 8
    assert len(METROPOLIS.lines) == 3
    minutes = {space.minutes for space in METROPOLIS.spaces.values()}
    assert (min(minutes), max(minutes)) == (-3, 8)
    assert {METROPOLIS.spaces[end].minutes for end in METROPOLIS.ends} == {0}


def test_every_line_runs_between_two_of_its_stations() -> None:
    """ "Each line with an edge between two of its stations": every metro line can be used."""
    ridden = {METROPOLIS.metro(one, other) for one, other in METROPOLIS.edges}
    assert ridden == {None, *METROPOLIS.lines}


def test_all_houses_are_about_equally_far_from_work() -> None:
    """All houses are about equally far from work, with and without the metro: "Steps to work at most 2 apart"."""
    far = [steps(METROPOLIS, METROPOLIS.work)[house] for house in METROPOLIS.houses]
    assert max(far) - min(far) <= 2
    assert min(far) > 10, "no single card takes anybody all the way"


def test_spaces_have_room_in_the_drawing() -> None:
    """The centers of all spaces are inside the drawing and at least 36 units apart, and none is on a street between
    other spaces."""
    places = {space.id: space.xy for space in METROPOLIS.spaces.values()}
    assert all(0 <= x <= SIZE[0] and 0 <= y <= SIZE[1] for x, y in places.values())
    assert min(math.dist(one, other) for one, other in combinations(places.values(), 2)) >= MIN_SPACING
    for one, other in METROPOLIS.edges:
        for space, place in places.items():
            if space not in (one, other):
                assert _away(place, places[one], places[other]) > 12, (space, one, other)


def _away(point: tuple[int, int], one: tuple[int, int], other: tuple[int, int]) -> float:
    """The distance of a point from the line segment between two other points."""
    along = [(b - a) for a, b in zip(one, other, strict=True)]
    share = sum((p - a) * d for p, a, d in zip(point, one, along, strict=True)) / sum(d * d for d in along)
    nearest = [a + max(0.0, min(1.0, share)) * d for a, d in zip(one, along, strict=True)]
    return math.dist(point, nearest)


def test_there_are_crossings_and_ways_around() -> None:
    """Streets cross, so players can choose between routes."""
    assert sum(len(beside) > 2 for beside in METROPOLIS.neighbors.values()) >= 15


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("a = [20, 100, 1]", "a = [20, 100]", "a = ", "a contains 2 numbers; it must contain x, y and minutes"),
        ("a = [20, 100, 1]", "a = [20, 100, 9]", "a = ", "a adds 9 minutes; it may add -3 to 8"),
        ("a = [20, 100, 1]", "a = [20, 401, 1]", "a = ", "the drawing is 600 by 400"),
        ("a = [20, 100, 1]", "a = [20, 601, 1]", "a = ", "a is at 20, 601, but the drawing is 600 by 400"),
        ("a = [20, 100, 1]", "a = [43.5, 39, 6]", "a = ", "a contains 43.5; it must contain whole numbers."),
        ("a = [20, 100, 1]", "a = [nan, 39, 6]", "a = ", "a contains nan; it must contain whole numbers."),
        ("a = [20, 100, 1]", 'a = "here"', "a = ", "a list of whole numbers"),
        ("c = [120, 100, 1]", "c = [50, 100, 1]", "c = ", "c is too close to a. Keep them at least 36 units apart"),
        ("h0 = [20, 200]", "h0 = [20, 200, 5]", "h0 = ", "h0 contains 3 numbers; it must contain x, y."),
        ("f = [270, 100, 2]", "a = [270, 100, 2]", "a = [270", "a is in the file twice"),
        ("g = [320, 100, 1]", "G = [320, 100, 1]", "G = ", "can’t be called 'G'"),
        ('"b", "x"', '"b", "z"', "cul-de-sac", "contains 'z'; it may contain a, c, d, … work."),
        ('"b", "x"', '"b", "b"', "cul-de-sac", "are connected twice, or are the same space"),
        ('"b", "x"', '"b", "x", "b"', "cul-de-sac", "are connected twice"),
        ('blue = ["b", "k"]', 'blue = ["b", "j"]', "blue = ", "blue contains 'j', which isn’t under [stations]."),
        ('blue = ["b", "k"]', 'blue = ["b", "e"]', "blue = ", "e is already a station of red"),
        ('red = ["e", "p", "q"]', 'red = ["e", "p"]', "q = ", "q isn’t a station of any line"),
        ('"l", "work"]', '"l"]', "h0 = ", "there’s no way from h0 to work"),
        ("work = [570, 200]", "work = [570, 200]\nwork-2 = [500, 300]", "[work]", "one workplace"),
        ('name = "town"', 'name = "Town!"', "name = ", "name is 'Town!'"),
        ('name = "town"', 'name = "town"\nsize = 3', "size", "size is unknown"),
        ("[streets]", "[alleys]", "[alleys]", "[alleys] is unknown"),
    ],
)
def test_a_mistake_is_named_with_its_line(old: str, new: str, line: str, why: str) -> None:
    """An error in a board file is reported in one line, from which a user knows what to correct."""
    text = TOWN.replace(old, new, 1)
    number = text[: text.index(line)].count("\n") + 1
    with pytest.raises(DataError) as caught:
        read(parse("mine.toml", text))
    assert str(caught.value).startswith(f"mine.toml, line {number}: ")
    assert why in str(caught.value)


@pytest.mark.parametrize("header", ["board", "houses", "work", "roads"])
def test_what_is_missing_is_named(header: str) -> None:
    """A board without a workplace, houses or streets is refused with a message that names what is missing."""
    start = TOWN.index(f"[{header}]")
    end = TOWN.find("\n[", start)
    text = TOWN[:start] + (TOWN[end + 1 :] if end >= 0 else "")
    with pytest.raises(DataError, match=rf"^mine.toml, line 1: the file must have one \[{header}\], not 0"):
        read(parse("mine.toml", text))


def test_a_board_needs_two_houses() -> None:
    """A board needs at least two houses, because there are at least two players."""
    text = TOWN[: TOWN.index("h1 =")] + TOWN[TOWN.index("[work]") :]
    for road in ("close-1", "close-2", "close-3"):
        text = "\n".join(line for line in text.splitlines() if not line.startswith(road))
    with pytest.raises(DataError, match="2 houses or more"):
        read(parse("mine.toml", text))


def test_a_board_may_lack_metro_and_uh_oh_spaces() -> None:
    """A board may have no metro and no “Uh-Oh!” spaces. A card that closes a line then has no effect."""
    lines = ["[board]", 'name = "plain"', "[streets]", "a = [100, 100, 1]", "[houses]", "h1 = [100, 200]"]
    lines += ["h2 = [200, 200]", "[work]", "work = [200, 100]", "[roads]"]
    lines += ['road = ["h1", "a", "h2"]', 'last = ["a", "work"]']
    board = read(parse("plain.toml", "\n".join(lines)))
    assert (board.lines, board.houses) == ((), ("h1", "h2"))


def test_a_board_survives_conversion_to_json() -> None:
    """A board stays the same when it is converted to
    `{"name","spaces":[{"id","kind","minutes","line","xy"}],"edges","work","houses"}` and back."""
    value = json.loads(json.dumps(METROPOLIS.to_json()))
    assert set(value) == {"name", "spaces", "edges", "work", "houses"}
    assert set(value["spaces"][0]) == {"id", "kind", "minutes", "line", "xy"}
    assert Board.from_json(value).to_json() == METROPOLIS.to_json()
    assert all(MIN_SPACE_MINUTES <= space["minutes"] <= MAX_SPACE_MINUTES for space in value["spaces"])


def test_the_board_command_prints_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`tablekeeper board` prints a shipped board or a user's board file as JSON."""
    assert main(["board", "metropolis", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == METROPOLIS.to_json()
    path = tmp_path / "mine.toml"
    path.write_text(TOWN)
    assert main(["board", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == town().to_json()


def test_an_own_board_is_kept_with_the_game(tmp_path: Path) -> None:
    """The text of a user's board file becomes part of the set-up, so the file may change or disappear. The game has the
    spaces and lines of that board."""
    path = tmp_path / "mine.toml"
    path.write_text(TOWN)
    with_board_file = GAME.rules.resolve_setup({"board": str(path)})
    path.unlink()
    begun = GAME.rules.begin(2, json.loads(json.dumps(with_board_file)))
    assert begun.state.board.to_json() == town().to_json()
    assert begun.state.as_known_to("spectator").board.to_json() == town().to_json()
    assert "cul-de-sac" in str(with_board_file)
    assert GAME.rules.resolve_setup({"board": "metropolis"}) == {"board": "metropolis"}


def test_an_unusable_board_is_a_set_up_error(tmp_path: Path) -> None:
    """A missing file, an error in the file, the name of a shipped board, and a file that is not a board are set-up
    errors."""
    path = tmp_path / "mine.toml"
    path.write_text(TOWN.replace('"town"', '"metropolis"'))
    wrong: list[dict[str, Any]] = [{"board": str(tmp_path / "none.toml")}, {"board": str(path)}, {"board": 5}]
    for setup in (*wrong, {"board": {"file": "x"}}, {"board": {"file": "x", "text": "[board"}}):
        with pytest.raises(SetupError) as caught:
            GAME.rules.begin(2, GAME.rules.resolve_setup(setup))
        assert "\n" not in str(caught.value)


def test_shipped_boards_are_named_after_their_files() -> None:
    """A shipped board has the name of its file, so that it can be found by name."""
    assert {name: board.name for name, board in boards().items()} == {name: name for name in files()}


def described(effect: uh_oh_effect_types.Effect) -> list[str]:
    """The kinds of an effect and of all effects within it."""
    found, todo = list[str](), [uh_oh_effect_types.to_json(effect)]
    while todo:
        value = todo.pop()
        found.append(value["kind"])
        todo += [each for each in value.get("of", ()) if each]
        todo += [value[key] for key in ("morning", "evening", "then", "else") if value.get(key)]
    return found


def test_there_are_twenty_cards_with_words_of_their_own() -> None:
    """There are twenty “Uh-Oh!” cards, `U01` to `U20`, with different texts."""
    cards = uh_oh_cards()
    assert list(cards) == [f"U{n:02}" for n in range(1, 21)]
    assert len({card.title for card in cards.values()}) == len({card.text for card in cards.values()}) == 20


def test_the_cards_of_the_sample_are_among_them() -> None:
    """The cards of the rule text's sample are included: a strike at stations, an earthquake that closes a line, the
    expense claim, the cat, the time card, the admired rival, the leaking pipe."""
    does = [card.to_json()["effect"] for card in uh_oh_cards().values()]
    cat = [{"kind": "minutes", "amount": 10}, {"kind": "reputation", "amount": 5}]
    claim = [{"kind": "swap", "gives": "chosen", "gets": "random"}, {"kind": "skip_turn", "who": "other"}]
    leak = {"morning": {"kind": "minutes", "amount": 2}, "evening": {"kind": "minutes", "amount": -2}}
    for effect in (
        {"kind": "close_line", "turns": 1},
        {"kind": "choice", "of": claim},
        {"kind": "choice", "of": [{"kind": "all", "of": cat}, {"kind": "reputation", "amount": -1}]},
        {"kind": "minutes", "amount": 6},
        {"kind": "swap", "gives": "random", "gets": "chosen"},
        {"kind": "by_commute", **leak},
    ):
        assert effect in does
    strikes = [effect for effect in does if effect["kind"] == "at_station" and effect["else"] is None]
    assert strikes[0]["then"]["amount"] > 0


def test_every_kind_of_effect_is_on_some_card() -> None:
    """Every kind of effect is on at least one card."""
    assert {kind for card in uh_oh_cards().values() for kind in described(card.effect)} == set(uh_oh_effect_types.KEYS)


def test_an_effect_survives_conversion_to_json() -> None:
    """An effect stays the same when it is converted to JSON and back."""
    for card in uh_oh_cards().values():
        assert uh_oh_effect_types.read(json.loads(json.dumps(uh_oh_effect_types.to_json(card.effect)))) == card.effect


@pytest.mark.parametrize(
    ("effect", "why"),
    [
        ('{ kind = "minutes" }', "minutes must have amount, and nothing else"),
        ('{ kind = "minutes", amount = 6, more = 1 }', "and nothing else"),
        ('{ kind = "minutes", amount = true }', "amount is True"),
        ('{ kind = "minutes", amount = 600 }', "it must be -60 to 60"),
        ('{ kind = "nap" }', "kind is 'nap'; it must be one of minutes"),
        ('{ kind = "choice", of = [] }', "choice must have of"),
        ('{ kind = "all", of = [5] }', "5 is not an effect"),
        ('{ kind = "swap", gives = "chosen", gets = "stolen" }', "it must be chosen or random"),
        ('{ kind = "skip_turn", who = "all" }', "it must be self or other"),
        ('{ kind = "close_line", turns = 0 }', "it must be 1 to 9"),
        ('{ kind = "at_station", then = { kind = "minutes", amount = 1 }, or = 2 }', "at_station must have then and"),
        ('"rain"', "effect is 'rain'; it must be a table"),
    ],
)
def test_a_mistake_in_a_card_is_named_with_its_line(effect: str, why: str) -> None:
    """An error in an effect is reported with its line in the file."""
    text = f'\n[[uh_oh]]\nid = "U01"\ntitle = "T"\ntext = "Words."\neffect = {effect}\n'
    with pytest.raises(DataError) as caught:
        uh_oh_file.read(parse("mine.toml", text))
    assert str(caught.value).startswith("mine.toml, line 6: ")
    assert why in str(caught.value)


def test_a_duplicate_card_is_reported() -> None:
    """A duplicate card is reported with its line."""
    card = '[[uh_oh]]\nid = "U01"\ntitle = "T"\ntext = "W."\neffect = { kind = "minutes", amount = 1 }\n'
    with pytest.raises(DataError, match="line 7: U01 is in the file twice"):
        uh_oh_file.read(parse("mine.toml", card + card))


def test_the_cards_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    """`tablekeeper cards commute --json` prints `{"cards":[…],"uh_oh":[{"id","title","text","effect"}]}`."""
    assert main(["cards", "commute", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (len(data["cards"]), data["cards"][0], data["cards"][-1]) == (40, "AH", "10S")
    assert data["uh_oh"] == [card.to_json() for card in uh_oh_file.read(load(uh_oh_file.CARDS)).values()]
    assert main(["cards", "commute"]) == 0
