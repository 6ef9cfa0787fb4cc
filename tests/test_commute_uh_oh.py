"""“Uh-Oh!” cards of Commute: who draws them, what they do, and what they ask."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.commute.position_parts import Closure, PendingBump, SwapTask, closed_lines
from companion.games.commute.position_updates import with_uh_oh
from companion.games.commute.rules import State
from companion.games.rules import HOUSE, Seat, play
from companion.text.refusal_errors import IllegalMove, NotYourTurn
from tests.commute_positions import act, bump, choose, deal, move, places, refill, stroll, travel, uh_oh, under_way

HANDS = ("AH 2H 3H", "4D 5D 6D", "7C 8C 9C")


def minutes(amount: int) -> dict[str, Any]:
    return {"kind": "minutes", "amount": amount}


def reputation(amount: int) -> dict[str, Any]:
    return {"kind": "reputation", "amount": amount}


def drawn(effect: dict[str, Any], positions: tuple[str, ...] = ("e", "h1", "h2"), **fields: Any) -> State:
    """A position in which seat 0 has traveled one step to f and drawn a card with this effect. Hands have not been
    refilled."""
    hands = fields.pop("hands", HANDS)
    state = under_way(positions, hands, cards={"U01": effect, "U02": minutes(1)}, **fields)
    return uh_oh(travel(state, "AH", "f"), "U01")


def tally(state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The minutes and the reputation of all seats."""
    return state.minutes, state.reputation


LANDED = 1 + 2
"""Seat 0's minutes from the card and the space."""


def test_who_lands_on_an_uh_oh_space_draws() -> None:
    """ "Players who land on an "Uh-Oh!" space … must draw", after the minutes of the space are added."""
    state = travel(under_way(["e", "h1", "h2"], HANDS), "AH", "f")
    assert (state.turn, state.minutes[0], state.uh_oh.queue) == (HOUSE, LANDED, (0,))
    assert {(chance.NAME, chance.to) for chance, _ in state.chances()} == {("uh_oh", 0)}  # type: ignore[attr-defined]
    with pytest.raises(IllegalMove, match="an “Uh-Oh!” card for seat 0"):
        act(state, HOUSE, "deal", to=0, card="AS")
    with pytest.raises(IllegalMove):
        act(state, HOUSE, "uh_oh", to=1, card="U01")


def test_passing_an_uh_oh_space_draws_nothing() -> None:
    """A player who only passes an “Uh-Oh!” space draws no card."""
    assert travel(under_way(["e", "h1", "h2"], HANDS), "2H", "g").uh_oh.queue == ()


def test_a_player_bumped_onto_an_uh_oh_space_draws_too() -> None:
    """Players who land on an “Uh-Oh!” space must draw, "including players who have been moved there by another
    player." """
    state = bump(travel(under_way(["c", "d", "h2"], HANDS), "AH", "d"), "2H", "f")
    assert (state.turn, state.uh_oh.queue, state.minutes[1]) == (HOUSE, (1,), 2)


def test_cards_are_drawn_once_the_cascade_is_over_in_order_of_landing() -> None:
    """Each player who lands on an "Uh-Oh!" space in a cascade draws a card once the cascade is over, in order of
    landing: "by whoever landed, even if sent on since." """
    state = under_way(["e", "f", "n"], HANDS, cards={f"U0{n}": minutes(n) for n in range(1, 4)})
    state = travel(state, "AH", "f")
    state = bump(state, "2H", "h")
    assert state.uh_oh.queue == (0,)
    state = under_way(["m", "n", "h2"], HANDS, cards={f"U0{n}": minutes(n * 10) for n in range(1, 4)})
    state = bump(travel(state, "AH", "n"), "3H", "n")
    assert (state.bump, state.uh_oh.queue) == (PendingBump(Seat(1), Seat(0)), (0, 1))
    state = bump(state, "4D", "e", seat=1)
    assert (state.locations[0], state.uh_oh.queue) == ("e", (0, 1))
    state = uh_oh(state, "U02")
    assert state.minutes == (1 + 2 + 5 + 20, 2, 0)
    assert uh_oh(state, "U03").minutes == (1 + 2 + 5 + 20, 2 + 30, 0)


def test_a_player_bumped_into_the_goal_draws_none() -> None:
    """A player who lands on an “Uh-Oh!” space and is then bumped into the goal draws no card."""
    state = under_way(
        ["f", "i", "h2"], HANDS, stage="cascade", bump=PendingBump(Seat(0), Seat(1)), queue=(Seat(1), Seat(0))
    )
    state = state.replace(hands=(["10H", "2H", "3H"], *state.hands[1:]))
    state = state.replace(hands=tuple(tuple(hand) for hand in state.hands))
    after = bump(state, "10H", "work")
    assert after.arrived[1]
    assert {chance.to for chance, _ in after.chances()} == {0}  # type: ignore[attr-defined]
    alone = bump(with_uh_oh(state, queue=(Seat(1),)), "10H", "work")
    assert {chance.NAME for chance, _ in alone.chances()} == {"deal"}


def test_the_deck_goes_on_and_is_made_of_all_cards_when_it_is_empty() -> None:
    """The “Uh-Oh!” deck is not renewed for each commute. When it is empty, it is made of all its cards: "The Uh-Oh deck
    goes on across commutes and reshuffles likewise." """
    state = drawn(minutes(1), uh_oh_deck=frozenset({"U01"}))
    assert state.uh_oh.deck == frozenset()
    again = travel(refill(state).replace(active_player=Seat(0), locations=("e", "h1", "h2")), "2H", "g")
    assert again.uh_oh.deck == frozenset(), "not needed yet"
    state = travel(refill(state).replace(stage="travel", active_player=Seat(0), locations=("d", "h1", "h2")), "2H", "f")
    assert state.uh_oh.deck == {"U01", "U02"}


def test_minutes_and_reputation_apply_to_the_drawer() -> None:
    """The minutes and the reputation of a card apply to the player who drew it."""
    assert tally(drawn(minutes(6))) == ((LANDED + 6, 0, 0), (0, 0, 0))
    assert tally(drawn(minutes(-9))) == ((0, 0, 0), (0, 0, 0)), "never below zero"
    assert tally(drawn(reputation(-2))) == ((LANDED, 0, 0), (-2, 0, 0))


def test_all_effects_of_a_card_apply() -> None:
    """If a card has several effects, they are applied one after another."""
    assert tally(drawn({"kind": "all", "of": [minutes(10), reputation(5)]})) == ((LANDED + 10, 0, 0), (5, 0, 0))


def test_an_effect_may_depend_on_the_commute() -> None:
    """The effect of a card may depend on the commute: "If it is Morning Commute, add 2 minutes to your time. If it is
    Evening Commute, subtract 2 minutes." """
    leak = {"kind": "by_commute", "morning": minutes(2), "evening": minutes(-2)}
    assert drawn(leak).minutes[0] == LANDED + 2
    assert drawn(leak, commute=1).minutes[0] == LANDED - 2


CHOICE = {"kind": "choice", "of": [{"kind": "all", "of": [minutes(10), reputation(5)]}, reputation(-1)]}


def test_a_choice_waits_for_the_drawer() -> None:
    """ "Cards that ask for a choice wait for it": the answer is the index in `of`."""
    state = drawn(CHOICE)
    known = state.as_known_to(Seat(1))
    assert (known.turn, known.uh_oh.card) == (0, "U01")
    assert known.to_json()["pending"] == {"kind": "choose", "seat": 0}
    assert {m.option for m in state.legal_moves()} == {0, 1}  # type: ignore[attr-defined]
    assert tally(choose(state, 0)) == ((LANDED + 10, 0, 0), (5, 0, 0))
    assert tally(choose(state, 1)) == ((LANDED, 0, 0), (-1, 0, 0))
    with pytest.raises(IllegalMove, match="You can choose 0, 1"):
        choose(state, 2)
    with pytest.raises(IllegalMove, match="Answer the “Uh-Oh!” card first"):
        travel(state, "2H", "h")
    with pytest.raises(NotYourTurn):
        choose(state, 0, seat=1)


def test_a_choice_of_one_is_asked_all_the_same() -> None:
    """A choice is "asked even if there is one answer." """
    assert drawn({"kind": "choice", "of": [minutes(1)]}).turn == 0


def test_the_card_is_put_away_when_it_is_settled() -> None:
    """`uh_oh` is the card whose effects are being applied. When all of them are, the card is put away and the turn goes
    on."""
    state = drawn(CHOICE)
    assert state.uh_oh.card == "U01"
    after = choose(state, 1)
    assert (after.uh_oh.card, after.stage) == (None, "replenish")


def test_at_a_station_looks_at_everyone_under_way() -> None:
    """ "`at_station` looks at every seat not arrived and applies `then` to those on a station, `else` (may be null) to
    the others", including the player who drew the card."""
    strike = {"kind": "at_station", "then": minutes(6)}
    seats = ("e", "p", "c", "k")
    hands = (*HANDS, "10H 10D 10C")
    assert drawn(strike, seats, hands=hands).minutes == (LANDED, 6, 0, 6)
    away = (False, False, False, True)
    assert drawn(strike, seats, hands=hands, arrived=away).minutes == (LANDED, 6, 0, 0)
    rain = {"kind": "at_station", "then": minutes(-2), "else": minutes(2)}
    assert drawn(rain, seats, hands=hands, minutes=(0, 9, 9, 9)).minutes == (LANDED + 2, 7, 11, 7)


def test_at_a_station_asks_each_in_turn_order() -> None:
    """If the effect at a station is a question, players answer in turn order, beginning with the player who drew the
    card."""
    state = drawn({"kind": "at_station", "then": minutes(0), "else": CHOICE}, commute=1)
    assert state.turn == 0
    assert choose(state, 1).turn == 2
    assert choose(choose(state, 1), 1, seat=2).turn == 1


def swap(gives: str, gets: str, **fields: Any) -> State:
    """A position in which seat 0, with the 2 and 3 of hearts, draws a swap."""
    return drawn({"kind": "swap", "gives": gives, "gets": gets}, **fields)


def test_a_swap_names_its_partner_first() -> None:
    """ "For `swap` … the other seat's number": the partner must be under way and hold a card."""
    state = swap("chosen", "random", arrived=(False, False, True))
    assert {m.option for m in state.legal_moves()} == {1}  # type: ignore[attr-defined]
    both = swap("chosen", "random")
    assert {m.option for m in both.legal_moves()} == {1, 2}  # type: ignore[attr-defined]
    with pytest.raises(IllegalMove):
        choose(both, 0)


def test_an_expense_claim_gives_a_chosen_card_for_a_random_one() -> None:
    """The expense claim says "choose a card of your own to exchange with a random card of someone else"; "the drawer's
    card is settled first", "new cards join at the end"."""
    state = choose(swap("chosen", "random"), 1)
    assert {m.option for m in state.legal_moves()} == {"2H", "3H"}  # type: ignore[attr-defined]
    state = choose(state, "3H")
    assert state.hands[0] == ("2H", "3H"), "both change hands at once"
    assert [(chance.from_, chance.card) for chance, _ in state.chances()] == [(1, "4D"), (1, "5D"), (1, "6D")]  # type: ignore[attr-defined]
    after = act(state, HOUSE, "pick", from_=1, card="5D")
    assert after.hands == (("2H", "5D"), ("4D", "6D", "3H"), ("7C", "8C", "9C"))


def test_an_admired_rival_chooses_for_a_random_card_of_the_drawer() -> None:
    """The admired rival says "select another player. They will choose a card of theirs to exchange with a random card
    of yours." """
    state = choose(swap("random", "chosen"), 2)
    assert state.turn == HOUSE
    with pytest.raises(IllegalMove, match="a random card of seat 0"):
        act(state, HOUSE, "pick", from_=2, card="7C")
    with pytest.raises(IllegalMove):
        act(state, HOUSE, "pick", from_=0, card="AS")
    state = act(state, HOUSE, "pick", from_=0, card="2H")
    assert (state.turn, state.as_known_to(Seat(0)).to_json()["pending"]) == (2, {"kind": "choose", "seat": 2})
    with pytest.raises(NotYourTurn):
        choose(state, "3H")
    with pytest.raises(IllegalMove, match="You can choose 7C, 8C, 9C"):
        choose(state, "3H", seat=2)
    assert choose(state, "9C", seat=2).hands == (("3H", "9C"), ("4D", "5D", "6D"), ("7C", "8C", "2H"))


def test_both_may_choose_and_both_may_be_random() -> None:
    """A "chosen" card is chosen by its owner, a "random" one by the house."""
    state = choose(choose(swap("chosen", "chosen"), 1), "2H")
    assert choose(state, "4D", seat=1).hands[:2] == (("3H", "4D"), ("5D", "6D", "2H"))
    state = act(choose(swap("random", "random"), 1), HOUSE, "pick", from_=0, card="2H")
    assert act(state, HOUSE, "pick", from_=1, card="4D").hands[:2] == (("3H", "4D"), ("5D", "6D", "2H"))


def test_without_a_partner_or_a_card_nothing_happens() -> None:
    """A swap without a possible partner or without a card asks nothing and has no effect."""
    assert swap("chosen", "random", arrived=(False, True, True)).stage == "replenish"
    assert swap("chosen", "random", hands=("AH", *HANDS[1:])).stage == "replenish"
    assert swap("chosen", "random", hands=("AH 2H", "", "7C")).turn == 0
    alone = swap("chosen", "random", hands=("AH 2H", "", ""))
    assert alone.stage == "replenish"


def test_swapped_hands_stay_as_large_as_they_were() -> None:
    """A swap changes no hand size, so nobody draws because of it."""
    state = choose(choose(swap("chosen", "chosen"), 1), "2H")
    after = refill(choose(state, "4D", seat=1))
    assert [len(hand) for hand in after.hands] == [3, 3, 3]
    assert after.hands[1] == ("5D", "6D", "2H")


def test_the_drawer_may_lose_a_turn() -> None:
    """A card may make the player who drew it lose their next turn."""
    state = refill(drawn({"kind": "skip_turn", "who": "self"}))
    assert (state.turn, state.skips) == (1, (1, 0, 0))
    state = stroll(stroll(state))
    assert (state.turn, state.skips) == (1, (0, 0, 0))


def test_another_player_may_lose_a_turn() -> None:
    """ "Make someone skip a turn": the player who drew the card is asked for the other seat's number. `skips` falls
    when the turn passes."""
    state = drawn({"kind": "skip_turn", "who": "other"})
    assert {m.option for m in state.legal_moves()} == {1, 2}  # type: ignore[attr-defined]
    state = choose(state, 1)
    assert (state.turn, state.skips) == (HOUSE, (0, 1, 0))
    assert (refill(state).turn, refill(state).skips) == (2, (0, 0, 0))


def test_lost_turns_add_up() -> None:
    """Lost turns add up. They also count for a player who is the only one still under way."""
    state = choose(drawn({"kind": "skip_turn", "who": "other"}, skips=(0, 1, 0)), 1)
    assert (refill(state).turn, refill(state).skips) == (2, (0, 1, 0))
    alone = drawn({"kind": "skip_turn", "who": "self"}, arrived=(False, True, True), skips=(1, 0, 0))
    assert (refill(alone).turn, refill(alone).skips) == (0, (0, 0, 0))


def test_lost_turns_do_not_matter_once_a_player_is_in_the_goal() -> None:
    """If a player who must lose turns is bumped into the goal, the lost turns have no further effect and end with the
    commute."""
    state = under_way(["k", "l", "h2"], ["AH 2H 3H", "4D 5D 6D", "7C 8C 9C"], skips=(0, 2, 0))
    state = bump(travel(state, "AH", "l"), "2H", "work")
    assert (state.arrived, state.skips) == ((False, True, False), (0, 2, 0))
    state = refill(state)
    assert (state.turn, state.skips) == (2, (0, 2, 0))


def test_with_nobody_to_skip_nothing_happens() -> None:
    """If all other players have already arrived, a card that makes someone lose a turn has no effect."""
    assert drawn({"kind": "skip_turn", "who": "other"}, arrived=(False, True, True)).stage == "replenish"


def shut(turns: int = 1, **fields: Any) -> State:
    """A position in which seat 0 has closed the blue line."""
    return choose(drawn({"kind": "close_line", "turns": turns}, **fields), "blue")


def test_a_line_is_closed_by_name() -> None:
    """A card that closes a line asks for one of the board's lines. Any other answer is refused."""
    state = drawn({"kind": "close_line", "turns": 1})
    assert {m.option for m in state.legal_moves()} == {"red", "blue"}  # type: ignore[attr-defined]
    with pytest.raises(IllegalMove):
        choose(state, "7H")
    assert choose(state, "red").as_known_to("spectator").to_json()["closed"] == {"red": 1}


def test_a_closed_line_opens_when_play_comes_to_the_drawer() -> None:
    """ "Can't be used … until the turn order has come to the drawer `turns` times"; `closed` falls as the turn
    passes."""
    state = refill(shut(positions=("e", "b", "k")))
    assert (state.turn, closed_lines(state.closures)) == (1, {"blue": 1})
    assert not {"h", "work"} & places(state, 1, "4D")
    assert {"h", "work"} <= places(state.replace(closures=()), 1, "4D")
    state = stroll(state)
    assert (state.turn, closed_lines(state.closures)) == (2, {"blue": 1})
    state = stroll(state)
    assert (state.turn, closed_lines(state.closures)) == (0, {})


def test_a_closed_line_opens_even_if_the_drawer_can_not_act() -> None:
    """A closed line opens when the turn order reaches the player who closed it, even if that player has arrived or
    loses the turn."""
    closing = (Closure("blue", Seat(1), 1),)
    for fields in ({"arrived": (False, True, False)}, {"skips": (0, 1, 0)}):
        state = under_way(["c", "h1", "h2"], HANDS, closures=closing, **fields)
        assert closed_lines(refill(travel(state, "2H", "e")).closures) == {}


def test_a_line_may_stay_closed_for_two_rounds() -> None:
    """A line that is closed for two turns is still closed on the drawer's next turn."""
    closing = (Closure("blue", Seat(1), 2),)
    state = refill(travel(under_way(["c", "h1", "h2"], HANDS, closures=closing), "2H", "e"))
    assert (state.turn, closed_lines(state.closures)) == (1, {"blue": 1})


def test_a_line_closed_twice_shows_the_larger_number() -> None:
    """A line that was closed twice shows the larger number of turns and opens when both have passed."""
    closures = (Closure("blue", Seat(1), 1), Closure("blue", Seat(2), 2))
    state = under_way(["c", "h1", "h2"], HANDS, closures=closures)
    assert closed_lines(state.closures) == {"blue": 2}
    after = refill(travel(state, "2H", "e"))
    assert after.closures == (Closure("blue", Seat(2), 2),)


def test_an_answer_of_the_wrong_kind_is_refused() -> None:
    """An answer of another kind than the question asks for is refused."""
    state = choose(swap("chosen", "chosen"), 1)
    assert isinstance(state.uh_oh.tasks[0], SwapTask)
    for option in (0, 1, "red", "4D", "?"):
        with pytest.raises(IllegalMove):
            play(state, move(state, 0, "choose", option=option))
    assert deal(refill(choose(choose(state, "2H"), "4D", seat=1)), "").turn == 1
