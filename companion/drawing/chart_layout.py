"""The layout of charts: grid lines, and labels beside the ends of lines.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10


def grid_step(low: int, high: int, count: int) -> int:
    """The distance between the grid lines of a chart: 1, 2 or 5 times a power of ten. It is the smallest such number
    that divides the range from `low` to `high` into at most `count` steps."""
    rough = max(1.0, (high - low) / count)
    power: int = 10 ** floor(log10(rough))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= rough)


def spread_labels(heights: Sequence[float], min_distance: float, bottom: float) -> list[float]:
    """Moves labels on a chart apart: returns their new heights, which are at least `min_distance` apart. `heights` are
    measured downwards from the top of the chart, and no new height is greater than `bottom`."""
    places, last = list(heights), float("-inf")
    for n in sorted(range(len(places)), key=places.__getitem__):
        last = places[n] = max(places[n], last + min_distance)
    excess = max(0.0, last - bottom)
    return [place - excess for place in places]
