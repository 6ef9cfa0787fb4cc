"""Whole random games of Commute keep their invariants."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from companion.games.commute.chance import unidentified_cards
from companion.games.commute.game import GAME
from companion.games.commute.rules import State
from companion.games.commute.seat_order import seats_in_turn_order
from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.game import choose_at_random
from companion.games.rules import HOUSE, Move
from companion.playouts.series import play_out
from tests.commute_positions import random_game, start
from tests.repetitions import repetitions

SEATS = (2, 3, 4)


def check(state: State) -> None:
    """Checks the invariants of every position."""
    assert_cards(state)
    assert min(state.minutes) >= 0
    assert min(state.skips) >= 0
    assert_places(state)
    assert not (state.bump and state.uh_oh.tasks)
    assert (state.turn is None) == state.is_over
    if state.is_over:
        return
    moves, chances = list(state.legal_moves()), list(state.chances())
    assert bool(moves) != bool(chances)
    assert len(set(moves)) == len(moves)
    assert not state.arrived[state.active_player] or state.stage != "travel"


def assert_cards(state: State) -> None:
    """Checks that each of the forty cards exists exactly once: in a hand, on the discard pile, or unseen."""
    known = [card for hand in state.hands for card in hand if card != UNSEEN]
    assert Counter([*known, *state.deck.discard, *unidentified_cards(state)]) == Counter(DECK)
    assert state.deck_size >= 0
    assert all(len(hand) <= 3 for hand in state.hands)


def assert_places(state: State) -> None:
    """Checks that no two pieces share a space other than the start and the goal, unless one must be bumped."""
    taken = Counter(space for space in state.locations if space not in state.board.ends)
    crowded = {space for space, pieces in taken.items() if pieces > 1}
    owed = {state.locations[state.bump.target]} if state.bump else set()
    assert crowded == owed
    for seat, space in enumerate(state.locations):
        at_goal = space == state.goal(state.seats[seat])  # type: ignore[arg-type]
        assert state.arrived[seat] == at_goal


@pytest.mark.parametrize("seats", SEATS)
def test_every_position_of_random_games_holds_together(seats: int) -> None:
    """Cards, places and minutes are consistent in every position, even if some cards are dealt face down."""
    for seed in range(repetitions(12, at_least=2)):
        for state, _ in random_game(seats, seed, unseen=0.3 * (seed % 2), rounds=1):
            check(state)


def test_every_position_in_the_metropolis_holds_together_too() -> None:
    """Cards, places and minutes are consistent for five seats in the metropolis too, in a morning and an evening."""
    begun = GAME.rules.begin(5, {"rounds": 1})
    state, moves, rng = begun.state, 0, Random(5)
    while state.turn is not None:
        made: Move
        if state.turn == HOUSE:
            made = rng.choice([chance for chance, weight in state.chances() if weight])
        else:
            made = rng.choice(list(state.legal_moves()))
        state, moves = state.play(made), moves + 1
        if moves % 5 == 0:
            check(state)
    check(state)


@pytest.mark.parametrize("seats", SEATS)
def test_random_games_end(seats: int) -> None:
    """Random games end: some hundred mornings in the town, with each number of seats."""
    for seed in range(repetitions(150)):
        state, _ = play_out(GAME, start(seats, rounds=0.5), choose_at_random, f"{seats}/{seed}")
        assert isinstance(state, State)
        assert all(state.arrived)
        assert state.winners


def test_turns_go_round() -> None:
    """No player who is under way is skipped between two turns, unless they lose a turn."""
    for seed in range(repetitions(10, at_least=2)):
        game = [state for state, _ in random_game(3, f"turns/{seed}", rounds=1)]
        for before, after in pairwise(game):
            if (
                before.commute == after.commute
                and before.active_player != after.active_player
                and before.stage != "deal"
            ):
                seats = seats_in_turn_order(before)[1:]
                passed = seats[: seats.index(after.active_player)]
                assert all(before.arrived[seat] or before.skips[seat] for seat in passed)


def test_hands_hold_three_when_a_turn_begins() -> None:
    """Every hand has three cards when a turn begins, including those of players who have arrived."""
    for seed in range(repetitions(10, at_least=2)):
        for state, _ in random_game(3, f"hands/{seed}", rounds=1):
            if state.stage == "travel" and not state.is_over:
                assert [len(hand) for hand in state.hands] == [3, 3, 3]
