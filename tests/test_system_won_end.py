"""The end of a game of System WON: the last round, the score and its rating."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from companion.games.rules import HOUSE
from companion.games.system_won.catalog import catalog
from companion.games.system_won.game import GAME
from companion.games.system_won.rules import State
from companion.text.refusal_errors import GameOver
from tests.system_won_positions import act, deal, hand, house, random_game, shown, table, use


def turns(state: State) -> list[int]:
    """The seats that still take a turn, in order, if everyone discards and the deck stays empty."""
    order = []
    while state.turn is not None:
        assert isinstance(state.turn, int)
        order.append(state.turn)
        state = act(state, "discard", slot=0)
        while state.turn == HOUSE:
            state = next(state.play(move) for move, weight in state.chances() if weight)
    return order


def last_card(**fields: Any) -> State:
    """A position after seat 0 has drawn the last card of the deck."""
    return deal(act(table(deck="G1", **fields), "discard", slot=0), "G1")


def test_each_player_plays_one_more_time() -> None:
    """ "The game ends if a player takes the last card from the pile: each player plays one more time, including the
    player who picked up the last card." The last round starts "with the seat that play goes on to"."""
    state = last_card()
    assert (state.turn, state.turns_left) == (1, 3)
    assert turns(state) == [1, 2, 0]


def test_nobody_draws_in_the_last_round() -> None:
    """Nobody draws in the last round: "The players cannot pick up cards during this last round as the pile is
    empty." """
    state = act(last_card(), "play", slot=0)
    assert (state.turn, hand(state, 1)) == (2, "Y1 G2 G2 B4")


def test_once_the_last_round_is_complete_the_game_ends() -> None:
    """ "Once the last round is complete, the game ends." After that, "the last state stays, `turn` is null, nothing is
    legal", and `turns_left` is 0."""
    state = last_card()
    counts = [shown(state)["turns_left"]]
    while state.turn is not None:
        state = act(state, "discard", slot=0)
        counts.append(shown(state)["turns_left"])
    assert counts == [3, 2, 1, 0]
    end = shown(state)
    assert (end["turn"], end["over"], list(state.legal_moves()), list(state.chances())) == (None, True, [], [])
    for name, keys in (("discard", {"slot": 0}), ("arrange", {"order": [0, 1, 2, 3]})):
        with pytest.raises(GameOver):
            act(state, name, seat=0, **keys)


def test_there_is_no_countdown_before_the_last_card() -> None:
    """`turns_left` is null while the deck still has a card, and also while its last card is being drawn."""
    state = table(deck="G1 G3")
    state = deal(act(state, "discard", slot=0), "G3")
    assert (state.deck_size, state.turns_left) == (1, None)
    assert act(state, "discard", slot=0).turns_left is None


def test_a_card_played_between_turns_may_take_the_last_card() -> None:
    """If the last card is drawn between turns, after `play_other`, the last round begins with "the seat in turn"."""
    state = table(deck="G1", roles="engineer designer operations", active_player=1, next_regular_player=2)
    state = deal(use(state, "play_other", seat=0, target=2, slot=0), "G1")
    assert (state.turn, state.turns_left) == (1, 3)
    assert turns(state) == [1, 2, 0]
    pending = use(
        table(deck="G1", roles="engineer designer operations", active_player=1, next_regular_player=2),
        "skip",
        seat=2,
        count=1,
    )
    pending = deal(use(pending, "play_other", seat=0, target=2, slot=0), "G1")
    assert (pending.turns_left, turns(pending)) == (2, [1, 0])


def test_an_extra_turn_does_not_replace_a_regular_one() -> None:
    """If the last card is drawn between turns while an extra turn is due, or in an extra turn, every seat still gets
    one more regular turn."""
    roles = "engineer designer operations"
    state = act(use(table(deck="G1", roles=roles), "extra_turn", seat=2, target=2), "specify", target=1, rank=2)
    assert state.turn == 2
    between = deal(use(state, "play_other", seat=0, target=1, slot=0), "G1")
    assert (between.turns_left, turns(between)) == (4, [2, 1, 2, 0])
    within = deal(act(state, "discard", slot=0), "G1")
    assert (within.turns_left, turns(within)) == (3, [1, 2, 0])


def test_extra_turns_come_on_top() -> None:
    """In the last round, pending extra turns are added to every seat's last turn: "Extra turns pending come on top". It
    does not matter whether the ability was used before the last card or in the last round."""
    state = use(table(deck="G1", roles="operations designer engineer"), "extra_turn", target=0)
    state = deal(act(state, "discard", slot=0), "G1")
    assert (state.turn, state.turns_left) == (0, 4)
    assert turns(state) == [0, 1, 2, 0]
    state = use(last_card(roles="operations designer engineer"), "extra_turn", seat=0, target=2)
    assert (state.turns_left, turns(state)) == (4, [1, 2, 2, 0])
    last = act(act(last_card(roles="operations designer engineer"), "discard", slot=0), "discard", slot=0)
    assert (last.turns_left, turns(use(last, "extra_turn", seat=0, target=1))) == (1, [0, 1])


@pytest.mark.parametrize(("count", "order"), [(1, [2, 0]), (2, [0]), (3, []), (4, []), (7, [])])
def test_a_skip_pending_before_the_last_card(count: int, order: list[int]) -> None:
    """ "Skipped seats lose their last turn": seats 1, 2, … lose it, and no seat can lose more than one turn."""
    state = use(table(deck="G1", roles="operations designer engineer"), "skip", count=count)
    state = deal(act(state, "discard", slot=0), "G1")
    assert (state.turns_left, state.is_over) == (len(order), not order)
    assert turns(state) == order


@pytest.mark.parametrize(("count", "order"), [(1, [1, 0]), (2, [1]), (3, [1]), (9, [1])])
def test_a_skip_in_the_last_round(count: int, order: list[int]) -> None:
    """After a skip in the last round, "the seat in turn still acts", and the skipped seats have no more turns."""
    state = use(last_card(roles="operations designer engineer"), "skip", seat=0, count=count)
    assert (state.turns_left, shown(state)["pending"]["skip"]) == (len(order), count)
    assert turns(state) == order


def test_a_recycled_deck_does_not_stop_the_countdown() -> None:
    """If discards are shuffled back into the deck in the last round, it still ends: "The countdown starts once; a
    recycled deck does not stop it, but can be drawn from"; "while the house draws, `turns_left` still counts the
    turn"."""
    state = last_card(roles="operations contractor engineer")
    state = use(state, "recycle")
    assert (state.turn, state.turns_left) == (HOUSE, 3)
    state = house(state, "recycle", cards=["R1"])
    assert (state.deck_size, state.turns_left, state.turn) == (1, 2, 2)
    state = act(state, "discard", slot=0)
    assert (state.turn, state.turns_left) == (HOUSE, 2)
    state = deal(state, "R1")
    assert (state.deck_size, state.turns_left, state.turn) == (0, 1, 0)
    assert turns(state) == [0]


def test_turns_left_is_the_number_of_turns_that_follow() -> None:
    """In any last round without further abilities, exactly `turns_left` turns follow."""
    compared = 0
    for seed in range(12):
        for before, state in pairwise(random_game(seed, 2 + seed % 3, abilities=0.1)):
            if isinstance(state.turn, int) and state.turns_left is not None and before.turn is not None:
                order = turns(state)
                assert len(order) == state.turns_left
                compared += 1
    assert compared > 30


READY = "R5 Y5 G5 B4"


def test_all_systems_complete_end_the_game_at_once() -> None:
    """ "System WON is achieved when players play all 5 components for all the system suits without any errors, scoring
    a maximum of 20 points": the game ends before another card is drawn."""
    state = act(table(systems=READY), "play", slot=4)
    end = shown(state)
    assert (end["over"], end["turn"], end["deck"]) == (True, None, shown(table(systems=READY))["deck"])
    assert end["result"] == {"score": 20, "won": True, "rating": 4}


def test_the_game_ends_within_a_move() -> None:
    """If the first of the Contractor's two cards ends the game, the second stays in the hand. Playing another player's
    card between turns can end the game too. Pending turns are then void."""
    state = use(table(systems=READY, roles="contractor engineer operations"), "play_two", slots=[4, 0])
    assert (state.is_over, hand(state, 0), state.errors) == (True, "R1 R2 Y3 G4", ())
    state = table("R1 R2 / B5 Y1 / G2 G3", systems=READY, roles="contractor engineer operations", active_player=2)
    state = use(state, "extra_turn", seat=2, target=0)
    state = use(state.replace(roles=("contractor", "technician", "engineer")), "play_other", seat=2, target=1, slot=0)
    assert (state.is_over, shown(state)["pending"], state.turn) == (True, {"extra": [], "skip": 0}, None)


def test_errors_spoil_the_win() -> None:
    """ "*Won* means 20 with an empty error pile": if there is an error, four complete systems end the game but do not
    win it."""
    state = act(table(systems=READY, errors="R1"), "play", slot=4)
    assert shown(state)["result"] == {"score": 19, "won": False, "rating": 3}
    assert state.is_over


def test_the_score() -> None:
    """To get the score, "add up the largest value card for each of the system suits"; "minus one per card in the error
    pile; it can be negative"."""
    assert shown(table(systems="R3 G1", errors="Y2"))["score"] == 3
    assert shown(table(errors="Y2 Y3"))["score"] == -2
    assert shown(table(systems="R3"))["result"] is None, "there is no result before the end"


@pytest.mark.parametrize(
    ("score", "rating"), [(-9, 0), (0, 0), (5, 0), (6, 1), (10, 1), (11, 2), (15, 2), (16, 3), (19, 3), (20, 4)]
)
def test_the_ratings(score: int, rating: int) -> None:
    """The rating depends on the score: "Ratings 0–4 by score: ≤5, 6–10, 11–15, 16–19, 20." """
    assert catalog().rating_index(score) == rating


def test_a_finished_game_counts() -> None:
    """The outcome of a finished game contains the numbers that simulations add up."""
    state = act(table(systems=READY), "play", slot=4)
    assert GAME.playouts.outcome(state) == {"won": True, "score": 20, "rating": "Green wave"}
