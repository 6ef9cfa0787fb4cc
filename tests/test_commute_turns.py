"""Turns of Commute: traveling, bumping, arriving, hands, and the order of commutes and rounds."""

from __future__ import annotations

import pytest

from companion.games.commute.chance import unidentified_cards
from companion.games.commute.phases import evening_gains, morning_gains
from companion.games.commute.position_parts import Closure, CommuteResult, PendingBump, closed_lines
from companion.games.commute.position_updates import with_deck
from companion.games.rules import HOUSE
from companion.text.refusal_errors import IllegalMove, NotYourTurn
from tests.commute_positions import act, bump, deal, places, refill, travel, uh_oh, under_way

HANDS = ("AH 2H 3H", "4D 5D 6D", "7C 8C 9C")


def test_the_mover_adds_the_card_and_the_space() -> None:
    """After traveling, "they add the face value of the card to their number of minutes, plus the modifier shown on the
    space." """
    state = under_way(["c", "h1", "h2"], HANDS)
    assert travel(state, "AH", "d").minutes == (1 + 4, 0, 0)
    assert travel(state, "2H", "e").minutes == (2 + 5, 0, 0)


def test_minutes_never_fall_below_zero() -> None:
    """Minutes never fall below zero: reaching a space that subtracts two minutes with an ace leaves zero."""
    assert travel(under_way(["h", "h1", "h2"], HANDS), "AH", "i").minutes[0] == 0
    assert travel(under_way(["h", "h1", "h2"], HANDS, minutes=(5, 0, 0)), "AH", "i").minutes[0] == 4


def test_the_card_played_is_gone() -> None:
    """The played card is on the discard pile."""
    after = travel(under_way(["c", "h1", "h2"], HANDS), "2H", "e")
    assert (after.hands[0], after.deck.discard) == (("AH", "3H"), ("2H",))


def test_a_card_that_is_not_in_the_hand_cannot_be_played() -> None:
    """Playing a card that is not in the hand is refused, and the refusal names the player's cards."""
    state = under_way(["c", "h1", "h2"], HANDS)
    with pytest.raises(
        IllegalMove, match=r"don’t have the 4 of hearts\. You can play ace of hearts, 2 of hearts, 3 of h"
    ):
        travel(state, "4H", "d")
    with pytest.raises(IllegalMove, match=r"doesn’t take you to h\. It reaches d, m, n, b\."):
        travel(state, "AH", "h")


def test_only_the_player_travels_and_only_when_nothing_is_owed() -> None:
    """Only the player in turn can travel, and only if no bump, answer or deal is due. Nobody can bump, answer or deal
    if it is not due."""
    state = under_way(["c", "h1", "h2"], HANDS)
    with pytest.raises(NotYourTurn):
        travel(state, "4D", "d", seat=1)
    with pytest.raises(NotYourTurn):
        act(state, HOUSE, "deal", to=0, card="AS")
    with pytest.raises(IllegalMove, match="seat 0 must travel"):
        bump(state, "AH", "d")
    with pytest.raises(IllegalMove, match="nothing to answer"):
        act(state, 0, "choose", option=0)


def test_a_player_who_lands_on_another_bumps_them_with_a_card() -> None:
    """If a player lands on another, "the newly-arriving player plays one of their two remaining cards, in order to send
    the other player in a direction of the newly-arriving player's choosing, by that number of spaces." """
    state = travel(under_way(["c", "d", "h2"], HANDS), "AH", "d")
    assert (state.turn, state.bump) == (0, PendingBump(0, 1))  # type: ignore[arg-type]
    assert state.as_known_to("spectator").to_json()["pending"] == {"kind": "bump", "seat": 0, "target": 1}
    assert {m.NAME for m in state.legal_moves()} == {"bump"}
    assert places(state, 0, "2H") == {"b", "m", "n", "f", "p"}
    with pytest.raises(IllegalMove, match="seat 0 must send seat 1 on"):
        travel(state, "2H", "f")
    with pytest.raises(IllegalMove, match="doesn’t take seat 1 to h"):
        bump(state, "2H", "h")
    with pytest.raises(NotYourTurn):
        bump(state, "4D", "h", seat=1)
    after = bump(state, "2H", "m")
    assert (after.locations, after.hands[0], after.deck.discard) == (("d", "m", "h2"), ("3H",), ("AH", "2H"))


def test_a_bumped_player_adds_the_space_alone() -> None:
    """ "The moved player suffers the effect of the modifier that they land on, but does not add the value of the
    card." """
    state = travel(under_way(["c", "d", "h2"], HANDS, minutes=(0, 10, 0)), "AH", "d")
    assert bump(state, "2H", "p").minutes == (5, 15, 0)


def test_a_player_bumped_onto_a_third_plays_a_card_in_turn() -> None:
    """A bumped player may have to bump another: "If this move results in the second player occupying the same space as
    a third player, then the second player plays a card to send the third player in a direction of the second player's
    choosing, and so on." """
    state = bump(travel(under_way(["c", "d", "g"], HANDS), "AH", "d"), "3H", "g")
    assert (state.turn, state.bump) == (1, PendingBump(1, 2))  # type: ignore[arg-type]
    after = bump(state, "4D", "k", seat=1)
    assert after.locations == ("d", "g", "k")
    assert after.hands == (("2H",), ("5D", "6D"), ("7C", "8C", "9C"))
    assert after.minutes == (5, 1, 5)


def test_a_cascade_may_come_back_to_its_first_player() -> None:
    """A bumped piece may land on another piece, even on that of the player who began: "If it lands on a further piece
    (the newcomer's too), it in turn plays a card." """
    state = travel(under_way(["d", "c", "h2"], HANDS), "AH", "c")
    state = bump(state, "3H", "c")  # once around the block
    assert (state.turn, state.bump) == (1, PendingBump(1, 0))  # type: ignore[arg-type]
    assert bump(state, "5D", "h", seat=1).locations == ("h", "c", "h2")


def test_without_cards_one_is_drawn_and_played() -> None:
    """ "If a cascading effect of moves causes a player to run out of cards …, then a card is drawn and played
    individually until the cascade stops." """
    state = travel(under_way(["d", "c", "h2"], ("AH", "4D", "7C 8C 9C")), "AH", "c")
    assert (state.turn, state.hands[0]) == (HOUSE, ())
    assert {chance.to for chance, _ in state.chances()} == {0}  # type: ignore[attr-defined]
    state = deal(state, "3S")
    assert (state.turn, state.hands[0]) == (0, ("3S",))
    state = bump(state, "3S", "c")
    assert (state.turn, state.bump) == (1, PendingBump(1, 0))  # type: ignore[arg-type]


def test_a_player_bumped_into_the_goal_has_arrived() -> None:
    """A bumped piece "may be sent into its goal (it has then arrived)". Its player adds no minutes for the card, and
    can't be affected from then on."""
    state = travel(under_way(["j", "k", "h2"], HANDS, minutes=(0, 60, 0)), "AH", "k")
    after = bump(state, "3H", "work")
    assert (after.arrived, after.minutes[1], after.bump) == ((False, True, False), 60, None)


def test_a_bumped_player_is_sent_on_to_their_own_house_only() -> None:
    """The card moves the bumped piece. In the evening it may end in the house of that piece, but not in the house of
    the player who plays the card."""
    state = travel(under_way(["c", "d", "h2"], ("AH 2H 4H", *HANDS[1:]), commute=1), "AH", "d")
    assert state.bump == PendingBump(0, 1)  # type: ignore[arg-type]
    assert "h1" in places(state, 0, "2H")
    assert "h0" not in places(state, 0, "4H")


def test_pieces_share_the_start_and_the_goal() -> None:
    """Pieces can share only the start and the goal: "Several pieces never share a space, the goal and the start
    aside." """
    state = under_way(["l", "work", "h2"], HANDS, arrived=(False, True, False))
    assert travel(state, "AH", "work").bump is None


def test_who_arrives_adds_the_whole_card() -> None:
    """A player who arrives adds the whole value of the card, even if fewer steps were needed. The workplace and houses
    add nothing."""
    after = travel(under_way(["l", "h1", "h2"], HANDS, minutes=(50, 0, 0)), "3H", "work")
    assert (after.minutes[0], after.arrived[0], after.locations[0]) == (53, True, "work")


def test_who_has_arrived_is_passed_over() -> None:
    """ "A player in the end goal skips their turn on any subsequent turns." """
    after = refill(travel(under_way(["c", "work", "h2"], HANDS, arrived=(False, True, False)), "2H", "e"))
    assert after.turn == 2


def test_the_last_player_on_the_way_has_every_turn() -> None:
    """A player who is the only one still on the way to work takes every turn."""
    after = refill(travel(under_way(["c", "work", "work"], HANDS, arrived=(False, True, True)), "2H", "e"))
    assert after.turn == 0


def test_hands_are_filled_up_at_the_end_of_a_turn() -> None:
    """ "At the end of each turn, each player who has played any playing cards replenishes their hand … until they hold
    three": in turn order, starting with the seat whose turn ends."""
    state = bump(travel(under_way(["c", "d", "g"], HANDS), "AH", "d"), "3H", "g")
    state = bump(state, "4D", "k", seat=1)
    dealt = []
    while state.turn == HOUSE:
        chance = next(chance for chance, weight in state.chances() if weight)
        dealt.append(chance.to)  # type: ignore[attr-defined]
        state = state.play(chance)
    assert dealt == [0, 0, 1]
    assert [len(hand) for hand in state.hands] == [3, 3, 3]
    assert state.turn == 1


def test_in_the_evening_hands_are_filled_up_counterclockwise() -> None:
    """In the evening, hands are refilled in counter-clockwise order."""
    hands = ("AH 2H 3H", "4D 5D", "7C 8C")
    state = travel(under_way(["c", "work", "work"], hands, commute=1), "2H", "e")
    dealt = []
    while state.turn == HOUSE:
        chance = next(chance for chance, weight in state.chances() if weight)
        dealt.append(chance.to)  # type: ignore[attr-defined]
        state = state.play(chance)
    assert dealt == [0, 2, 1]
    assert state.turn == 2


def test_who_has_arrived_is_filled_up_too() -> None:
    """ "Each to three": the hands of players who have arrived are refilled too."""
    after = travel(under_way(["l", "c", "h2"], HANDS), "AH", "work")
    assert (after.turn, next(chance.to for chance, _ in after.chances())) == (HOUSE, 0)  # type: ignore[attr-defined]


def test_an_emptied_deck_is_made_of_the_discards_when_a_card_is_needed() -> None:
    """ "An emptied deck counts 0 until a card is needed; then the shuffled discards are the deck." """
    state = under_way(["c", "h1", "h2"], HANDS)
    rest = sorted(unidentified_cards(state))
    last = with_deck(state, discard=tuple(rest[1:]))
    state = deal(travel(last, "2H", "e"), rest[0])
    assert (state.deck_size, state.turn) == (0, 1), "not needed yet"
    state = travel(state, "4D", "f", seat=1)
    state = uh_oh(state, "U05")
    assert (state.turn, state.deck_size, state.deck.discard) == (HOUSE, len(rest) - 1 + 2, ())
    assert {"2H", "4D"} < unidentified_cards(state)
    assert not unidentified_cards(state) & {card for hand in state.hands for card in hand}


def test_the_last_arrival_ends_the_commute() -> None:
    """ "The ply that ends a commute shows reputation settled and the next commute begun (minutes 0, positions, empty
    hands, deck 40, the house to deal)"; nothing is replenished."""
    state = under_way(["l", "work", "work"], HANDS, arrived=(False, True, True), minutes=(90, 100, 110))
    after = travel(state, "2H", "work")
    assert after.reputation == (-8, 0, -17)
    assert after.results == (CommuteResult((92, 100, 110), (-8, 0, -17)),)
    assert (after.round, after.is_morning, after.turn) == (1, False, HOUSE)
    assert (after.minutes, after.locations, after.hands) == ((0, 0, 0), ("work",) * 3, ((), (), ()))
    assert (after.deck_size, after.arrived, after.deck.discard) == (40, (False,) * 3, ())


def test_a_new_commute_begins_with_three_cards_each() -> None:
    """ "At the beginning of each commute, each player is dealt three cards", beginning with seat 0's hand."""
    state = travel(under_way(["l", "work", "work"], HANDS, arrived=(False, True, True)), "2H", "work")
    dealt = []
    while state.turn == HOUSE:
        chance = next(chance for chance, weight in state.chances() if weight)
        dealt.append(chance.to)  # type: ignore[attr-defined]
        state = state.play(chance)
    assert dealt == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert state.deck_size == 31


def test_lost_turns_and_closed_lines_end_with_the_commute() -> None:
    """Lost turns and closed lines end with the commute."""
    state = under_way(
        ["l", "work", "work"],
        HANDS,
        arrived=(False, True, True),
        skips=(0, 2, 0),
        closures=(Closure("red", 1, 2),),  # type: ignore[arg-type]
    )
    after = travel(state, "2H", "work")
    assert (after.skips, closed_lines(after.closures)) == ((0, 0, 0), {})


@pytest.mark.parametrize(("minutes", "gain"), [(100, 0), (99, -1), (93, -7), (0, -100), (101, -8), (110, -17)])
def test_a_morning_costs_points_for_minutes_below_and_above_a_hundred(minutes: int, gain: int) -> None:
    """After a morning, "the players lose one reputation point for every minute on their tally below one hundred … If a
    player has over one hundred minutes …, they lose seven reputation points, in addition to the number of minutes" over
    a hundred."""
    assert morning_gains((minutes,)) == (gain,)


def test_an_evening_gives_twenty_to_the_quickest_and_the_others_less() -> None:
    """After an evening, "the player who reaches their house with the fewest number of minutes gains twenty reputation
    points, and the remaining players … twenty minus the number of minutes they have more"; this number may be
    negative."""
    assert evening_gains((30, 34, 30, 61)) == (20, 16, 20, -11)


def test_play_goes_clockwise_in_the_morning_and_back_in_the_evening() -> None:
    """ "Play proceeds clockwise during Morning Commute and counter-clockwise during Evening Commute." """
    morning = refill(travel(under_way(["c", "h1", "h2"], HANDS), "2H", "e"))
    assert morning.turn == 1
    evening = refill(travel(under_way(["c", "work", "work"], HANDS, commute=1), "2H", "e"))
    assert evening.turn == 2


def test_who_goes_first_moves_on_after_each_round() -> None:
    """ "With the player who goes first rotating clockwise after each (dual) round": the same in both its commutes."""
    firsts = []
    for commute in range(6):
        goal = "l" if commute % 2 == 0 else "a"
        there = ["work", "work"] if commute % 2 == 0 else ["h1", "h2"]
        state = under_way([goal, *there], HANDS, arrived=(False, True, True), commute=commute, commute_count=20)
        after = refill(travel(state, "AH", "work" if commute % 2 == 0 else "h0"))
        firsts.append((after.round, after.is_morning, after.turn))
    assert firsts == [(1, False, 0), (2, True, 1), (2, False, 1), (3, True, 2), (3, False, 2), (4, True, 0)]


def test_the_last_commute_keeps_its_data() -> None:
    """ "The last one's data stay"; turn is null, nothing is legal; the most reputation wins."""
    state = under_way(
        ["l", "work", "work"], HANDS, arrived=(False, True, True), minutes=(90, 100, 110), commute_count=1
    )
    after = travel(state, "2H", "work")
    assert (after.is_over, after.turn, after.minutes) == (True, None, (92, 100, 110))
    assert (after.locations, after.arrived, after.hands[0]) == (("work",) * 3, (True,) * 3, ("AH", "3H"))
    assert after.winners == [1]
    assert not [*after.legal_moves(), *after.chances()]


def test_ties_are_shared() -> None:
    """If players are tied, all of them win: "The player who has the most reputation points … wins the game!" """
    state = under_way(["l", "work", "work"], HANDS, arrived=(False, True, True), minutes=(90, 92, 0), commute_count=1)
    assert travel(state, "2H", "work").winners == [0, 1]
    assert under_way(["l", "work", "work"], HANDS).winners == []


def test_the_seats_of_an_unfinished_game_have_not_won() -> None:
    """Winners are named only at the end of the game."""
    assert under_way(["c", "h1", "h2"], HANDS).as_known_to("spectator").to_json()["winners"] == []
