"""The pools of Systems Failing at the table: where their cubes stand, which counts are reported, and which moves of
cubes are begun."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any, Literal

import pytest

from companion.games.rules import SPECTATOR, Seat, play
from companion.games.systems_failing.components import FIRST_MARKER as MARKER
from companion.games.systems_failing.cube_multiset import Cubes
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.mat import MAT, POOL_LEFT, POOL_SIZE, POOL_TOPS
from companion.games.systems_failing.physical import begun_move, token_placements
from companion.games.systems_failing.rules import State
from companion.simulator.draw_from_pile import MatchSnapshot
from companion.simulator.simulated_table import SimulatedTable
from companion.table.table import Table
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.observations import CardSeen, MatSeen, TokensCounted
from companion.tabletop.tracked_table import TrackedTable
from tests.systems_failing_positions import act, begin, ship
from tests.systems_failing_tables import new_table, seen

Held = Mapping[str, int]


def count_of(place: str, tokens: Held | None, why: Literal["", "dark", "patches"] = "") -> TokensCounted:
    certainty: Literal["certain", "unknown"] = "unknown" if why else "certain"
    return TokensCounted(t=1, place=place, tokens=tokens, certainty=certainty, why=why)


def tracked(own: str, other: str = "") -> TrackedTable:
    """A tracked table on which the camera has counted the cubes in both pools."""
    table = TrackedTable()
    for place, colors in (("pool-0", own), ("pool-1", other)):
        table = table.after(count_of(place, dict(Counter(colors.split()))), 1.0)
    return table


def begun(state: State, own: str, other: str = "green") -> BegunMove | None:
    return begun_move(state, tracked(own, other))


def test_cubes_stand_in_the_pools_of_their_owners() -> None:
    """In every position of a game, each pool on the mat has the recorded cubes."""
    state, rng = begin(), Random(1)
    for _ in range(150):
        placed = token_placements(state)
        for seat, top in enumerate(POOL_TOPS):
            here = [token.kind for token in placed if top < token.y < top + POOL_SIZE[1]]
            assert Cubes(here) == state.pools[seat]
        assert all(POOL_LEFT < token.x < POOL_LEFT + POOL_SIZE[0] for token in placed)
        moves = [*state.legal_moves()] or [move for move, weight in state.chances() if weight]
        if not moves:
            break
        state = play(state, rng.choice(moves))


def test_the_areas_in_which_cubes_are_counted_are_places_of_the_layout() -> None:
    """Layouts name the tokens of each area in which the camera counts."""
    assert MAT.token_colors
    assert {*MAT.token_colors.areas} <= {*GAME.physical.layout(ship(), SPECTATOR).tokens}


STATE = ship({1: ["D01"]}, ("red blue black", "green"))


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("blue black", "green"),  # the red cube is on D01
        ("black", "green"),  # and so is the blue one
        ("", "green"),  # all are back in the bag
        ("red", "green"),  # most of them are, and the last one will follow
        ("red blue black", ""),  # the green one is on its way to the other pool
        ("red blue black green", ""),  # it has arrived there
    ],
)
def test_a_move_of_cubes_is_begun(own: str, other: str) -> None:
    """If cubes have left a pool or arrived there as in a legal move, the pages ask for this move."""
    found = begun(STATE, own, other)
    assert found is not None
    assert found.seat == 0
    assert found.places == {"pool-0", "pool-1", "SF-D01", "SF-E1"}


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("red blue black", "green"),  # as recorded
        ("red blue black yellow", "green"),  # nobody can have drawn a cube yet
        ("red blue", "green black"),  # nobody gives cubes to the other player
        ("red blue black", "green green"),
        ("red blue black green", "green"),  # a cube is left over from an earlier move
    ],
)
def test_other_differences_are_no_begun_move(own: str, other: str) -> None:
    """What no legal move explains is an error."""
    assert begun(STATE, own, other) is None


def test_a_card_is_discarded_before_its_repair_is_entered() -> None:
    """People put the last cube on a card and the card on the discard pile, and enter the repair afterwards. Until then,
    neither the card nor the pools are wrong."""
    state = ship({1: ["D01"]}, ("red blue yellow black", "green"))
    repair = next(
        move for move in state.legal_moves() if not GAME.physical.layout(state.play(move), SPECTATOR).cards["zone-1"]
    )
    code = "SF-D01"
    laid = CardSeen(t=2, code=code, zone="discard", mm=(389.0, 284.0), angle=0, change="moved")
    table = tracked("red blue yellow black", "green").after(laid, turn=Seat(0), now=2.0)
    found = begun_move(state, table)
    assert found is not None
    assert (found.seat, found.codes, found.places) == (repair.seat, {code}, {"pool-0", "pool-1", code})


def test_a_repaired_card_below_leaves_with_the_card_above() -> None:
    """D01 lies on D02, which is repaired already. Both leave play when D01 is repaired: in any order, and with the
    cubes on D02."""
    state = ship({1: ["D01", "D02 red blue"]}, ("red blue", "green"))
    below, laid = count_of("SF-D02", {"red": 1}), {"zone": "discard", "mm": (389.0, 284.0), "angle": 0, "t": 2}
    for own, card in (("red", ""), ("red blue", "SF-D02"), ("red blue", "SF-D01")):
        table = tracked(own, "green").after(below, now=2.0)
        if card:
            table = table.after(CardSeen(code=card, change="moved", **laid), turn=Seat(0), now=3.0)
        found = begun_move(state, table)
        assert found is not None
        assert {"SF-D01", "SF-D02"} <= found.codes | found.places


@pytest.mark.parametrize("own", ["red blue black", "blue black"])
def test_the_marker_is_passed_on_before_the_turn_is_ended(own: str) -> None:
    """In the last turn of a round, people may pass on the first-player marker before a phone ends the turn, with the
    cubes of a last move or without. In any other turn, the marker must stay."""
    laid = CardSeen(t=2, code=MARKER, zone="role-0", mm=(500.0, 284.0), angle=0, change="moved")
    table = tracked(own, "green").after(laid, turn=Seat(0), now=2.0)
    last, other = (begun_move(STATE.replace(first_player=Seat(first)), table) for first in (1, 0))
    assert last is not None
    assert MARKER in last.codes
    assert other is None or MARKER not in other.codes


def test_nothing_is_begun_without_cubes() -> None:
    """People who play without cubes have empty pools, and have begun nothing."""
    assert begun(STATE, "", "") is None


def test_people_who_draw_cubes_have_begun() -> None:
    """While the table waits for cubes that people draw, any cubes from the bag may lie in the pools already."""
    state = act(STATE, "scavenge")
    assert begun(state, "red blue black yellow yellow") is not None
    assert begun(state, "red blue", "green") is None


def playing() -> Table:
    """A table with a game in which each player has drawn six cubes."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    return table


def pools_of(table: Table) -> list[dict[str, int]]:
    """The recorded cubes in both pools."""
    state: Any = seen(table).state
    return [dict(pool) for pool in state["pools"]]


def reported(table: Table) -> list[str]:
    return [each.message for each in seen(table).tabletop.discrepancies if "pool" in each.message]


def test_a_forgotten_cube_is_reported() -> None:
    """A pool with a cube too many or too few is reported, and one that is right is not."""
    table = playing()
    pools = pools_of(table)
    assert [sum(pool.values()) for pool in pools] == [6, 6]
    table.observe(count_of("pool-0", pools[0]))
    table.observe(count_of("pool-1", {**pools[1], "orange": pools[1].get("orange", 0) + 1}))
    (message,) = reported(table)
    assert "out of Bob’s pool" in message
    table.observe(count_of("pool-1", pools[1]))
    assert reported(table) == []


@pytest.mark.parametrize("why", ["patches", "dark"])
def test_nothing_is_said_about_cubes_on_an_older_print(why: Literal["patches", "dark"]) -> None:
    """On a mat without charts, nothing is counted, and nothing is said about it. If a cube was counted before, people
    are told."""
    table = playing()
    for place in ("pool-0", "pool-1"):
        table.observe(count_of(place, None, why))
    assert (reported(table), seen(table).tabletop.uncertain_count_messages) == ([], ())
    table.observe(count_of("pool-0", pools_of(table)[0]))
    assert len(seen(table).tabletop.uncertain_count_messages) == 1


def test_people_without_cubes_can_say_so() -> None:
    """If the pools are empty and no cube was ever seen, people may ignore it, once for all cubes."""
    table = playing()
    table.observe(count_of("pool-0", {}))
    (found,) = (each for each in seen(table).tabletop.discrepancies if "pool" in each.message)
    assert found.may_lack_tokens
    table.ignore(Seat(0), found.ignorable)
    table.observe(count_of("pool-1", {}))
    assert reported(table) == []


def test_cubes_on_the_simulated_table_follow_the_match() -> None:
    """The cubes of the simulated table move with the match: from a pool to the card that they repair, if the card lies
    on the mat."""
    match = MatchSnapshot(1, STATE)
    table = SimulatedTable(GAME, {}, lambda: match, hand_s=0)
    table.put("SF-D01", 150, 80)
    table.sync_tokens(1)
    assert Counter(token.kind for token in table.scene.tokens) == Counter(["red", "blue", "black", "green"])
    match = MatchSnapshot(1, act(STATE, "repair", card="D01", cubes="red"))
    table.sync_tokens(2)
    (red,) = (token for token in table.scene.tokens if token.kind == "red")
    assert abs(red.x - 150) < 32
    assert len(table.scene.tokens) == 4
    match = MatchSnapshot(1, act(match.state, "discard"))
    table.sync_tokens(3)
    assert sorted(token.kind for token in table.scene.tokens) == ["green", "red"]
