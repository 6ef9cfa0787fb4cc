"""Meters over a game, as charts: a chart for each thing that is measured, with a line for each player who has one.

Law: pure. A chart is drawn in a box of WIDTH by HEIGHT; points are in its units, y down. Lines differ by their dashes
and by the name at their end, so that no eye needs the colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor

from companion.drawing.chart_layout import grid_step, spread_labels
from companion.match.replay import MeterCurve
from companion.text.player_names import bidi_isolate

WIDTH, HEIGHT = 360.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 66.0, 12.0, 12.0
TICKS = 4
APART = 12.0
"""The least distance of the names at the lines' ends."""
NAME = 9
"""As many letters of a name stand beside a chart."""


@dataclass(frozen=True)
class Line:
    """One course. `end`: where its name stands; `number`: which look it has."""

    name: str
    number: int
    path: str
    last: int
    end: float


@dataclass(frozen=True)
class Chart:
    """One chart. `grid`: heights with their values; `now`: where the act that is looked at stands."""

    title: str
    lines: tuple[Line, ...]
    grid: tuple[tuple[float, int], ...]
    now: float
    size = (WIDTH, HEIGHT)
    left, right = LEFT, WIDTH - RIGHT


def charts(curves: Sequence[MeterCurve], names: Sequence[str], at: int) -> tuple[Chart, ...]:
    """The charts of a game's meters, with a mark after `at` acts; a meter that never moved has none."""
    ordered = sorted(curves, key=lambda curve: [c.measures for c in curves].index(curve.measures))
    groups = (tuple(group) for _, group in groupby(ordered, key=lambda curve: curve.measures))
    moved = (group for group in groups if any(len(set(curve.values)) > 1 for curve in group))
    return tuple(_chart(group, names, at) for group in moved)


def _chart(curves: Sequence[MeterCurve], names: Sequence[str], at: int) -> Chart:
    values = [value for curve in curves for value in curve.values]
    step = grid_step(min(values), max(values), TICKS)
    low = step * floor(min(values) / step)
    high = max(step * ceil(max(values) / step), low + step)
    last = max(len(curves[0].values) - 1, 1)

    def x(act: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * act / last, 1)

    def y(value: int) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    ends = spread_labels([y(curve.values[-1]) for curve in curves], APART, HEIGHT - BOTTOM)
    lines = tuple(
        Line(_name(curve, names), n, _path(curve.values, x, y), curve.values[-1], end)
        for n, (curve, end) in enumerate(zip(curves, ends, strict=True))
    )
    return Chart(curves[0].measures, lines, tuple((y(v), v) for v in range(low, high + 1, step)), x(at))


def _name(curve: MeterCurve, names: Sequence[str]) -> str:
    return "" if curve.seat is None else bidi_isolate(names[curve.seat][:NAME])


def _path(values: Sequence[int], x: Callable[[int], float], y: Callable[[int], float]) -> str:
    """A staircase: a value holds until an act changes it."""
    steps = (f"H{x(act)}V{y(value)}" for act, value in enumerate(values) if act and value != values[act - 1])
    return f"M{x(0)} {y(values[0])}{''.join(steps)}H{x(len(values) - 1)}"
