"""The chi-square test that says how well people shuffle, for cards and cubes that are dealt by hand."""

from __future__ import annotations

from functools import reduce
from operator import add
from random import Random

import pytest

from companion.match.shuffle_quality import DealDeviations, chi_square_tail
from companion.match.shuffle_verification import ChanceDraw

CARDS = {"A": 3, "B": 2, "C": 1, "D": 4}


def dealt(rng: Random, bias: dict[str, float], count: int = 8) -> DealDeviations:
    """The deviations of one game in which `count` cards are drawn from a deck without putting them back. `bias` makes
    one face more likely."""
    left, draws = dict(CARDS), []
    for number in range(count):
        options = tuple((face, weight) for face, weight in left.items() if weight)
        weights = [weight * bias.get(face, 1) for face, weight in options]
        face = rng.choices([face for face, _ in options], weights)[0]
        draws.append(ChanceDraw(1, "cards", number, options, face))
        left[face] -= 1
    return DealDeviations.of(draws)


def p_value(seed: int, bias: dict[str, float], games: int = 40) -> float:
    rng = Random(seed)
    found = reduce(add, (dealt(rng, bias) for _ in range(games))).p_value()
    assert found is not None
    return found


@pytest.mark.slow
def test_well_shuffled_decks_pass() -> None:
    """The p-values of fair decks are evenly spread: about one in ten is below 0.1, and half are below 0.5."""
    found = [p_value(seed, {}) for seed in range(300)]
    for bound in (0.1, 0.5, 0.9):
        assert abs(sum(p < bound for p in found) / 300 - bound) < 0.08


def test_badly_shuffled_decks_are_found() -> None:
    """A deck is found in which one card comes up twice as often as it should."""
    assert max(p_value(seed, {"C": 3.0}) for seed in range(20)) < 0.01


def test_few_draws_prove_nothing() -> None:
    """With fewer than five draws for each face there is no verdict."""
    assert dealt(Random(1), {}).p_value() is None
    assert DealDeviations().p_value() is None


@pytest.mark.parametrize(
    ("statistic", "freedom", "tail"),
    [(3.841, 1, 0.05), (5.991, 2, 0.05), (7.815, 3, 0.05), (6.635, 1, 0.01), (18.307, 10, 0.05), (30.578, 15, 0.01)],
)
def test_the_tail_agrees_with_published_tables(statistic: float, freedom: int, tail: float) -> None:
    """The probabilities are those of published tables of the chi-square distribution."""
    assert chi_square_tail(statistic, freedom) == pytest.approx(tail, abs=1e-4)


def test_a_certain_draw_says_nothing() -> None:
    """When only one face is left in a deck, drawing it is certain. Such a draw counts neither as a deviation nor as
    chance."""
    whole = reduce(add, (dealt(Random(seed), {}, count=10) for seed in range(40)))
    assert all(abs(value) < 40 for value in whole.excess.values())
    assert whole.p_value() is not None
