"""Phase 1 of Systems Failing: the four actions, white cubes, repairs, abilities."""

from __future__ import annotations

import pytest

from companion.games.rules import HOUSE
from companion.games.systems_failing.cube_multiset import NO_CUBES, ONE_CUBE
from companion.text.refusal_errors import IllegalMove, NotYourTurn
from tests.systems_failing_positions import act, draw, house, placed, pool, reveal, ship, zones


def test_the_fourth_action_once_settled_ends_the_turn() -> None:
    """ "An action is spent when taken; the fourth, once settled, ends the turn by itself." """
    state = act(ship(actions_left=2), "scavenge")
    assert (state.turn, state.actions_left) == (HOUSE, 1)
    state = act(draw(state, "red blue"), "scavenge")
    assert (state.turn, state.active_player, state.actions_left) == (HOUSE, 0, 0)
    state = draw(state, "red blue")
    assert (state.turn, state.actions_left) == (1, 4)


def test_end_turn_gives_up_what_is_left() -> None:
    """Ending a turn gives up the actions that are left: "A player may also choose to skip their turn." """
    state = act(ship(), "end_turn")
    assert (state.turn, state.actions_left, state.phase) == (1, 4, "actions")


def test_after_the_second_turn_the_marker_passes() -> None:
    """ "`first` passes when the second seat's turn ends". The round number stays until the players act again."""
    state = act(act(ship(), "end_turn"), "end_turn")
    assert (state.phase, state.first_player, state.round, state.turn) == ("stock_up", 1, 1, HOUSE)


def test_seats_act_in_the_order_of_the_marker() -> None:
    """If seat 1 has the marker, it acts first. Seat 0 acts second, and then the phase ends."""
    state = act(ship(first_player=1, active_player=1), "end_turn")
    assert state.turn == 0
    assert act(state, "end_turn").first_player == 0


def test_only_the_seat_in_turn_acts() -> None:
    """Neither the other seat nor the house can make a move on a seat's turn."""
    state = ship()
    with pytest.raises(NotYourTurn):
        act(state, "end_turn", seat=1)
    with pytest.raises(NotYourTurn):
        house(state, "draw", to=0, cube="red")
    with pytest.raises(NotYourTurn):
        act(act(state, "scavenge"), "end_turn")


def test_scavenging_draws_two_cubes_one_after_the_other() -> None:
    """A player who scavenges must "draw 2 (and only 2) resource cubes from the bag and add them to their resource
    pool." The house draws them one after the other."""
    state = act(ship(), "scavenge")
    state = draw(state, "red")
    assert (state.turn, pool(state, 0), state.bag["red"]) == (HOUSE, "red", 4)
    state = draw(state, "green")
    assert (state.turn, pool(state, 0)) == (0, "red green")


def test_a_pool_over_ten_after_both_cubes_returns_exactly_the_surplus() -> None:
    """ "A pool over 10 after both cubes must return exactly the surplus, cubes of its owner's choice; nothing else
    is legal until then." """
    state = draw(act(ship(pools=("red red red red red blue blue blue blue", "")), "scavenge"), "green")
    assert (state.cubes_to_return, state.turn) == (0, HOUSE)
    state = draw(state, "green")
    assert (state.cubes_to_return, state.turn) == (1, 0)
    assert {move.NAME for move in state.legal_moves()} == {"return"}
    for move in ("scavenge", "discard", "end_turn"):
        with pytest.raises(IllegalMove, match="eturn 1"):
            act(state, move)
    with pytest.raises(IllegalMove, match="exactly 1, not 2"):
        act(state, "return", cubes="red red")
    with pytest.raises(IllegalMove, match="exactly 1, not 0"):
        act(state, "return", cubes="")
    with pytest.raises(IllegalMove, match="Your pool contains"):
        act(state, "return", cubes="yellow")
    state = act(state, "return", cubes="green")
    assert (state.cubes_to_return, state.actions_left, state.bag["green"]) == (0, 3, 4)


def test_a_turn_does_not_end_while_cubes_are_to_be_returned() -> None:
    """The fourth action ends the turn only after the surplus cubes are back in the bag."""
    full = "red red red red red blue blue blue blue blue"
    state = draw(act(ship(pools=(full, ""), actions_left=1), "scavenge"), "green yellow")
    assert (state.turn, state.actions_left, state.cubes_to_return) == (0, 0, 2)
    assert act(state, "return", cubes="green red").turn == 1


def test_nothing_is_returned_from_a_pool_of_ten() -> None:
    """A pool of ten cubes is allowed, so nothing is returned."""
    with pytest.raises(IllegalMove, match="more than 10"):
        act(ship(pools=("red red red red red blue blue blue blue blue", "")), "return", cubes="red")


def test_an_empty_bag_cannot_be_scavenged() -> None:
    """Scavenging is refused if the bag is empty: "From an empty bag it is illegal." """
    state = ship(bag=NO_CUBES)
    assert "scavenge" not in {move.NAME for move in state.legal_moves()}
    with pytest.raises(IllegalMove, match="bag is empty"):
        act(state, "scavenge")


def test_a_bag_that_empties_after_one_cube_ends_the_draw() -> None:
    """If the bag is empty after one cube, the pool gets only that cube and the turn goes on."""
    state = draw(act(ship(bag=ONE_CUBE["red"]), "scavenge"), "red")
    assert (state.turn, pool(state, 0), state.actions_left) == (0, "red", 3)


def test_cubes_that_a_surge_returns_to_an_empty_bag_are_drawn() -> None:
    """A surge is resolved before the second cube is drawn, so cubes that it returns to an empty bag can be drawn."""
    state = act(ship({2: ["D11 red"]}, bag=ONE_CUBE["white"]), "scavenge")
    state = draw(state, "white")
    assert (state.turn, state.bag.counts(), zones(state)[1]) == (HOUSE, {"red": 1}, ["D11"])


def test_a_white_cube_goes_on_the_deck_and_surges_at_once() -> None:
    """ "White cubes are never added to a … pool … it must be placed on top of the disaster deck. Do not draw any
    additional cubes from the bag to replace white cubes." """
    state = draw(act(ship({1: ["D01"], 3: ["D21", "D22"]}), "scavenge"), "white")
    assert (state.whites_on_deck, state.bag["white"], state.pools[0].total) == (1, 1, 0)
    assert (zones(state), state.turn) == ({1: ["D01"], 2: ["D22"], 3: ["D21"]}, HOUSE)
    state = draw(state, "red")
    assert (state.turn, pool(state, 0)) == (0, "red")


def test_two_white_cubes_surge_twice() -> None:
    """Two white cubes cause two surges: "You must resolve the first system surge and then immediately resolve the
    second." """
    state = draw(act(ship({3: ["D21", "D22"]}), "scavenge"), "white white")
    assert (zones(state), state.whites_on_deck, state.turn) == ({1: [], 2: ["D21", "D22"], 3: []}, 2, 0)


def test_a_surge_without_disasters_does_nothing() -> None:
    """A surge hits "the rightmost zone with a disaster; none: nothing happens"."""
    state = draw(act(ship(), "scavenge"), "white white")
    assert (zones(state), state.damage, state.whites_on_deck) == ({1: [], 2: [], 3: []}, 0, 2)


def test_a_transfer_takes_one_cube_from_the_other() -> None:
    """In a transfer, players "take one resource cube from the other player's resource pool and add it to their
    own." """
    state = act(ship(pools=("", "red red")), "transfer", color="red")
    assert (pool(state, 0), pool(state, 1), state.actions_left) == ("red", "red", 3)
    with pytest.raises(IllegalMove, match="no blue cube to give"):
        act(state, "transfer", color="blue")
    with pytest.raises(IllegalMove, match="no white cube"):
        act(state, "transfer", color="white")


def test_a_transfer_asks_the_giver() -> None:
    """A transfer is possible only "with the other player's permission", so the move says whom to ask."""
    asked = {move.consenting_seat() for move in ship(pools=("", "red")).legal_moves() if move.NAME == "transfer"}
    assert asked == {1}


def test_a_transfer_into_a_full_pool_must_be_followed_by_a_return() -> None:
    """An eleventh cube must be returned at once, before anything else."""
    state = act(ship(pools=("red red red red red blue blue blue blue blue", "green")), "transfer", color="green")
    assert (state.cubes_to_return, state.turn) == (1, 0)
    assert act(state, "return", cubes="green").bag["green"] == 5


def test_discarding_empties_the_pool_into_the_bag() -> None:
    """A player who discards must "discard all of the cubes in their resource pool and return them to the bag." """
    state = act(ship(pools=("red blue", "green")), "discard")
    assert (state.pools[0].total, pool(state, 1), state.bag["red"], state.actions_left) == (0, "green", 5, 3)
    with pytest.raises(IllegalMove, match="already empty"):
        act(state, "discard")


def test_a_repair_places_one_or_more_cubes_on_one_card() -> None:
    """A player who repairs may "place one or more resource cubes on either the topmost escape sequence card or any
    single disaster card." """
    state = act(ship({1: ["D01"]}, ("red blue", "")), "repair", card="E1", cubes="red blue")
    assert (placed(state, "E1"), state.pools[0].total, state.actions_left) == ("blue red", 0, 3)
    state = act(ship({3: ["D21", "D22"]}, ("red", "")), "repair", card="D22", cubes="red")
    assert (placed(state, "D22"), zones(state)[3]) == ("red", ["D21", "D22"])
    with pytest.raises(IllegalMove, match="at least one cube"):
        act(state, "repair", card="E1", cubes="")


@pytest.mark.parametrize(
    ("card", "cubes", "why"),
    [
        ("D01", "green", "still needs: 1 blue and 1 red"),
        ("D01", "red red", "still needs"),
        ("D09", "red red red", "still needs: 1 blue and 2 red"),
        ("D02", "red", "still needs: 1 blue"),
        ("D01", "blue", "Your pool contains"),
        ("D05", "red", "isn’t in play"),
        ("E2", "red", "isn’t in play"),
        ("S1", "red", "isn’t in play"),
        ("D01", "white", "still needs"),
    ],
)
def test_only_missing_cubes_out_of_the_own_pool_are_placed(card: str, cubes: str, why: str) -> None:
    """ "Only needed, still missing colors, never more than missing", on the active sequence or a disaster in play."""
    state = ship({1: ["D01", "D02 red"], 2: ["D09"]}, ("red red red green", "blue"))
    with pytest.raises(IllegalMove, match=why):
        act(state, "repair", card=card, cubes=cubes)


def test_refusals_name_what_is_missing_even_if_that_is_nothing() -> None:
    """A repaired disaster under another takes no cubes, and an empty pool has none. The refusals say so."""
    state = ship({1: ["D02", "D01 red blue"]}, ("red", ""))
    with pytest.raises(IllegalMove, match="D01 needs no more cubes"):
        act(state, "repair", card="D01", cubes="red")
    with pytest.raises(IllegalMove, match="Your pool is empty"):
        act(ship({1: ["D01"]}), "repair", card="D01", cubes="red")


def test_a_repaired_disaster_on_top_is_discarded_at_once() -> None:
    """A repaired disaster that is on top leaves at once: "If … there are no other cards on top of it, the card is
    immediately discarded and all cubes on top of it are returned to the bag." """
    state = act(ship({1: ["D01 red", "D02"]}, ("blue", "")), "repair", card="D01", cubes="blue")
    assert (zones(state)[1], state.discard, state.bag["red"], state.bag["blue"]) == (["D02"], ("D01",), 5, 5)


def test_a_repaired_disaster_under_others_stays_until_it_is_on_top() -> None:
    """ "Then it leaves by itself, as do repaired ones under it": one action removes them all."""
    state = act(
        ship({1: ["D01 red", "D02 red", "D03 red blue"]}, ("blue blue", "")), "repair", card="D02", cubes="blue"
    )
    assert (zones(state)[1], state.bag["blue"]) == (["D01", "D02", "D03"], 2)
    state = act(state, "repair", card="D01", cubes="blue")
    assert (zones(state)[1], set(state.discard), state.bag["blue"]) == ([], {"D01", "D02", "D03"}, 5)
    assert state.actions_left == 2


def test_a_repaired_card_takes_no_more_cubes() -> None:
    """No cubes can be placed on a repaired card, not even with the ability."""
    state = ship({1: ["D01", "D02 red blue"]}, ("red", ""))
    for ability in (False, True):
        with pytest.raises(IllegalMove):
            act(state, "repair", card="D02", cubes="", ability=ability)


def test_a_repaired_sequence_leaves_and_the_next_is_turned_up() -> None:
    """When an escape sequence is repaired, "it is immediately removed …, all cubes on top of it are returned to the
    bag, and the next sequence in the stack becomes active. … placed in front of the player who removed them." """
    state = act(ship(pools=("black", ""), escape="E1 orange blue yellow red"), "repair", card="E1", cubes="black")
    assert (state.active_escape, state.repaired_escapes, state.turn) == (None, (("E1", 0),), HOUSE)
    assert state.bag["blue"] == 5
    shown = state.to_json()["escape"]
    assert shown == {"active": None, "placed": {}, "left": 5, "done": ["E1"]}
    state = reveal(state, "E4")
    assert (state.turn, state.actions_left) == (0, 3)
    assert state.to_json()["escape"] == {"active": "E4", "placed": {}, "left": 4, "done": ["E1"]}


def test_a_sequence_repaired_with_the_last_action_is_replaced_before_the_turn_ends() -> None:
    """The house turns up the next escape sequence before the other seat acts."""
    state = ship(pools=("black", ""), escape="E1 orange blue yellow red", actions_left=1)
    state = act(state, "repair", card="E1", cubes="black")
    assert (state.turn, state.active_player) == (HOUSE, 0)
    assert reveal(state, "E2").turn == 1


def ability(zone: list[str], pools: tuple[str, str], card: str, cubes: str, escape: str = "E1", seat: int = 1) -> bool:
    """Whether the rules let a seat repair a card with the ability of its role. If they do, checks that the card has
    left play."""
    state = ship({1: zone}, pools, escape, active_player=seat, first_player=seat)
    try:
        after = act(state, "repair", card=card, cubes=cubes, ability=True)
    except IllegalMove:
        return False
    assert after.card_in_play(card) is None
    return True


def test_the_ability_ignores_what_is_missing_of_its_color() -> None:
    """A repair with the ability is "legal exactly if, after the cubes are placed (none may do), what is still missing
    is all of the role's color, at least one cube, and the card leaves play at once." """
    assert ability(["D01"], ("", "blue"), "D01", "blue")
    assert ability(["D01 blue"], ("", ""), "D01", "")
    assert ability(["D09 blue"], ("", ""), "D09", "")
    assert ability(["D09"], ("", "red blue"), "D09", "red blue")
    assert ability([], ("", "orange yellow"), "E1", "orange yellow", "E1 blue black")
    assert not ability(["D01"], ("", "red blue"), "D01", "red blue"), "nothing would be ignored"
    assert not ability(["D01"], ("", "red"), "D01", "red"), "blue can't be ignored"
    assert not ability(["D01"], ("", "red blue"), "D01", ""), "blue would be missing too"
    assert not ability(["D01 blue"], ("", ""), "D01", "", seat=0), "seat 0 ignores green"


def test_the_ability_can_not_repair_a_buried_card() -> None:
    """The ability can't repair a card below others: "An escape sequence or the top disaster of a zone can, a buried one
    can't." """
    assert not ability(["D01", "D02 blue"], ("", ""), "D02", "")
    state = ship({1: ["D01 blue", "D02 red blue"]}, first_player=1, active_player=1)
    state = act(state, "repair", card="D01", cubes="", ability=True)
    assert zones(state)[1] == [], "the repaired one under it leaves with it"


def test_the_ability_places_no_more_than_is_missing() -> None:
    """A cube that is not needed is refused, with or without the ability."""
    assert not ability(["D01 blue"], ("", "blue"), "D01", "blue")


def test_the_refusal_says_what_the_ability_needs() -> None:
    """If the ability can't be used for a repair, the refusal names the role's color and the cubes that would still be
    missing."""
    state = ship({1: ["D01", "D02 blue"]}, first_player=1, active_player=1)
    with pytest.raises(IllegalMove, match="only ignores red, but 1 blue and 1 red would still be missing"):
        act(state, "repair", card="D01", cubes="", ability=True)
    with pytest.raises(IllegalMove, match="lies under another"):
        act(state, "repair", card="D02", cubes="", ability=True)


def test_the_sixth_sequence_wins_at_once() -> None:
    """The sixth repaired sequence wins the game "at once": the move is finished, and nothing follows it."""
    done = tuple((f"E{n}", 0) for n in range(2, 7))
    state = ship(
        pools=("black", ""), escape="E1 orange blue yellow red", repaired_escapes=done, escape_deck=frozenset()
    )
    state = act(state, "repair", card="E1", cubes="black")
    assert (state.turn, state.bag["orange"], len(state.repaired_escapes)) == (None, 5, 6)
    assert state.to_json()["result"] == {"won": True, "cause": "escape"}
    assert [*state.legal_moves(), *state.chances()] == []
