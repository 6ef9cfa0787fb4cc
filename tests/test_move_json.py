"""Moves as JSON: the lines of the contract, and the refusals that come before any rule is checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games import GAMES, move_json
from companion.games.game import Game, GameRules, GameText
from companion.games.rules import Move, Seat
from companion.games.systems_failing.moves import Advance, Draw, Repair, Scavenge
from companion.text.refusal_errors import BadJson, BadMove

GAME = GAMES["systems-failing"]


def read(value: Any) -> Move:
    """The move of a JSON value."""
    return move_json.from_json(GAME, 2, value)


def test_a_move_is_one_line() -> None:
    """Moves are written as the one-line JSON objects of the contract, and read from them."""
    line = '{"seat":1,"move":"repair","card":"D07","cubes":["red","blue"],"ability":true}'
    move = move_json.read(GAME, 2, line)
    assert isinstance(move, Repair)
    assert (move.seat, move.card, move.cubes, move.ability) == (1, "D07", ("red", "blue"), True)
    assert move_json.write(move) == line
    assert move_json.write(Advance()) == '{"seat":"house","move":"advance"}'


def test_an_optional_key_has_its_default() -> None:
    """ "`ability`: false if left out": an optional key has its default value."""
    assert read({"seat": 0, "move": "repair", "card": "E1", "cubes": []}).ability is False  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "scavenge",
        '{"seat":NaN}',
        "Infinity",
        "{'seat':0}",
        '{"seat":0}x',
        "[" * 100_000,
        "[" * 999 + "]" * 999,
    ],
)
def test_broken_json_is_refused_as_bad_json(line: str) -> None:
    """Broken JSON, NaN (which JSON does not have) and JSON nested too deeply to be written back are refused as
    `bad_json`."""
    with pytest.raises(BadJson):
        move_json.loads(line)


@pytest.mark.parametrize("line", ["1e999", "[-1e999]", '{"a":' * 50 + "1" + "}" * 50, '"\\ud800"', "9" * 300])
def test_whatever_is_json_can_be_written_back(line: str) -> None:
    """A refusal echoes the move, so it must be valid JSON again: without Infinity or broken characters."""
    written = move_json.dumps(move_json.loads(line))
    assert written.isascii()
    json.loads(written, parse_constant=pytest.fail)


OK = {"seat": 0, "move": "transfer", "color": "red"}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "object"),
        (None, "object"),
        ("scavenge", "object"),
        ({}, 'needs "move"'),
        ({"seat": 0}, 'needs "move"'),
        ({"seat": 0, "move": 7}, 'needs "move"'),
        ({"seat": 0, "move": "fly"}, "the seats’ are scavenge, transfer"),
        ({"seat": "house", "move": "fly"}, "the house’s are draw, reveal"),
        ({"move": "scavenge"}, "seat"),
        ({"seat": 2, "move": "scavenge"}, "0 to 1"),
        ({"seat": -1, "move": "scavenge"}, "0 to 1"),
        ({"seat": True, "move": "scavenge"}, "0 to 1"),
        ({"seat": 0.0, "move": "scavenge"}, "0 to 1"),
        ({"seat": "0", "move": "scavenge"}, "0 to 1"),
        ({"seat": None, "move": "scavenge"}, "0 to 1"),
        ({"seat": [0], "move": "scavenge"}, "0 to 1"),
        ({"seat": "house", "move": "scavenge"}, "not a move of the house"),
        ({"seat": 0, "move": "advance"}, "of the house, not of a seat"),
        ({"seat": 0, "move": "scavenge", "x": 1}, 'no "x"; its keys are move, seat'),
        ({"seat": 0, "move": "transfer"}, '"color" is missing'),
        (OK | {"color": "pink"}, "orange, blue, yellow, red, black, green, white"),
        (OK | {"color": 1}, "is 1"),
        (OK | {"color": None}, "is null"),
        (OK | {"color": ["red"]}, "must be one of"),
        (
            {"seat": 0, "move": "repair", "card": "D99", "cubes": []},
            '"card" is "D99"; it must be one of D01, D02',
        ),
        ({"seat": 0, "move": "repair", "card": "D01", "cubes": "red"}, "must be a list"),
        ({"seat": 0, "move": "repair", "card": "D01", "cubes": ["red", 1]}, '"cubes[1]" is 1'),
        ({"seat": 0, "move": "repair", "card": "D01", "cubes": [], "ability": 1}, "true or false"),
        ({"seat": 0, "move": "repair", "card": "D01", "cubes": [], "ability": None}, "true or false"),
        ({"seat": "house", "move": "draw", "to": 2, "cube": "red"}, "seat, 0 to 1"),
        ({"seat": "house", "move": "draw", "to": True, "cube": "red"}, "seat, 0 to 1"),
        ({"seat": "house", "move": "reveal", "card": "d04"}, '"d04"'),
        ({"seat": "house", "move": "role", "to": 0, "role": "captain"}, "electrician, mechanic"),
    ],
)
def test_json_that_is_no_move_is_refused_as_a_bad_move(value: Any, why: str) -> None:
    """These values are bad moves: "Not an object, a missing field or wrong type, `true` is not 1, a move, seat, card or
    color that the game does not have, a house move by a seat or the reverse". Unknown keys are refused too."""
    with pytest.raises(BadMove) as caught:
        read(value)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 130


def test_an_error_in_a_list_names_the_wrong_element() -> None:
    """An error in a list names the wrong element, not the list."""
    line = {"seat": 0, "move": "specify", "target": 1, "rank": 1, "slots": [0, True]}
    with pytest.raises(BadMove, match=r'"slots\[1\]" must be a whole number'):
        move_json.from_json(GAMES["system-won"], 2, line)


def test_refusals_stay_short_whatever_comes() -> None:
    """Whatever the value is, the refusal is short: it quotes only the beginning of a long value."""
    for value in ({"seat": 0, "move": "x" * 9999}, OK | {"color": "x" * 9999}, OK | {"x" * 9999: 1}):
        with pytest.raises(BadMove) as caught:
            read(value)
        assert len(str(caught.value)) < 160


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from(["seat", "move", "card", "cubes", "ability", "color", "to", "cube", "role"])
words = st.sampled_from([0, 1, 2, "house", "repair", "draw", "transfer", "red", "D01", "E1", ["red"], True])


@pytest.mark.slow
@given(value=json_values | st.dictionaries(keys, words | json_values))
def test_anything_is_either_a_move_or_a_bad_one(value: Any) -> None:
    """Every JSON value either is a bad move or gives a move that is the same after writing and reading it again."""
    try:
        move = read(value)
    except BadMove:
        return
    assert read(move_json.to_json(move)) == move


@dataclass(frozen=True)
class NestedObject:
    """An object within a move."""

    target: Seat
    rank: int | None = None


@dataclass(frozen=True, kw_only=True)
class UseHints(Move):
    """One use of an ability."""

    NAME: ClassVar[str] = "ability"
    use: Literal["hints"] = "hints"
    hints: tuple[NestedObject, ...]


@dataclass(frozen=True, kw_only=True)
class UseRest(Move):
    """Another use of an ability, with an optional field."""

    NAME: ClassVar[str] = "ability"
    use: Literal["rest"] = "rest"
    then: Literal["keep"] | NestedObject = "keep"
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Take(Move):
    """A move with a key that is a Python keyword."""

    NAME: ClassVar[str] = "take"
    from_: Seat


OTHER: Game[Any] = Game(
    rules=GameRules(
        name="other",
        title="Other",
        summary="",
        seats=range(2, 4),
        version=1,
        moves=(UseHints, UseRest, Take),
        identifiers={},
        begin=GAME.rules.begin,
    ),
    text=GameText(
        log_line=GAME.text.log_line,
        label=GAME.text.label,
    ),
)


@pytest.mark.parametrize(
    "value",
    [
        {"seat": 0, "move": "ability", "use": "hints", "hints": [{"target": 1, "rank": 3}]},
        {"seat": 0, "move": "ability", "use": "hints", "hints": [{"target": 1}]},
        {"seat": 0, "move": "ability", "use": "rest", "then": "keep"},
        {"seat": 0, "move": "ability", "use": "rest", "then": {"target": 1, "rank": 2}, "note": "x"},
    ],
)
def test_moves_that_share_a_name_are_told_apart_by_their_fixed_fields(value: dict[str, Any]) -> None:
    """The field `use` selects the class of the move. Nested objects and alternatives are read by their types."""
    assert move_json.to_json(move_json.from_json(OTHER, 2, value)) == value


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"use": "hints", "hints": [{"target": 5}]}, '"target" must be a seat'),
        ({"use": "hints", "hints": [{"target": 1, "x": 1}]}, 'no "x"'),
        ({"use": "hints", "hints": [{}]}, '"target" is missing'),
        ({"use": "hints", "hints": [{"target": 1, "rank": True}]}, "whole number"),
        ({"use": "rest", "then": "drop"}, "keep"),
        ({"use": "rest", "then": {"target": 5}}, '"target" must be a seat'),
        ({"use": "rest", "note": 1}, "must be text"),
        ({"use": "sleep", "hints": []}, '"use", one of hints, rest'),
        ({"hints": []}, '"use", one of hints, rest'),
    ],
)
def test_errors_in_nested_objects_are_named(value: dict[str, Any], why: str) -> None:
    """Errors within nested objects and alternatives are reported by name."""
    with pytest.raises(BadMove, match=why):
        move_json.from_json(OTHER, 2, {"seat": 0, "move": "ability"} | value)


def test_a_key_may_be_a_keyword_of_python() -> None:
    """The field `from_` is written as the key "from", and only read from this key."""
    value = {"seat": 0, "move": "take", "from": 1}
    assert move_json.to_json(move_json.from_json(OTHER, 2, value)) == value
    for bad in ({"from_": 1}, {}, {"from": 5}):
        with pytest.raises(BadMove, match="from"):
            move_json.from_json(OTHER, 2, {"seat": 0, "move": "take"} | bad)


def test_equal_moves_are_equal() -> None:
    """Moves are immutable values that compare by content."""
    assert read({"seat": 0, "move": "scavenge"}) == Scavenge(seat=Seat(0))
    assert hash(read({"seat": "house", "move": "draw", "to": 1, "cube": "white"})) == hash(
        Draw(to=Seat(1), cube="white")  # type: ignore[arg-type]
    )
