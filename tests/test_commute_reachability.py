"""Which spaces a piece of Commute can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.games.commute.board import Board
from companion.games.commute.board_reader import boards, read
from companion.games.commute.position_parts import Closure
from companion.games.commute.reachability import is_stuck, walk_ends
from companion.games.commute.rules import State
from companion.games.commute.suits_and_ranks import HIGHEST_VALUE
from companion.games.rules import Seat
from companion.text.refusal_errors import IllegalMove
from companion.text.toml_files import parse
from tests.commute_positions import TOWN, bump, places, town, travel, under_way

HANDS = ("AH 2H 3H", "4D 5D 6D", "7C 8C 9C")


def alone(space: str, hand: str = "3H 4H 5H", **fields: object) -> set[str]:
    """The spaces to which seat 0, at `space`, may travel with the first card of `hand` while the other pieces are far
    away."""
    state = under_way([space, "h1", "h2"], [hand, *HANDS[1:]], **fields)
    return places(state, 0, hand.split()[0])


def test_a_piece_moves_the_value_of_the_card_in_any_direction() -> None:
    """A piece moves exactly as many spaces as the card's value: "in order to move their piece the number of spaces of
    the face value of the card … in any direction." """
    assert alone("h", "AH 9H 9D") == {"g", "i"}
    assert alone("h", "2H 9H 9D") == {"f", "j"}
    assert alone("h", "3H 9H 9D") == {"e", "k"}


def test_there_is_no_turning_back() -> None:
    """Players "cannot double back on the path they are on": a step may not go back along the previous edge. The first
    step may go in any direction."""
    assert "h" not in alone("h", "2H 9H 9D")
    assert alone("x", "AH 9H 9D") == {"b"}
    assert alone("x", "2H 9H 9D") == {"a", "c", "k"}


def test_spaces_may_be_revisited() -> None:
    """ "Spaces may be revisited": a walk may go around the block and back to where it began, or continue from there."""
    assert "c" in alone("c", "3H 9H 9D")
    assert {"b", "d"} <= alone("c", "4H 9H 9D")
    assert "b" in alone("b", "5H 9H 9D")


def test_pieces_do_not_block_the_way() -> None:
    """ "Pieces don't block the way": a piece walks past others."""
    state = under_way(["h", "i", "g"], ["2H 9H 9D", *HANDS[1:]])
    assert places(state, 0, "2H") == {"f", "j"}


def test_a_path_has_one_direction() -> None:
    """ "Cannot double back on the path they are on (i.e. they must move along one direction.)": a card of two takes the
    piece two on, either way, and never there and back."""
    assert places(under_way(["i", "h1"], ["2H AH 3H", "4D 5D 6D"]), 0, "2H") == {"g", "k"}


def test_a_card_may_be_too_high_for_the_goal() -> None:
    """A card may be higher than needed to reach the goal: "Players may play a card with a higher number than the number
    of spaces they have left … to reach the end goal"; "entering the own goal always ends the move"."""
    for card in ("3H", "4H", "10H"):
        assert "work" in alone("j", f"{card} 9H 9D")
    assert "work" not in alone("j", "2H 9H 9D")
    assert alone("l", "AH 9H 9D") == {"work", "k"}


def test_the_goal_may_be_passed_by() -> None:
    """A player who could reach the goal may also walk elsewhere, if there is a walk of that length."""
    assert {"work", "h", "d"} <= alone("k", "3H 9H 9D")


def test_in_the_morning_no_house_is_entered() -> None:
    """In the morning, no card leads into any house, not even the player's own."""
    for value in ("AH", *(f"{n}H" for n in range(2, 11))):
        assert not alone("d", f"{value} 9D 8D") & set(town().houses)


def test_in_the_evening_only_the_own_house_is_entered() -> None:
    """In the evening, only the player's own house can be entered: "In the evening not the workplace, and never
    another's house." """
    assert alone("b", "2H 9H 9D", commute=1) >= {"h0"}
    for value in ("AH", *(f"{n}H" for n in range(2, 11))):
        assert alone("d", f"{value} 9D 8D", commute=1) & town().ends <= {"h0"}


CUT = """
[board]
name = "cut"
[streets]
a = [300, 100, 3]
b = [400, 100, 3]
[stations]
p = [100, 100, 5]
q = [200, 100, 2]
[houses]
h0 = [100, 200]
h1 = [300, 200]
[work]
work = [200, 200]
[roads]
road = ["q", "a", "b"]
ends = ["h0", "p"]
more = ["h1", "a"]
last = ["q", "work"]
[lines]
red = ["p", "q"]
"""
"""A board: h0 ── p ══ q ── a ── b; the workplace on q, h1 on a."""

SHUT = (Closure("red", Seat(1), 1),)


def cut(positions: list[str], **fields: Any) -> State:
    """A position in which seat 0 must move and only the red line leads away from p."""
    board = read(parse("cut.toml", CUT))
    hands = ["AH 5H 7H", "2D 3D 4D"]
    return under_way(positions, hands, **{"board": board, "houses": ("h0", "h1"), "closures": SHUT, **fields})


def test_a_dead_end_takes_a_piece_as_far_as_it_gets() -> None:
    """In a dead end, a piece goes as far as it can: "If neither a walk of that length nor the goal can be had …, the
    piece goes to an end of the longest walk." """
    evening = {"commute": 1, "houses": ("h1", "h0")}
    assert places(cut(["q", "h1"], commute=1), 0, "5H") == {"b"}
    assert places(cut(["q", "h1"], commute=1), 0, "AH") == {"a"}
    assert places(cut(["q", "p"], **evening), 0, "5H") == {"h1"}, "the goal can be had"


def test_who_cannot_move_stays_pays_and_does_not_land() -> None:
    """If no walk is possible, the piece stays: "If it can't move at all it stays, pays the card and does not land." """
    state = cut(["p", "a"])
    assert is_stuck(state.board, "work", frozenset({"red"}), "p")
    assert places(state, 0, "5H") == {"p"}
    after = travel(state, "5H", "p")
    assert (after.locations[0], after.minutes[0], after.deck.discard) == ("p", 5, ("5H",))
    assert after.stage == "replenish"


def test_a_bumped_player_who_cannot_move_stays() -> None:
    """A bumped player who can't move stays and shares the space, and nobody is bumped for it."""
    sent = travel(cut(["h0", "p"]), "AH", "p")
    assert sent.turn == 0
    assert places(sent, 0, "5H") == {"p"}
    after = bump(sent, "5H", "p")
    assert (after.locations, after.minutes, after.bump) == (("p", "p"), (6, 0), None)


def test_a_bumped_player_cannot_use_a_closed_line() -> None:
    """A bumped player can't use a closed line either: "Edges between two stations of that line can't be used, also when
    sent." """
    shut = (Closure("blue", Seat(2), 1),)
    assert "k" in alone("b", "AH 9H 9D")
    assert "k" not in alone("b", "AH 9H 9D", closures=shut)
    state = under_way(["a", "b", "h2"], ["AH 2H 3H", *HANDS[1:]], closures=shut)
    sent = travel(state, "AH", "b")
    assert places(sent, 0, "2H") == {"d", "m", "n"}
    with pytest.raises(IllegalMove, match="doesn’t take"):
        bump(sent, "2H", "l")


def test_any_street_between_stations_of_a_line_is_the_line() -> None:
    """An edge between two stations of one line belongs to that line, however the file draws it."""
    assert town().metro("e", "p") == "red"
    assert town().metro("d", "e") is None


def _walked(board: Board, goal: str, shut: frozenset[str], path: list[str], steps: int) -> Iterator[tuple[int, str]]:
    """Yields the number of steps and the end of every walk that continues `path` by up to `steps` steps."""
    here = path[-1]
    if len(path) > 1:
        yield len(path) - 1, here
    if steps and (here != goal or len(path) == 1):
        for there in board.neighbors[here]:
            barred = there in board.ends and there != goal
            if not barred and board.metro(here, there) not in shut and (len(path) < 2 or there != path[-2]):
                yield from _walked(board, goal, shut, [*path, there], steps - 1)


@pytest.mark.parametrize(
    "shut", [frozenset[str](), frozenset({"red"}), frozenset({"red", "blue"})], ids=["open", "no red", "no lines"]
)
@pytest.mark.parametrize("goal", ["work", "h1"])
def test_walks_are_those_found_by_trying_every_path(goal: str, shut: frozenset[str]) -> None:
    """In the town and in the metropolis, the reachable spaces are those found by trying every path."""
    for board in (town(), boards()["metropolis"]):
        for start in board.spaces.keys() - {goal}:
            found = list(_walked(board, goal, shut, [start], 8))
            longest = max((steps for steps, _ in found), default=0)
            for steps in range(1, 9):
                ends = {end for n, end in found if n == steps} | {end for n, end in found if n <= steps and end == goal}
                ends = ends or {end for n, end in found if n == longest} or {start}
                assert set(walk_ends(board, goal, shut, start)[steps - 1]) == ends, (start, steps)


def test_there_is_a_walk_for_every_value() -> None:
    """In the town, there is a walk of every length from one to ten steps."""
    assert {len(walk_ends(town(), "work", frozenset(), space)) for space in town().spaces} == {HIGHEST_VALUE}


def test_the_town_is_as_drawn() -> None:
    """The town has the edges of its drawing, because these tests rely on them."""
    assert "long-road" in TOWN
    assert town().neighbors["c"] == ("d", "m", "n", "b", "h1")
