"""The statistics of many games: rates, means and counts, with confidence intervals.

Law: pure. All intervals are 95 % confidence intervals. They show by how much chance alone may have changed a figure.
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
"""The summary of many values of a figure: a rate, a mean or, for texts, the number of games with each text."""

IntervalOrCounts = Interval | Mapping[str, Interval]
"""The confidence interval of a rate or a mean or, for texts, that of the fraction of games with each text."""

Z: Final = NormalDist().inv_cdf(0.975)
"""The distance from the middle of an interval to its end, in standard errors."""
DIGITS: Final = 4


class MeanDifference(Struct, frozen=True, omit_defaults=True):
    """The difference between two means, and the confidence interval of this difference; the interval is None after a
    single game."""

    difference: float
    interval: Interval | None = None


def summarize(outcomes: Sequence[Figures]) -> dict[str, FigureSummary]:
    """Summarizes the outcomes of many games. Maps each key of the outcomes to a summary of its values. For booleans, it
    is how often they were true, from 0 to 1. For numbers, it is the mean. For texts, it is the number of games with
    each text."""
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
    rate or mean. For texts, each text has an interval: that of the fraction of games with this text. A mean has no
    interval after a single game."""
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
    """Maps each key of the outcomes to the difference between two means: that of `other` minus that of `one`, with the
    confidence interval of the difference. Both must be outcomes of the same games, so that luck with the cards cancels
    out. Keys with texts are left out."""
    found: dict[str, MeanDifference] = {}
    for key, first in one[0].items():
        if not isinstance(first, str):
            gaps = [float(b[key]) - float(a[key]) for a, b in zip(one, other, strict=True)]
            interval = mean_confidence_interval(gaps) if len(gaps) > 1 else None
            found[key] = MeanDifference(_rounded(fmean(gaps)), interval)
    return found


def wilson_interval(count: int, total: int) -> Interval:
    """The confidence interval of the rate of an event that happened in `count` of `total` games. It is Wilson's score
    interval, which is accurate even for rates near 0 and 1."""
    rate, z2 = count / total, Z * Z
    middle = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = Z / (1 + z2 / total) * sqrt(rate * (1 - rate) / total + z2 / (4 * total * total))
    return _rounded(max(0.0, middle - half)), _rounded(min(1.0, middle + half))


def mean_confidence_interval(values: Sequence[float]) -> Interval:
    """The confidence interval of the mean of at least two values (normal approximation)."""
    middle, half = fmean(values), Z * stdev(values) / sqrt(len(values))
    return _rounded(middle - half), _rounded(middle + half)


def _rounded(value: float) -> float:
    return round(value, DIGITS)


def shares(result: Mapping[str, int]) -> dict[str, float]:
    """Maps each text to the fraction of all games that have this text, from 0 to 1. `result` maps each text to the
    number of games with it."""
    total = sum(result.values())
    return {text: count / total for text, count in result.items()}
