"""The statistics of many games: rates, means and counts, with confidence intervals.

Law: pure. All intervals are 95 % confidence intervals. They show how far a figure may be off by chance alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Final

from msgspec import Struct

from companion.playouts.series import Figures

Interval = tuple[float, float]
"""The lower and the upper end of a confidence interval."""

FigureSummary = float | Mapping[str, int]
"""The summary of many values of a figure. Booleans give a rate, numbers a mean. Texts give the number of games with
each text."""

IntervalOrCounts = Interval | Mapping[str, Interval]
"""The confidence interval of a rate or a mean. For texts, the confidence interval of the fraction of games with each
text."""

Z: Final = NormalDist().inv_cdf(0.975)
"""The distance from the middle of a confidence interval to either end, in standard errors."""
DIGITS: Final = 4


class MeanDifference(Struct, frozen=True, omit_defaults=True):
    """The difference between two means, and its confidence interval. The interval is None if there was only one
    game."""

    difference: float
    interval: Interval | None = None


def summarize(outcomes: Sequence[Figures]) -> dict[str, FigureSummary]:
    """Summarizes the outcomes of many games. Maps each key of the outcomes to a summary of its values. For booleans,
    the summary is the fraction that were true, from 0 to 1. For numbers, it is the mean. For texts, it is the number of
    games with each text."""
    summary: dict[str, FigureSummary] = {}
    for key in outcomes[0]:
        values = [outcome[key] for outcome in outcomes]
        if isinstance(values[0], str):
            summary[key] = dict(Counter(map(str, values)).most_common())
        else:
            summary[key] = _rounded(fmean(map(float, values)))
    return summary


def intervals(outcomes: Sequence[Figures]) -> dict[str, IntervalOrCounts]:
    """Maps each key of the outcomes to a confidence interval. For booleans and numbers, it is the interval of their
    rate or mean. For texts, each text has its own interval: that of the fraction of games with this text. After a
    single game, means have no interval."""
    found: dict[str, IntervalOrCounts] = {}
    for key, first in outcomes[0].items():
        values = [outcome[key] for outcome in outcomes]
        if isinstance(first, str):
            counts = Counter(map(str, values)).most_common()
            found[key] = {text: wilson_interval(count, len(values)) for text, count in counts}
        elif isinstance(first, bool):
            found[key] = wilson_interval(sum(map(bool, values)), len(values))
        elif len(values) > 1:
            found[key] = mean_confidence_interval([*map(float, values)])
    return found


def differences(one: Sequence[Figures], other: Sequence[Figures]) -> dict[str, MeanDifference]:
    """Maps each key of the outcomes to the difference between two means: the mean of `other` minus the mean of `one`,
    with a confidence interval. Both must be outcomes of the same games, so that luck with the cards cancels out. Keys
    with texts are left out."""
    found: dict[str, MeanDifference] = {}
    for key, first in one[0].items():
        if not isinstance(first, str):
            gaps = [float(b[key]) - float(a[key]) for a, b in zip(one, other, strict=True)]
            interval = mean_confidence_interval(gaps) if len(gaps) > 1 else None
            found[key] = MeanDifference(_rounded(fmean(gaps)), interval)
    return found


def wilson_interval(count: int, total: int) -> Interval:
    """The confidence interval for the rate of an event that happened in `count` of `total` games. This is Wilson's
    score interval, which is accurate even for rates near 0 and 1."""
    rate, z2 = count / total, Z * Z
    middle = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = Z / (1 + z2 / total) * sqrt(rate * (1 - rate) / total + z2 / (4 * total * total))
    return _rounded(max(0.0, middle - half)), _rounded(min(1.0, middle + half))


def mean_confidence_interval(values: Sequence[float]) -> Interval:
    """The confidence interval of the mean of these values (normal approximation). There must be at least two values."""
    middle, half = fmean(values), Z * stdev(values) / sqrt(len(values))
    return _rounded(middle - half), _rounded(middle + half)


def _rounded(value: float) -> float:
    return round(value, DIGITS)


def shares(result: Mapping[str, int]) -> dict[str, float]:
    """Maps each text to the fraction of all games that have this text, from 0 to 1. `result` maps each text to its
    number of games."""
    total = sum(result.values())
    return {text: count / total for text, count in result.items()}
