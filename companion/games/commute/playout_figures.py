"""What `tablekeeper simulate` measures in Commute.

The figures show how long commutes take on a board, and whether the board's houses are fair.

Law: pure.

The board "metropolis" was tuned with this command, with 2 to 5 seats:

    tablekeeper simulate commute --seats 2 --policy careful --games 10000

Mornings should take 95 to 105 minutes; they take 99. The mean reputation of each house should differ from that of the
other houses by less than 5 % of the mean gap between first and last place. Over tens of thousands of games, the largest
differences are 1.8 % with two seats, 1.5 % with three, 2.6 % with four and 3.2 % with five. After 10,000 games, the
standard error ("give or take") is 1.2 % with two seats and 0.5 % with five. After a hundred games, it is ten times as
large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any, Final

from companion.games.commute.position import Position
from companion.games.game import GamePlayouts

SPREAD: Final = "first minus last"
LEGEND: Final = f"""\
How even the houses are, with one player in each:
  off the others         mean reputation minus the mean of the other houses
  % of {SPREAD}  the same, in percent of the gap between first and last place; near 0 is fair
  give or take           how far chance alone shifts that (the standard error); less with more games
  morning minutes        from there to work, on average"""


def outcome(position: Position) -> dict[str, bool | float | str]:
    """The figures of a finished game: the winners' houses, the mean lengths of the commutes, and the gap in reputation
    between first and last place. Also, for each house, its player's reputation and mean morning minutes."""
    mornings = [result.minutes for result in position.results[::2]]
    return {
        "winners": " and ".join(position.houses[seat] for seat in position.winners),
        "morning minutes": _mean([m for minutes in mornings for m in minutes]),
        "evening minutes": _mean([m for result in position.results[1::2] for m in result.minutes]),
        SPREAD: max(position.reputation) - min(position.reputation),
        **{_reputation_key(house): position.reputation[seat] for seat, house in enumerate(position.houses)},
        **{
            _morning_minutes_key(house): _mean([m[seat] for m in mornings])
            for seat, house in enumerate(position.houses)
        },
    }


def _mean(numbers: Sequence[int]) -> float:
    return fmean(numbers) if numbers else 0.0


def _reputation_key(house: str) -> str:
    return f"reputation of {house}"


def _morning_minutes_key(house: str) -> str:
    return f"morning minutes from {house}"


def compare(outcomes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, str | float]]:
    """Returns the figures of each house over many games. They are the mean reputation; the lead over the mean
    reputation of the other houses, in points and in percent; the standard error of this percentage; and the mean
    morning minutes. The percentage is the lead divided by the mean difference between the highest and the lowest
    reputation in a game."""
    name, spread = _reputation_key(""), fmean(outcome[SPREAD] for outcome in outcomes)
    houses = sorted(key.removeprefix(name) for key in outcomes[0] if key.startswith(name))
    return [_house_figures(outcomes, houses, house, spread) for house in houses]


def _house_figures(
    outcomes: Sequence[Mapping[str, Any]], houses: Sequence[str], house: str, spread: float
) -> Mapping[str, str | float]:
    """The figures of one house. `spread` is the mean difference between the highest and the lowest reputation in a
    game."""
    leads = [_lead_over_others(outcome, houses, house) for outcome in outcomes]
    error = stdev(leads) / sqrt(len(leads)) if len(leads) > 1 else 0.0
    return {
        "house": house,
        "mean reputation": fmean(outcome[_reputation_key(house)] for outcome in outcomes),
        "off the others": fmean(leads),
        f"% of {SPREAD}": 100 * fmean(leads) / spread if spread else 0.0,
        "give or take": 100 * error / spread if spread else 0.0,
        "morning minutes": fmean(outcome[_morning_minutes_key(house)] for outcome in outcomes),
    }


def _lead_over_others(outcome: Mapping[str, Any], houses: Sequence[str], house: str) -> float:
    """The reputation of a house in one game, minus the mean reputation of the other houses."""
    return float(
        outcome[_reputation_key(house)] - fmean(outcome[_reputation_key(other)] for other in houses if other != house)
    )


PLAYOUTS: GamePlayouts[Position] = GamePlayouts(
    outcome=outcome,
    compare=compare,
    legend=LEGEND,
)
