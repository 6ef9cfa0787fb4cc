"""Charts of a game's meters over time: one chart for each quantity, with one line for each player or a single line for
the table.

Law: pure. A chart measures WIDTH by HEIGHT units; y points down. Lines differ in their dash pattern and carry a name at
the end, so that nobody needs to tell colors apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import ceil, floor

from companion.drawing.canvas import Point
from companion.drawing.chart_layout import grid_step, spread_labels
from companion.match.replay import MeterCurve
from companion.text.default_names import DefaultName
from companion.text.messages import TextLike
from companion.text.player_names import bidi_isolate, shortened_name

WIDTH, HEIGHT = 360.0, 150.0
TOP, BOTTOM = 12.0, 12.0
"""The margins above and below the plot, in chart units."""
MIN_LEFT, MIN_RIGHT = 34.0, 34.0
"""The minimum margins beside the plot, in chart units. Long labels make them wider."""
LETTER_WIDTH = 7.7
"""The assumed width of a letter or digit in a label, in chart units: that of a digit in a wide, bold font."""
LABEL_GAP = 8.0
"""The space beside a label, in chart units."""
GRID_STEPS = 4
"""The approximate number of steps between the lowest and the highest grid line of a chart."""
MIN_LABEL_DISTANCE = 12.0
"""The minimum distance between the names at the ends of lines, in chart units."""
MAX_NAME_LETTERS = 9
"""The maximum length of a name in a chart. Longer names end with an ellipsis."""


@dataclass(frozen=True)
class ChartLine:
    """One line of a chart. It is drawn in steps, because a value stays the same until an act changes it.

    `points`: the start of the line, its corners and its end. `number` selects the color and the dashes of the line.
    `name`: the player's name; "" for the table. `label`: the name beside the end of the line, shortened if it is long.
    `last`: the last value. `end`: the y coordinate of the label."""

    name: str
    label: str
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
    that marks the current act. `left`, `right`: the x coordinates of the start and the end of the plot."""

    title: TextLike
    lines: tuple[ChartLine, ...]
    grid: tuple[tuple[float, int], ...]
    now: float
    left: float
    right: float
    size = (WIDTH, HEIGHT)


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
    owners = ["" if curve.seat is None else names[curve.seat] for curve in curves]
    labels = [_isolated(shortened_name(name, MAX_NAME_LETTERS), name) for name in owners]
    left = max(MIN_LEFT, *(_label_width(f"{value:,}") for value in (low, high)))
    right = WIDTH - max(
        MIN_RIGHT,
        *(_label_width(f"{label} {curve.values[-1]:,}") for label, curve in zip(labels, curves, strict=True)),
    )

    def x(act: int) -> float:
        return round(left + (right - left) * act / last, 1)

    def y(value: int) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    ends = spread_labels([y(curve.values[-1]) for curve in curves], MIN_LABEL_DISTANCE, HEIGHT - BOTTOM)
    lines = tuple(
        ChartLine(_isolated(name, name), label, n, tuple(_corners(curve.values, x, y)), curve.values[-1], end)
        for n, (name, label, curve, end) in enumerate(zip(owners, labels, curves, ends, strict=True))
    )
    return Chart(curves[0].measures, lines, tuple((y(v), v) for v in range(low, high + 1, step)), x(at), left, right)


def _label_width(label: str) -> float:
    return len(label) * LETTER_WIDTH + LABEL_GAP


def _isolated(text: str, name: str) -> str:
    """The text of a player's name, set apart from the text around it. A default name is set apart already."""
    return name if isinstance(name, DefaultName) or not name else bidi_isolate(text)


def _corners(values: Sequence[int], x: Callable[[int], float], y: Callable[[int], float]) -> Iterator[Point]:
    """Yields the corners of a line."""
    yield x(0), y(values[0])
    for act, (before, value) in enumerate(pairwise(values), 1):
        if value != before:
            yield x(act), y(before)
            yield x(act), y(value)
    yield x(len(values) - 1), y(values[-1])
