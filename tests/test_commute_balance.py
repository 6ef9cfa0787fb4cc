"""The balance of a board of Commute: statistics of many games."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from companion.__main__ import main
from companion.games.commute.game import GAME
from companion.games.commute.phases import begin_commute
from companion.games.commute.playout_figures import compare
from companion.games.commute.policy import choose_carefully
from companion.games.commute.rules import State
from companion.playouts.series import play_out
from tests.commute_positions import travel, under_way
from tests.repetitions import repetitions

HANDS = ("AH 2H 3H", "4D 5D 6D", "7C 8C 9C")


def test_the_outcome_counts_winners_minutes_and_houses() -> None:
    """The outcome of a game counts winners, minutes and houses. A game without an evening has no numbers for
    evenings."""
    state = under_way(
        ["l", "work", "work"], HANDS, arrived=(False, True, True), minutes=(90, 100, 110), commute_count=1
    )
    assert GAME.playouts.outcome(travel(state, "2H", "work")) == {
        "winners": "h1",
        "morning minutes": (92 + 100 + 110) / 3,
        "evening minutes": 0.0,
        "first minus last": 17,
        "reputation of h0": -8,
        "reputation of h1": 0,
        "reputation of h2": -17,
        "morning minutes from h0": 92,
        "morning minutes from h1": 100,
        "morning minutes from h2": 110,
    }


def outcome(*reputation: int) -> dict[str, Any]:
    """The outcome of a game in which the houses earned these points."""
    seats = {f"reputation of h{number}": value for number, value in enumerate(reputation)}
    minutes = {f"morning minutes from h{number}": 100 for number in range(len(reputation))}
    return {"winners": "h0", "first minus last": max(reputation) - min(reputation), **seats, **minutes}


def test_houses_are_compared_with_the_mean_of_the_others() -> None:
    """A house's distance from the mean of the others is given in percent of the mean distance between first and last,
    so that boards with small differences are judged just as strictly."""
    rows = compare([outcome(60, 40, 20), outcome(20, 40, 60)])
    assert [row["off the others"] for row in rows] == [0, 0, 0]
    rows = compare([outcome(60, 40, 20), outcome(60, 50, 40)])
    assert [row["house"] for row in rows] == ["h0", "h1", "h2"]
    assert [row["off the others"] for row in rows] == [22.5, 0.0, -22.5]
    assert [row["% of first minus last"] for row in rows] == [75.0, 0.0, -75.0]


def test_the_table_says_how_much_may_be_chance() -> None:
    """The table of the houses shows the standard error of each house's distance. This error falls with the square root
    of the number of games, and is missing for a single game."""
    games = [outcome(60, 40), outcome(40, 60), outcome(60, 40), outcome(40, 60)]
    assert [row["give or take"] for row in compare(games)] == [pytest.approx(100 / 3**0.5)] * 2
    assert [row["give or take"] for row in compare(games * 25)] == [pytest.approx(100 / 99**0.5)] * 2
    assert [row["give or take"] for row in compare(games[:1])] == [0, 0]


def test_ties_alone_give_no_percentage() -> None:
    """If all games end in ties, there is no distance between houses and no percentage of it."""
    assert [row["% of first minus last"] for row in compare([outcome(5, 5)])] == [0, 0]


@pytest.mark.slow
def test_simulate_prints_a_table_of_the_houses(capsys: pytest.CaptureFixture[str]) -> None:
    """`simulate` prints a line for each house that was used, under column titles. As JSON it prints the same
    numbers."""
    asked = ["simulate", "commute", "--seats", "5", "--games", "2", "--seed", "1", "--option", "rounds=0.5"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "careful policy" in said
    assert all(f"\n  {column}  " in said for column in ("off the others", "% of first minus last", "give or take"))
    table = said.splitlines()[-6:]
    assert table[0].split()[:2] == ["house", "mean"]
    assert [line.split()[0] for line in table[1:]] == ["h1", "h2", "h3", "h4", "h5"]
    assert len({len(line) for line in table}) == 1
    assert main([*asked[:4], "--games", "1", *asked[6:]]) == 0
    assert "give or take" not in capsys.readouterr().out, "one game tells nothing of chance"
    assert main([*asked, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    for row, line in zip(printed["compared"], table[1:], strict=True):
        assert f"{row['mean reputation']:.2f}" == line.split()[1]
        assert row["mean reputation"] == printed["results"][f"reputation of {row['house']}"]


EVENINGS = repetitions(200)
"""The number of evenings for each number of seats. The mean of a house over 200 is accurate to 0.3 points with two
seats and 0.5 with five."""
TOLERANCE = 1.5 * (200 / EVENINGS) ** 0.5
"""The accepted difference in points per evening: at least three standard errors. An earlier board cost some houses
three points."""


def evenings(seats: int) -> Iterator[State]:
    """Yields the final positions of games between careful players, in which each seat goes first equally often."""
    begun = GAME.rules.begin(seats, {})
    for number in range(EVENINGS):
        commute = 1 + 2 * (number % seats)
        dusk = begin_commute(begun.state.replace(commute=commute, commute_count=commute + 1))
        yield play_out(GAME, replace(begun, state=dusk), choose_carefully, f"dusk/{number}")[0]  # type: ignore[misc]


@pytest.mark.parametrize("seats", GAME.rules.seats)
def test_no_house_has_the_better_evenings(seats: int) -> None:
    """With any number of players, who take the board's first houses, no house has an advantage in the evening. Mornings
    are the same for all houses."""
    ends = [state.reputation for state in evenings(seats)]
    means = [fmean(reputation) for reputation in zip(*ends, strict=True)]
    off = [(seats * mean - sum(means)) / (seats - 1) for mean in means]
    assert max(map(abs, off)) < TOLERANCE, off
