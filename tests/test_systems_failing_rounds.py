"""Phases 2 to 4 of Systems Failing, surges, meters, and the ways to lose."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.rules import HOUSE
from companion.games.systems_failing.cube_multiset import COLORS, NO_CUBES, ONE_CUBE, Cubes
from companion.games.systems_failing.rules import State
from companion.text.refusal_errors import IllegalMove
from tests.systems_failing_positions import (
    act,
    cards,
    draw,
    house,
    placed,
    pool,
    random_game,
    resting,
    reveal,
    ship,
    to_phase,
    zones,
)


def appearing(**keys: object) -> State:
    """A position in which the disasters have moved and new ones are due."""
    return house(resting(**keys), "advance")


def test_the_new_first_player_stocks_up_first() -> None:
    """When players stock up, the new first player draws first: "Starting with the new first player, any player who
    currently has less than 6 cubes … must draw." """
    state = resting(pools=("red", "blue blue blue"))
    assert (state.phase, state.first_player) == ("stock_up", 1)
    state = draw(state, "green green green")
    assert (pool(state, 1), pool(state, 0)) == ("blue blue blue green green green", "red")
    state = draw(state, "green yellow yellow yellow yellow")
    assert (state.phase, state.pools[0].total) == ("advance", 6)


def test_a_pool_of_six_or_more_draws_nothing() -> None:
    """A full pool draws nothing when players stock up: "Players with 6 or more cubes already … do not draw"; "a phase
    with nothing to do is never shown"."""
    assert resting().phase == "advance"
    state = resting(pools=("red red red red red blue blue", "green"))
    assert {chance.to for chance, _ in state.chances()} == {1}  # type: ignore[attr-defined]


def test_white_cubes_are_never_drawn_when_stocking_up() -> None:
    """ "If a white cube is drawn, place it back in the bag and draw again": the house never draws a white cube for a
    player who stocks up."""
    state = resting(pools=("", ""))
    assert {chance.face for chance, _ in state.chances()} == set(COLORS)
    with pytest.raises(IllegalMove, match="a cube out of the bag for seat 1"):
        house(state, "draw", to=1, cube="white")


def test_a_bag_with_only_whites_ends_the_drawing() -> None:
    """If only white cubes are left in the bag, pools stay short and the disasters move."""
    state = resting(pools=("red", ""), bag=ONE_CUBE["blue"] + ONE_CUBE["white"])
    assert draw(state, "blue").phase == "advance"
    assert resting(pools=("red", ""), bag=ONE_CUBE["white"]).phase == "advance"
    assert resting(pools=("red", ""), bag=NO_CUBES).phase == "advance"


def test_all_disasters_move_one_zone_and_keep_order_and_cubes() -> None:
    """All disasters move by one zone at the same time: "Phase 3 moves all at once, order kept, cubes kept." """
    state = appearing(zones={2: ["D11 red", "D12"], 3: ["D21", "D22 blue"]})
    assert zones(state) == {1: ["D11", "D12"], 2: ["D21", "D22"], 3: []}
    assert (placed(state, "D11"), placed(state, "D22")) == ("red", "blue")


def test_a_disaster_that_reaches_the_core_hits_it_and_is_discarded() -> None:
    """ "Any disasters in the core column immediately inflict damage …; then immediately discarded and any cubes on top
    of them are returned to the bag." This is true even of a repaired disaster under others."""
    state = appearing(zones={1: ["D01", "D03 red", "D04 red blue"]}, pools=("", ""), bag=Cubes({"white": 2}))
    assert (state.damage, set(state.discard), zones(state)[1]) == (8, {"D01", "D03", "D04"}, [])
    assert state.bag.counts() == {"red": 2, "blue": 1, "white": 2}


def test_the_move_waits_even_without_disasters() -> None:
    """ "`advance` always waits". No other move is legal then."""
    state = resting()
    assert [chance.NAME for chance, _ in state.chances()] == ["advance"]
    with pytest.raises(IllegalMove, match="disasters’ move"):
        reveal(state, "D01")
    with pytest.raises(IllegalMove):
        house(act(ship(), "scavenge"), "advance")


def test_the_whites_on_the_deck_return_in_the_same_ply() -> None:
    """ "The whites on the deck return to the bag in the same ply", even if the game ends with this ply."""
    state = appearing(whites_on_deck=2)
    assert (state.whites_on_deck, state.bag["white"]) == (0, 2)
    state = appearing(whites_on_deck=2, damage=9, zones={1: ["D04"]})
    assert (state.whites_on_deck, state.bag["white"], state.end_cause) == (0, 2, "damage")


def test_damage_is_added_up_then_judged() -> None:
    """All hits are added before it is decided whether the game is over. The damage stops at 10, however large the sum
    is. All cards that hit are discarded, and nothing follows."""
    state = appearing(zones={1: ["D04", "D03", "D02"]}, damage=5)
    assert (state.damage, state.turn, len(state.discard)) == (10, None, 3)
    assert state.to_json()["result"] == {"won": False, "cause": "damage"}
    state = appearing(zones={1: ["D04"]}, damage=5)
    assert (state.damage, state.end_cause) == (9, None)


@pytest.mark.parametrize(
    ("stability", "damage", "side", "region", "draws"),
    [
        (0, 0, "normal", "green", 3),
        (2, 3, "normal", "green", 3),
        (3, 0, "normal", "yellow", 4),
        (0, 4, "normal", "yellow", 4),
        (5, 6, "normal", "yellow", 4),
        (6, 0, "normal", "red", 5),
        (0, 7, "normal", "red", 5),
        (7, 4, "normal", "red", 5),
        (3, 9, "normal", "red", 5),
        (0, 9, "beginner", "green", 3),
        (3, 0, "beginner", "yellow", 4),
        (7, 0, "beginner", "red", 5),
    ],
)
def test_the_higher_region_says_how_many_appear(
    stability: int, damage: int, side: str, region: str, draws: int
) -> None:
    """The region of the meters decides how many disasters appear: "Stability 0–2 green, 3–5 yellow, 6–7 red; damage 0–3
    green, 4–6 yellow, 7–9 red; the higher region counts. The beginner's side draws by the stability region alone." """
    state = appearing(stability=stability, damage=damage, side=side)
    assert (state.to_json()["region"], state.disasters_due) == (region, draws)
    for card in ("D01", "D11", "D21", "D02", "D12")[:draws]:
        assert state.phase == "appear"
        state = reveal(state, card)
    assert (state.phase, state.round, state.turn, state.actions_left) == ("actions", 2, 1, 4)


def test_the_number_is_read_once() -> None:
    """ "Changes to the meters take effect on the next round": if a meter rises while disasters appear, the number that
    appears in this round stays the same."""
    state = reveal(appearing(stability=2), "S1 D01 D02")
    assert (state.to_json()["region"], state.phase) == ("yellow", "appear")
    assert reveal(state, "D03").phase == "actions"


def test_the_number_is_read_after_the_hits() -> None:
    """Damage from phase 3 of the same round counts for the number of new disasters."""
    assert appearing(zones={1: ["D04"]}).disasters_due == 4


def test_new_disasters_go_on_top_of_their_zone() -> None:
    """ "New disaster cards must be placed on top of any existing disasters within a zone." """
    state = reveal(appearing(zones={2: ["D11"]}), "D01 D21 D02")
    assert zones(state) == {1: ["D02", "D01", "D11"], 2: [], 3: ["D21"]}


def test_a_systems_failing_card_does_not_count() -> None:
    """A systems-failing card does not count as a new disaster: "Increase the meter and add an additional white cube to
    the bag. Discard the card and draw [a] new card." """
    state = reveal(appearing(), "S3")
    assert (state.stability, state.disasters_due, state.bag["white"], state.discard) == (1, 3, 3, ("S3",))
    state = reveal(state, "S1 S2 D01 D02 D03")
    assert (state.stability, state.phase, state.bag["white"]) == (3, "actions", 5)


def test_the_eighth_step_of_stability_ends_the_game_at_once() -> None:
    """The eighth step of stability is an explosion: "An explosion stops at 8 (stability) … and ends the game at
    once." """
    state = reveal(appearing(stability=7), "S5")
    assert (state.stability, state.turn, state.end_cause, state.discard) == (8, None, "stability", ("S5",))
    assert state.bag["white"] == 9, "all nine are out at 7"
    assert [*state.legal_moves(), *state.chances()] == []


def test_the_discards_become_the_deck_at_once() -> None:
    """ "When the last card of the deck has been revealed and resolved, the discards (systems-failing cards too),
    shuffled, become the deck at once, even if no more are due." """
    state = appearing(discard="D05 S1")
    state = reveal(to_last_card(state, "D01"), "D01")
    assert (set(state.deck), state.discard, state.disasters_due) == ({"D05", "S1"}, (), 2)
    assert {chance.face for chance, weight in state.chances() if weight} == {"D05", "S1"}
    state = reveal(to_last_card(appearing(discard="D05", disasters_due=1), "D01").replace(disasters_due=1), "D01")
    assert (set(state.deck), state.phase) == ({"D05"}, "actions")


def test_a_systems_failing_card_that_comes_last_is_shuffled_in_too() -> None:
    """A systems-failing card that empties the deck is in the discards when they become the deck."""
    state = reveal(to_last_card(appearing(discard="D05"), "S2"), "S2")
    assert (set(state.deck), state.stability, state.disasters_due) == ({"D05", "S2"}, 1, 3)


def to_last_card(state: State, card: str) -> State:
    """The position with this card as the only one in the deck."""
    return state.replace(deck=frozenset({card}))


def test_any_card_of_the_deck_may_come_by_hand_but_the_top_stack_by_shuffle() -> None:
    """ "Five stacks, sizes at most one apart, one systems-failing card shuffled into each": a card that the companion
    reveals is from the top stack, while people who deal by hand may report any card of the deck."""
    state = appearing()
    weights = {move.face: weight for move, weight in state.chances()}
    assert set(weights) == state.deck
    failing = sum(weight for face, weight in weights.items() if face[0] == "S")
    assert failing / sum(weights.values()) == pytest.approx(1 / 7), "6 disasters and 1 failing in the first of 5 stacks"
    state = reveal(state, "S1")
    assert {face for face, weight in _weights(state) if weight and face[0] == "S"} == set()
    state = reveal(state.replace(disasters_due=9), "D21 D22 D23 D11 D12 D13")
    failing_next = sum(weight for face, weight in _weights(state) if face[0] == "S")
    assert failing_next / sum(weight for _, weight in _weights(state)) == pytest.approx(1 / 7)


def _weights(state: State) -> list[tuple[str, int]]:
    return [(move.face, weight) for move, weight in state.chances()]


def test_more_than_three_surge_within_the_zone() -> None:
    """ "If a newly-placed disaster card causes a zone to have more than 3 disasters, an immediate system surge occurs
    within that zone": its bottom card loses its cubes and goes on top of the zone to its left."""
    state = reveal(appearing(zones={3: ["D11", "D12", "D13 red blue"]}, pools=("", ""), bag=NO_CUBES), "D14")
    assert zones(state) == {1: ["D13"], 2: ["D14", "D11", "D12"], 3: []}
    assert (placed(state, "D13"), state.bag.counts()) == ("", {"blue": 1, "red": 1})


def test_a_surge_goes_on_until_a_zone_has_room_or_the_core_is_hit() -> None:
    """The rule text's example: all zones are full, so the surge of a white cube moves one card out of each zone, and
    the last one hits the core."""
    state = ship({1: ["D05", "D06", "D01 red"], 2: ["D11", "D12", "D13"], 3: ["D21", "D22"]})
    state = draw(act(state, "scavenge"), "white")
    assert zones(state) == {1: ["D13", "D05", "D06"], 2: ["D22", "D11", "D12"], 3: ["D21"]}
    assert (state.damage, state.discard, state.bag["red"]) == (1, ("D01",), 5)


def test_a_surge_stops_where_there_is_room() -> None:
    """If zone 2 has room, a surge stops there and does not affect zone 1."""
    state = draw(act(ship({1: ["D05", "D06", "D01"], 2: ["D11"], 3: ["D21"]}), "scavenge"), "white")
    assert zones(state) == {1: ["D05", "D06", "D01"], 2: ["D21", "D11"], 3: []}


def test_a_surge_out_of_zone_1_hits_the_core() -> None:
    """If there are no disasters further right, zone 1 surges, and its disaster hits the core."""
    state = draw(act(ship({1: ["D05", "D04 red"]}), "scavenge"), "white")
    assert (zones(state)[1], state.damage, state.discard) == (["D05"], 4, ("D04",))


def test_a_surge_that_explodes_the_core_ends_the_game_before_the_second_cube() -> None:
    """If a surge explodes the core, "nothing follows": the second cube is not drawn."""
    state = draw(act(ship({1: ["D04"]}, damage=8), "scavenge"), "white")
    assert (state.turn, state.damage, state.to_json()["over"]) == (None, 10, True)


def test_an_explosion_while_disasters_appear_ends_the_game() -> None:
    """An explosion ends the game "in whatever phase": there is no reshuffle and no further card."""
    state = appearing(zones={2: ["D05", "D06", "D04"]}, damage=9)
    state = reveal(to_last_card(state, "D01"), "D01")
    assert (state.turn, state.deck, state.discard) == (None, frozenset(), ("D04",))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    difficulty=st.sampled_from(["easy", "medium", "hard"]),
    side=st.sampled_from(["normal", "beginner"]),
)
def test_nothing_is_lost_and_nothing_appears(seed: int, difficulty: str, side: str) -> None:
    """Every position has 30 colored cubes and, once they have joined, 2 + stability white cubes. Each card is in
    exactly one place. A zone has at most 3 disasters, and a pool at most 10 cubes unless some must be returned."""
    for state in random_game(seed, difficulty=difficulty, side=side):
        cubes = sum((laid.cubes for laid in state.cards_in_play()), state.bag + state.pools[0] + state.pools[1])
        assert all(cubes[color] == 5 for color in COLORS)
        if state.phase != "setup":
            assert cubes["white"] + state.whites_on_deck == 2 + min(state.stability, 7)
            lying = [laid.card for zone in state.zones for laid in zone]
            everywhere = [*lying, *state.deck, *state.discard]
            assert sorted(everywhere) == sorted((*state.catalog.disasters, *state.catalog.failing_cards))
            assert sum(s.disasters + s.failing for s in state.stacks) == len(state.deck)
        assert all(len(zone) <= 3 for zone in state.zones)
        assert all(pool.total <= 10 + 2 * (seat == state.active_player) for seat, pool in enumerate(state.pools))
        assert bool(state.cubes_to_return) <= (state.turn == state.active_player or state.turn is None)
        assert len(state.escape_deck) + len(state.repaired_escapes) + bool(state.active_escape) == 6


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_meters_and_rounds_never_fall(seed: int) -> None:
    """Stability, damage, round and the number of repaired sequences never fall, and the round rises by one at a
    time."""
    for before, after in pairwise(random_game(seed)):
        assert before.stability <= after.stability <= before.stability + 1
        assert before.damage <= after.damage
        assert after.round - before.round in (0, 1)
        assert after.repaired_escapes[: len(before.repaired_escapes)] == before.repaired_escapes


def test_the_test_cards_are_as_described() -> None:
    """The cards of `systems_failing_positions` are those that its docstring describes."""
    assert [cards().disasters[d].damage for d in ("D01", "D12", "D23", "D04", "D05", "D30")] == [1, 2, 3, 4, 2, 2]
    assert to_phase(ship(), "advance").turn == HOUSE
