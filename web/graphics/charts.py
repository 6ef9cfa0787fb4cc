"""Charts of a game's meters over time: one chart for each quantity, with one line for each player or a single line for
the table.

Law: pure. A chart is WIDTH by HEIGHT units, y down. Lines differ in their dashes and in the name at their end, so that
nobody needs to tell colors apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import ceil, floor

from companion.drawing.canvas import Point
from companion.drawing.chart_layout import grid_step, spread_labels
from companion.match.replay import MeterCurve
from companion.text.messages import TextLike
from companion.text.player_names import bidi_isolate

WIDTH, HEIGHT = 360.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 66.0, 12.0, 12.0
"""The margins around the plot, in chart units."""
GRID_STEPS = 4
"""The approximate number of steps between the lowest and the highest grid line of a chart."""
MIN_LABEL_DISTANCE = 12.0
"""The least distance between the names at the ends of lines, in chart units."""
MAX_NAME_LETTERS = 9
"""The greatest length of a name in a chart. Longer names are cut off."""


@dataclass(frozen=True)
class ChartLine:
    """One line of a chart. It is drawn in steps, because a value stays the same until an act changes it.

    `points`: the start of the line, its corners and its end. `number`: says which color and dashes the line has.
    `last`: the last value. `end`: the y coordinate of the name beside the end of the line."""

    name: str
    number: int
    points: tuple[Point, ...]
    last: int
    end: float

    @property
    def path(self) -> str:
        """The line as SVG path data."""
        (x, y), *rest = self.points
        steps = (f"{'HV'[n % 2]}{corner[n % 2]}" for n, corner in enumerate(rest))
        return f"M{x} {y}{''.join(steps)}"


@dataclass(frozen=True)
class Chart:
    """One chart. `grid`: the y coordinate and the value of each grid line. `now`: the x coordinate of the vertical line
    that marks the current act."""

    title: TextLike
    lines: tuple[ChartLine, ...]
    grid: tuple[tuple[float, int], ...]
    now: float
    size = (WIDTH, HEIGHT)
    left, right = LEFT, WIDTH - RIGHT


def charts(curves: Sequence[MeterCurve], names: Sequence[str], at: int) -> tuple[Chart, ...]:
    """The charts of all quantities that changed during the game. In each chart, a vertical line marks the position
    after the first `at` acts."""
    by_measure = sorted(curves, key=lambda curve: [c.measures for c in curves].index(curve.measures))
    groups = (tuple(group) for _, group in groupby(by_measure, key=lambda curve: curve.measures))
    changing = (group for group in groups if any(len(set(curve.values)) > 1 for curve in group))
    return tuple(_chart(group, names, at) for group in changing)


def _chart(curves: Sequence[MeterCurve], names: Sequence[str], at: int) -> Chart:
    values = [value for curve in curves for value in curve.values]
    step = grid_step(min(values), max(values), GRID_STEPS)
    low = step * floor(min(values) / step)
    high = max(step * ceil(max(values) / step), low + step)
    last = max(len(curves[0].values) - 1, 1)

    def x(act: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * act / last, 1)

    def y(value: int) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    ends = spread_labels([y(curve.values[-1]) for curve in curves], MIN_LABEL_DISTANCE, HEIGHT - BOTTOM)
    lines = tuple(
        ChartLine(_line_label(curve, names), n, tuple(_corners(curve.values, x, y)), curve.values[-1], end)
        for n, (curve, end) in enumerate(zip(curves, ends, strict=True))
    )
    return Chart(curves[0].measures, lines, tuple((y(v), v) for v in range(low, high + 1, step)), x(at))


def _line_label(curve: MeterCurve, names: Sequence[str]) -> str:
    return "" if curve.seat is None else bidi_isolate(names[curve.seat][:MAX_NAME_LETTERS])


def _corners(values: Sequence[int], x: Callable[[int], float], y: Callable[[int], float]) -> Iterator[Point]:
    """Yields the corners of a line."""
    yield x(0), y(values[0])
    for act, (before, value) in enumerate(pairwise(values), 1):
        if value != before:
            yield x(act), y(before)
            yield x(act), y(value)
    yield x(len(values) - 1), y(values[-1])
