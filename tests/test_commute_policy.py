"""The careful policy of Commute, which uses only what its seat knows, and its results on the metropolis."""

from __future__ import annotations

from random import Random
from statistics import mean
from typing import Any

import pytest

from companion.games.commute.game import GAME
from companion.games.commute.moves import Bump, Choose, Travel
from companion.games.commute.policy import RANK_PROBABILITIES, choose_carefully
from companion.games.commute.rules import State
from companion.games.rules import HOUSE, Move, Seat
from companion.playouts.series import play_out
from tests.commute_positions import act, choose, random_game, travel, under_way

HANDS = ("AH 2H 9H", "4D 5D 6D", "7C 8C 9C")


def choice(state: State) -> Move:
    """The policy's move for the position as its seat knows it."""
    assert isinstance(state.turn, int)
    return choose_carefully(state.as_known_to(state.turn), state.turn, list(state.legal_moves()), Random(1))


@pytest.mark.parametrize("unseen", [0.0, 0.5])
def test_it_chooses_legal_moves_in_any_position(unseen: float) -> None:
    """The policy chooses legal moves even on a user's own board and with cards that nobody has reported."""
    for state, _ in random_game(3, "careful", unseen=unseen, rounds=1)[::3]:
        if isinstance(state.turn, int):
            assert choice(state) in list(state.legal_moves())


def test_it_arrives_in_the_morning_when_the_minutes_are_right() -> None:
    """In the morning the policy arrives at about a hundred minutes, neither much earlier nor later."""
    chosen = choice(under_way(["l", "h1", "h2"], HANDS, minutes=(91, 0, 0)))
    assert isinstance(chosen, Travel)
    assert (chosen.card, chosen.to) == ("9H", "work")
    early = choice(under_way(["l", "h1", "h2"], HANDS, minutes=(30, 0, 0)))
    assert isinstance(early, Travel)
    assert early.to != "work"
    late = choice(under_way(["l", "h1", "h2"], HANDS, minutes=(99, 0, 0)))
    assert isinstance(late, Travel)
    assert (late.card, late.to) == ("AH", "work")


def test_it_goes_home_by_the_cheapest_way_in_the_evening() -> None:
    """In the evening the policy goes home with the lowest card that suffices."""
    chosen = choice(under_way(["a", "work", "work"], HANDS, commute=1))
    assert isinstance(chosen, Travel)
    assert (chosen.card, chosen.to) == ("AH", "h0")


def test_it_sends_others_where_they_lose_most() -> None:
    """The policy bumps others into work long before time in the morning, and away from home in the evening."""
    state = travel(under_way(["j", "k", "h2"], ("AH 2H 9H", *HANDS[1:]), minutes=(0, 10, 0)), "AH", "k")
    chosen = choice(state)
    assert isinstance(chosen, Bump)
    assert chosen.to == "work"
    state = travel(under_way(["b", "c", "work"], ("AH 5H 9H", *HANDS[1:]), commute=1), "AH", "c")
    chosen = choice(state)
    assert isinstance(chosen, Bump)
    assert chosen.to != "h1"


def asked(effect: dict[str, Any], **fields: Any) -> State:
    """A position in which seat 0 has drawn a card with this effect."""
    cards = GAME.rules.begin(2, {}).state.uh_oh_cards
    name = next(id for id, card in cards.items() if card.to_json()["effect"] == effect)
    state = travel(under_way(["e", "h1", "h2"], HANDS, **fields), "AH", "f")
    return act(state, HOUSE, "uh_oh", to=0, card=name)


SWAP = {"kind": "swap", "gives": "chosen", "gets": "chosen"}
CAT = {
    "kind": "choice",
    "of": [
        {"kind": "all", "of": [{"kind": "minutes", "amount": 10}, {"kind": "reputation", "amount": 5}]},
        {"kind": "reputation", "amount": -1},
    ],
}


def test_it_chooses_the_cheapest_answer() -> None:
    """Of two answers, the policy chooses the cheaper one. Ten minutes cost nothing early in the morning, but ten points
    in the evening."""
    assert choice(asked(CAT)) == Choose(seat=Seat(0), option=0)
    assert choice(asked(CAT, commute=1)) == Choose(seat=Seat(0), option=1)


def test_it_uses_cards_against_the_leader() -> None:
    """The policy uses cards against the leader, and gives away the card that it needs least."""
    state = asked(SWAP, reputation=(0, 3, 9), commute=1)
    assert choice(state) == Choose(seat=Seat(0), option=2)
    chosen = choice(choose(state, 2))
    assert isinstance(chosen, Choose)
    assert chosen.option in ("2H", "9H")


def test_probabilities_of_the_best_of_three_cards_add_up_to_one() -> None:
    """The probabilities of the best of three cards decrease and add up to one."""
    assert sum(RANK_PROBABILITIES) == pytest.approx(1)
    assert sorted(RANK_PROBABILITIES, reverse=True) == list(RANK_PROBABILITIES)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 5])
def test_mornings_take_about_a_hundred_minutes(seats: int) -> None:
    """ "A good morning lands near 100 minutes". An evening takes far fewer minutes, and random play takes far more."""
    begun = GAME.rules.begin(seats, {"rounds": 1})
    ends = [GAME.playouts.outcome(play_out(GAME, begun, choose_carefully, f"near/{n}")[0]) for n in range(20)]  # type: ignore[arg-type]
    assert 95 <= mean(float(end["morning minutes"]) for end in ends) <= 105
    assert mean(float(end["evening minutes"]) for end in ends) < 40
