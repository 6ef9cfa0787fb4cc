"""The legal moves of Systems Failing are exactly those that no rule refuses, and no cube is lost or created."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.rules import HOUSE, Move, Seat
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cube_multiset import ALL_COLORS, COLORS, Cubes, cubes_of
from companion.games.systems_failing.legality import refusal
from companion.games.systems_failing.moves import (
    Advance,
    CardId,
    DealRole,
    Discard,
    Draw,
    EndTurn,
    Repair,
    Return,
    Reveal,
    RoleId,
    Scavenge,
    Transfer,
)
from tests.repetitions import repetitions
from tests.systems_failing_positions import random_game, ship

CARDS = (*catalog().disasters, *catalog().escapes, *catalog().failing_cards)
HANDFULS = [cubes for n in range(6) for cubes in combinations_with_replacement(ALL_COLORS, n)]


def every_seat_move(seat: Seat, cards: list[str]) -> list[Move]:
    """Every move that a seat could submit with these cards and up to five cubes. Each set of cubes appears in only one
    order."""
    repairs = [
        Repair(seat=seat, card=CardId(card), cubes=cubes, ability=ability)
        for card in cards
        for cubes in HANDFULS
        for ability in (False, True)
    ]
    others: list[Move] = [Scavenge(seat=seat), Discard(seat=seat), EndTurn(seat=seat)]
    others += [Transfer(seat=seat, color=color) for color in ALL_COLORS]
    others += [Return(seat=seat, cubes=cubes) for cubes in HANDFULS]
    return [*repairs, *others]


def every_house_move() -> list[Move]:
    """Every move that the house could submit."""
    moves: list[Move] = [Advance(), *(Reveal(card=CardId(card)) for card in CARDS)]
    for to in (Seat(0), Seat(1)):
        moves += [Draw(to=to, cube=color) for color in ALL_COLORS]
        moves += [DealRole(to=to, role=RoleId(role)) for role in catalog().roles]
    return moves


@pytest.mark.parametrize("seed", range(repetitions(6)))
def test_legal_moves_are_what_no_rule_refuses(seed: int) -> None:
    """The legal moves are those that no rule refuses. Checked by brute force over all moves with the cards in play and
    one that is not."""
    states = [state for state in random_game(seed, difficulty="hard") if state.turn not in (HOUSE, None)]
    for state in Random(seed).sample(states, min(4, len(states))):
        out = next(card for card in CARDS if state.card_in_play(card) is None)
        said = every_seat_move(state.active_player, [*(laid.card for laid in state.cards_in_play()), out])
        legal = {move for move in said if refusal(state, move) is None}
        assert set(state.legal_moves()) == legal


def test_returns_are_what_no_rule_refuses() -> None:
    """The legal returns from a pool over ten are those that no rule refuses. Checked by brute force."""
    state = ship(pools=("red red red red red blue blue blue blue green green yellow", "black"))
    assert state.cubes_to_return == 2
    legal = {move for move in every_seat_move(Seat(0), ["E1"]) if refusal(state, move) is None}
    assert set(state.legal_moves()) == legal
    assert len(legal) == 9


@pytest.mark.parametrize("seed", range(3))
def test_chances_are_what_no_rule_refuses(seed: int) -> None:
    """The chances are the house's moves that no rule refuses. Checked by brute force."""
    for state in random_game(seed):
        if state.turn == HOUSE:
            assert {move for move, _ in state.chances()} == {m for m in every_house_move() if refusal(state, m) is None}


def test_the_order_of_cubes_means_nothing() -> None:
    """ "Order within `cubes` means nothing": any order is accepted and has the same effect."""
    state = ship(pools=("red blue orange", ""))
    orders = (("red", "blue", "orange"), ("orange", "red", "blue"))
    after = [state.play(Repair(seat=Seat(0), card=CardId("E1"), cubes=cubes_of(o).colors())) for o in orders]
    turned = state.play(Repair(seat=Seat(0), card=CardId("E1"), cubes=cubes_of(orders[0]).colors()[::-1]))
    assert after[0] == after[1] == turned


handfuls = st.lists(st.sampled_from(ALL_COLORS), max_size=12)


@pytest.mark.slow
@settings(max_examples=200)
@given(one=handfuls, two=handfuls)
def test_cubes_are_counted_like_counters(one: list[str], two: list[str]) -> None:
    """Adding, subtracting, comparing and intersecting cubes work as for `Counter`."""
    a, b, x, y = Cubes(one), Cubes(two), Counter(one), Counter(two)
    assert dict(a) == dict(x) == a.counts()
    assert (a + b).counts() == dict(x + y)
    assert (a & b).counts() == dict(x & y)
    assert (a <= b) == (x <= y)
    assert (a == b) == (x == y)
    assert a.total == len(one) == len(a.colors())
    assert len(a) == len(x)
    assert bool(a) == bool(one)
    assert a + b - b == a
    if not b <= a:
        with pytest.raises(ValueError, match="is not within"):
            a - b
    assert hash(Cubes(one[::-1])) == hash(a)
    assert all(a.only(color).counts() == ({color: x[color]} if x[color] else {}) for color in COLORS)


@given(cubes=st.lists(st.sampled_from(ALL_COLORS), max_size=6))
def test_parts_are_all_choices(cubes: list[str]) -> None:
    """Every choice of cubes occurs once, beginning with none and ending with all."""
    parts = Cubes(cubes).subsets()
    assert len(set(parts)) == len(parts)
    assert (parts[0].total, parts[-1]) == (0, Cubes(cubes))
    assert all(part <= parts[-1] for part in parts)
    expected = 1
    for count in Counter(cubes).values():
        expected *= count + 1
    assert len(parts) == expected
