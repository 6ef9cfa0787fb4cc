"""A chart of the players' reputation over the commutes of a game.

Law: pure. The chart is WIDTH units wide and HEIGHT units high. All coordinates are in these units; y points down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Final

from companion.drawing.chart_layout import grid_step, spread_labels
from companion.games.commute.position_parts import CommuteResult
from companion.text.messages import Text, _

WIDTH: Final = 360
HEIGHT: Final = 190
LEFT, RIGHT, TOP, BOTTOM = 34, 26, 12, 24
TICKS: Final = 5
"""The approximate number of grid lines."""
MIN_LABEL_SPACING: Final = 13
"""The smallest vertical distance between the letters at the ends of the lines, in units of the chart."""


@dataclass(frozen=True)
class ReputationLine:
    """The line of a seat's reputation in the chart. `points` are the points that the line connects: one before the
    first commute, and one after each commute. `label` is the y coordinate of the seat's letter, which is drawn beside
    the last point."""

    seat: int
    points: tuple[tuple[float, float], ...]
    label: float

    @property
    def path(self) -> str:
        """The line through the points, as the `d` attribute of an SVG path."""
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in self.points)


@dataclass(frozen=True)
class CommuteRow:
    """A row of the table below the chart, for one commute: the commute's name and, for each seat, its minutes, its gain
    and its reputation after the commute."""

    name: Text
    seats: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class ReputationChart:
    """The chart and its table. `grid`: the y coordinate and the value of each grid line. `commutes`: the x coordinate
    and the name of each commute."""

    lines: tuple[ReputationLine, ...]
    grid: tuple[tuple[float, int], ...]
    commutes: tuple[tuple[float, Text], ...]
    rows: tuple[CommuteRow, ...]
    size: tuple[int, int] = WIDTH, HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT


def chart(results: Sequence[CommuteResult], commute_count: int) -> ReputationChart | None:
    """The chart of the finished commutes, with room for all `commute_count` commutes of the game. None until a commute
    has been finished."""
    if not results:
        return None
    # The reputations before the first commute, then those after each commute.
    reputations: list[Sequence[int]] = [
        [0] * len(results[0].reputation),
        *(result.reputation for result in results),
    ]
    step = grid_step(min(map(min, reputations)), max(map(max, reputations)), TICKS)
    low = step * floor(min(map(min, reputations)) / step)
    high = max(step * ceil(max(map(max, reputations)) / step), low + step)

    def x(number: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * number / max(commute_count, 1)

    def y(value: int) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    ends = spread_labels([y(value) for value in reputations[-1]], MIN_LABEL_SPACING, HEIGHT - BOTTOM)
    return ReputationChart(
        tuple(
            ReputationLine(
                seat,
                tuple((x(n), y(reputation[seat])) for n, reputation in enumerate(reputations)),
                ends[seat],
            )
            for seat in range(len(reputations[0]))
        ),
        tuple((y(value), value) for value in range(low, high + 1, step)),
        tuple((x(number + 1), name(number)) for number in range(commute_count)),
        tuple(_table_row(number, reputations[number], result) for number, result in enumerate(results)),
    )


def name(commute: int) -> Text:
    """The name of a commute. `number` counts from 0: "M1" is the first morning, "E1" the first evening."""
    number = commute // 2 + 1
    return _("E{n}", n=number) if commute % 2 else _("M{n}", n=number)


def _table_row(number: int, before: Sequence[int], result: CommuteResult) -> CommuteRow:
    """The table row for commute `number`, counted from 0. `before` has each seat's reputation at the start of the
    commute."""
    seats = zip(result.minutes, before, result.reputation, strict=True)
    return CommuteRow(name(number), tuple((minutes, now - was, now) for minutes, was, now in seats))
