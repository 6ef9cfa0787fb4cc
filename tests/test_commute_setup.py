"""Setting up Commute: cards, options, prescribed decks, hands and houses."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.games.commute.game import GAME
from companion.games.commute.position_updates import with_uh_oh
from companion.games.commute.rules import State
from companion.games.commute.suits_and_ranks import DECK, VALUES
from companion.games.game import choose_at_random
from companion.games.rules import HOUSE, Seat, play
from companion.match.chance_player import ChancePlayer
from companion.playouts.series import play_out
from companion.text.refusal_errors import SetupError
from tests.commute_positions import start, stroll


def first_deals(state: State, house: ChancePlayer, count: int) -> list[tuple[int, str]]:
    """The first deals of the house: the seat and the card of each."""
    dealt = []
    for ply in range(count):
        made: Any = house.next_move(state, ply)
        dealt.append((made.to, made.card))
        state = play(state, made)
    return dealt


def test_the_deck_is_forty_cards() -> None:
    """The forty cards are "a standard card deck in which all jacks, queens, and kings have been removed (aces have a
    value of one)." """
    assert len(set(DECK)) == 40
    assert sorted(VALUES.values()) == sorted(list(range(1, 11)) * 4)
    assert (VALUES["AH"], VALUES["10S"]) == (1, 10)


def test_two_to_five_may_play() -> None:
    """ "The game supports two to five players." """
    assert GAME.rules.seats == range(2, 6)
    assert [len(GAME.rules.begin(seats, {}).state.houses) for seats in GAME.rules.seats] == [2, 3, 4, 5]


def test_the_first_position_is_before_the_deal() -> None:
    """In the first position everyone is at home, nothing is dealt, and the house must deal."""
    state = GAME.rules.begin(2, {}).state
    assert (state.turn, state.round, state.is_morning, state.deck_size) == (HOUSE, 1, True, 40)
    assert (state.hands, state.minutes, state.reputation) == (((), ()), (0, 0), (0, 0))
    assert state.locations == ("h1", "h2")
    assert (state.question, state.bump, state.uh_oh.card, state.closures, state.skips) == (None, None, None, (), (0, 0))
    assert (state.is_over, state.winners) == (False, [])


def test_each_is_dealt_three_cards_seat_by_seat() -> None:
    """ "Seat 0's hand first": hands are dealt one after another, then seat 0 begins."""
    begun = start(2, deck=["7H", "AS"])
    dealt = first_deals(begun.state, ChancePlayer("x", begun.script), 6)
    assert [to for to, _ in dealt] == [0, 0, 0, 1, 1, 1]
    assert [card for _, card in dealt[:2]] == ["7H", "AS"]
    state = begun.state
    for ply in range(6):
        state = play(state, ChancePlayer("x").next_move(state, ply))
    assert state.turn == 0


def test_a_deck_in_a_set_up_is_the_first_shuffle_only() -> None:
    """ "A set-up's `deck` fixes the first of these": its remaining cards do not come first in the next commute."""
    deck = list(DECK)
    Random(3).shuffle(deck)
    state: State = start(2, deck=deck, rounds=1).state
    house, drawn, ply = ChancePlayer("y"), list[str](), 0
    while state.commute == 0:
        if state.turn != HOUSE:
            state = stroll_home(state)
            continue
        made = house.next_move(state, ply)
        drawn += [made.face] * (made.NAME == "deal")
        state, ply = play(state, made), ply + 1
    assert drawn[:40] == deck[: len(drawn)]
    assert state.deck.fixed_draws == ()
    assert len({weight for _, weight in state.chances()}) == 2, "one weight for all cards, another for a face-down deal"


def stroll_home(state: State) -> State:
    """The first legal move that reaches the goal, or else any legal move."""
    moves = list(state.legal_moves())
    home = (made for made in moves if getattr(made, "to", "") == "work")
    return play(state, next(home, moves[0]))


def test_an_uh_oh_deck_may_be_fixed() -> None:
    """A set-up may prescribe the first “Uh-Oh!” cards. The rest come at random."""
    begun = start(2, uh_oh=["U07", "U03"])
    state = with_uh_oh(begun.state.replace(stage="uh_oh"), queue=(Seat(0), Seat(0), Seat(0)))
    for card in ("U07", "U03"):
        assert {move.face for move, weight in state.chances() if weight} == {card}
        drawn = state.play(next(move for move, weight in state.chances() if weight))
        state = with_uh_oh(drawn.replace(stage="uh_oh"), queue=state.uh_oh.queue[1:], tasks=(), card=None)
    assert len({move.face for move, weight in state.chances() if weight}) == 18


def test_houses_may_be_chosen() -> None:
    """ "Players choose a playing piece and a house": those who don't choose get the board's first free houses."""
    assert start(3, houses=["h2"]).state.houses == ("h2", "h0", "h1")
    assert start(3, houses=["h3", "h1", "h0"]).state.locations == ("h3", "h1", "h0")


@pytest.mark.parametrize(
    ("rounds", "commutes"), [(None, 6), (0.5, 1), ("0.5", 1), (1, 2), ("2", 4), (2.5, 5), ("", 6), (50, 100)]
)
def test_rounds_default_to_the_number_of_seats(rounds: Any, commutes: int) -> None:
    """ "By default, the number of rounds played is equal to the number of players, but the players can agree on the
    number of rounds, even playing just a half of a round." """
    assert start(3, **({} if rounds is None else {"rounds": rounds})).state.commute_count == commutes


@pytest.mark.parametrize(
    "setup",
    [
        {"rounds": 0},
        {"rounds": -1},
        {"rounds": 0.3},
        {"rounds": True},
        {"rounds": "many"},
        {"rounds": None},
        {"rounds": "inf"},
        {"rounds": 10**400},
        {"rounds": [1]},
        {"deck": ["7H", "7H"]},
        {"deck": ["JH"]},
        {"deck": "7H"},
        {"deck": [["7H"]]},
        {"uh_oh": ["U99"]},
        {"uh_oh": ["U01", "U01"]},
        {"houses": ["h1", "h1"]},
        {"houses": ["h9"]},
        {"houses": ["h0", "h1", "h2"]},
        {"pieces": []},
    ],
    ids=str,
)
def test_an_unusable_set_up_is_refused_in_one_line(setup: dict[str, Any]) -> None:
    """A duplicate card, an unknown name, too many cards, and a number of rounds that is not a multiple of one half are
    each refused in one line."""
    with pytest.raises(SetupError) as caught:
        start(2, **setup)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_board_with_too_few_houses_is_refused() -> None:
    """A board with four houses is refused for five players."""
    with pytest.raises(SetupError, match="too few for 5 seats"):
        start(5)


def test_half_a_round_is_one_morning() -> None:
    """With half a round the game is over after one morning."""
    state, _ = play_out(GAME, start(2, rounds=0.5), choose_at_random, "half")
    assert isinstance(state, State)
    assert (state.is_over, len(state.results), state.is_morning) == (True, 1, True)


def test_turns_go_clockwise() -> None:
    """Players take turns clockwise."""
    state: State = start(3).state
    for ply in range(9):
        state = play(state, ChancePlayer("s").next_move(state, ply))
    turns = []
    for _ in range(4):
        turns.append(state.turn)
        state = stroll(state)
    assert turns == [0, 1, 2, 0]
