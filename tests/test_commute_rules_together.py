"""Tests of sentences in Commute's rule text that span several rules and therefore belong to no other test file."""

from __future__ import annotations

import pytest

from companion.games.commute.game import GAME
from companion.games.commute.moves import Travel
from companion.games.rules import HOUSE, REFEREE, play
from tests.commute_games import begun
from tests.commute_positions import act, bump, choose, deal, refill, start, travel, under_way

HANDS = ("AH 2H 3H", "4D 5D 6D", "7C 8C 9C")


def test_most_reputation_wins() -> None:
    """ "The objective of the game is to finish the game with the most Reputation Points": these alone decide who wins,
    and minutes only lead to them."""
    before = under_way(["l", "work"], HANDS[:2], arrived=(False, True), commute_count=1, reputation=(-10, -8))
    for minutes, winner in (((90, 100), 1), ((99, 90), 0)):
        end = travel(before.replace(minutes=minutes), "AH", "work")
        assert end.is_over
        assert end.winners == [winner]


def test_five_may_play() -> None:
    """ "It is best played with five players, plus one scorekeeper": five seats are possible, and the companion keeps
    the score."""
    assert max(GAME.rules.seats) == 5
    state = deal(GAME.rules.begin(5, {}).state, "AH 2H 3H 4H 5H 6H 7H 8H 9H 10H AD 2D 3D 4D 5D")
    assert (state.turn, state.deck_size, len(set(state.houses))) == (0, 25, 5)
    made = next(made for made in state.legal_moves() if isinstance(made, Travel) and made.card == "3H")
    assert play(state, made).minutes == (3 + state.board.spaces[made.to].minutes, 0, 0, 0, 0)


def test_a_round_is_a_morning_and_an_evening() -> None:
    """ "Each round consists of two phases, a "Morning Commute", where the players start at their house and have to
    reach work, and an "Evening Commute", where players begin at work and are tasked with reaching their respective
    houses." """
    state = start(2, rounds=1).state
    assert (state.round, state.is_morning, state.locations) == (1, True, ("h0", "h1"))
    assert [state.goal(seat) for seat in (0, 1)] == ["work", "work"]  # type: ignore[arg-type]
    last = under_way(["l", "work"], HANDS[:2], arrived=(False, True), commute_count=2)
    evening = travel(last, "AH", "work")
    assert (evening.round, evening.is_morning, evening.locations) == (1, False, ("work", "work"))
    assert [evening.goal(seat) for seat in (0, 1)] == ["h0", "h1"]  # type: ignore[arg-type]
    end = travel(under_way(["a", "h1"], HANDS[:2], arrived=(False, True), commute=1, commute_count=2), "AH", "h0")
    assert end.is_over


def test_minutes_start_at_zero_in_each_commute() -> None:
    """In each commute, players keep "a tally of their number of "minutes", starting at zero at the beginning of each
    commute." """
    assert start(3).state.minutes == (0, 0, 0)
    last = under_way(["l", "work"], HANDS[:2], arrived=(False, True), minutes=(70, 90), commute_count=2)
    assert travel(last, "AH", "work").minutes == (0, 0)


def test_a_turn_ends_when_everything_that_follows_is_settled() -> None:
    """ "At the end of each turn": the travel, the bump and the "Uh-Oh!" card belong to the turn, and hands are refilled
    after it."""
    state = travel(under_way(["e", "f", "h2"], ["AH 2H 3H", *HANDS[1:]]), "AH", "f")
    assert (state.turn, state.bump is not None) == (0, True)
    state = bump(state, "2H", "h")
    assert (state.turn, [move.NAME for move, _ in state.chances()][:1]) == (HOUSE, ["uh_oh"])
    after_card = act(state, HOUSE, "uh_oh", to=0, card="U05")
    assert {move.NAME for move, _ in after_card.chances()} == {"deal"}
    assert refill(after_card).turn == 1


def test_who_has_arrived_is_left_alone() -> None:
    """Players who have arrived "cannot be affected in any way by other players for the remainder of that commute":
    nobody lands on them, swaps with them or makes them lose a turn, and effects on all players skip them."""
    arrived = {"arrived": (False, True, False)}
    state = travel(under_way(["l", "work", "h2"], HANDS, **arrived), "2H", "work")
    assert (state.bump, state.arrived) == (None, (True, True, False))
    for kind in ({"kind": "swap", "gives": "chosen", "gets": "random"}, {"kind": "skip_turn", "who": "other"}):
        drawn = travel(under_way(["e", "work", "h2"], HANDS, cards={"U01": kind}, **arrived), "AH", "f")
        asked = act(drawn, HOUSE, "uh_oh", to=0, card="U01").question
        assert asked
        assert asked.options == (2,)
    everybody = {
        "kind": "at_station",
        "then": {"kind": "minutes", "amount": 9},
        "else": {"kind": "minutes", "amount": 4},
    }
    drawn = travel(under_way(["e", "work", "b"], HANDS, cards={"U01": everybody}, **arrived), "AH", "f")
    after = act(drawn, HOUSE, "uh_oh", to=0, card="U01")
    assert [new - old for new, old in zip(after.minutes, drawn.minutes, strict=True)] == [4, 0, 9]


@pytest.mark.parametrize(
    ("effect", "minutes", "reputation"),
    [
        ({"kind": "minutes", "amount": 6}, 6, 0),
        ({"kind": "minutes", "amount": -2}, -2, 0),
        ({"kind": "reputation", "amount": 5}, 0, 5),
        ({"kind": "reputation", "amount": -1}, 0, -1),
    ],
)
def test_uh_oh_cards_add_and_take(effect: dict[str, object], minutes: int, reputation: int) -> None:
    """ "Some "Uh-Oh" cards introduce other effects into the game, which may add or subtract minutes or reputation from
    players." """
    before = travel(under_way(["e", "h1", "h2"], HANDS, cards={"U01": effect}), "AH", "f")
    after = act(before, HOUSE, "uh_oh", to=0, card="U01")
    assert after.minutes[0] - before.minutes[0] == minutes
    assert after.reputation[0] - before.reputation[0] == reputation


def test_the_cat_is_helped_or_not() -> None:
    """ "Add 10 minutes and add 5 reputation, or lose 1 reputation": the player who draws the card chooses."""
    cat = next(card for card in start(2).state.uh_oh_cards.values() if "cat" in card.text.lower() + card.title.lower())
    before = travel(under_way(["e", "h1", "h2"], HANDS), "AH", "f")
    asked = act(before, HOUSE, "uh_oh", to=0, card=cat.id)
    helped, left = choose(asked, 0), choose(asked, 1)
    assert (helped.minutes[0] - before.minutes[0], helped.reputation[0]) == (10, 5)
    assert (left.minutes[0] - before.minutes[0], left.reputation[0]) == (0, -1)


@pytest.mark.slow
def test_a_scorekeeper_needs_no_seat() -> None:
    """ "Two to five players, plus a possible scorekeeper": a spectator sees every tally, but no hand."""
    for seats in GAME.rules.seats:
        web_table = begun(seats)
        keeper = web_table.phone()
        page, view = keeper.get("/table").text, keeper.view()
        assert page.count('class="rep') == seats
        assert (view["seat"], view["legal"]) == (None, [])
        assert view["state"]["minutes"] == [0] * seats
        assert {card for hand in view["state"]["hands"] for card in hand} == {"?"}


def test_everybody_is_told_which_piece_and_house_are_theirs() -> None:
    """ "Players choose a playing piece and a house, and are told to remember their piece and their house": the page
    shows everybody which are theirs."""
    web_table = begun(3)
    whole = web_table.table.view(REFEREE)
    assert whole
    page = web_table.phone(1).get("/play").text
    for name, letter in zip(whole.names, "ABC", strict=True):
        assert f"{name}’s piece; their house is the one with the {letter}" in page


def test_a_commute_begins_with_three_cards_each() -> None:
    """ "Each player is dealt three cards", and plays one of them to travel. Then the hand is refilled to three."""
    state = deal(start(2).state, "AH 2H 3H 4D 5D 6D")
    assert (state.turn, [len(hand) for hand in state.hands]) == (0, [3, 3])
    assert [len(hand) for hand in travel(state, "AH", "a").hands] == [2, 3]
    assert [len(hand) for hand in refill(travel(state, "AH", "a")).hands] == [3, 3]
