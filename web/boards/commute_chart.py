"""Reputation over the commutes of a game, as a chart.

Law: pure. A chart is drawn in a box of WIDTH by HEIGHT; points are in its units, y down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Final

from companion.text.translation import _
from web.charts import apart, step_of

WIDTH: Final = 360
HEIGHT: Final = 190
LEFT, RIGHT, TOP, BOTTOM = 34, 26, 12, 24
TICKS: Final = 5
"""Lines across, about."""
APART: Final = 13
"""Between the letters at the lines' ends, at least."""


@dataclass(frozen=True)
class Course:
    """A seat's reputation: its points, the first at 0, and where its letter stands beside the last."""

    seat: int
    points: tuple[tuple[float, float], ...]
    label: float

    @property
    def path(self) -> str:
        """The line through them."""
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in self.points)


@dataclass(frozen=True)
class Row:
    """A commute as a line of a table: each seat's minutes, gain and reputation."""

    name: str
    seats: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Chart:
    """The chart. Grid lines have a height and a value; commutes have a place and a name."""

    courses: tuple[Course, ...]
    grid: tuple[tuple[float, int], ...]
    commutes: tuple[tuple[float, str], ...]
    rows: tuple[Row, ...]
    size: tuple[int, int] = WIDTH, HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT


def chart(history: Sequence[Any], commutes: int) -> Chart | None:
    """The past commutes of a game of so many; None before the first is over."""
    if not history:
        return None
    tallies: list[Sequence[int]] = [[0] * len(history[0]["reputation"]), *(done["reputation"] for done in history)]
    step = step_of(min(map(min, tallies)), max(map(max, tallies)), TICKS)
    low = step * floor(min(map(min, tallies)) / step)
    high = max(step * ceil(max(map(max, tallies)) / step), low + step)

    def x(number: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * number / max(commutes, 1)

    def y(value: int) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    ends = apart([y(value) for value in tallies[-1]], APART, HEIGHT - BOTTOM)
    return Chart(
        tuple(
            Course(seat, tuple((x(n), y(tally[seat])) for n, tally in enumerate(tallies)), ends[seat])
            for seat in range(len(tallies[0]))
        ),
        tuple((y(value), value) for value in range(low, high + 1, step)),
        tuple((x(number + 1), name(number)) for number in range(commutes)),
        tuple(_row(number, tallies[number], done) for number, done in enumerate(history)),
    )


def name(commute: int) -> str:
    """A commute by its number, from 0: "M1" is the first morning, "E1" its evening."""
    number = commute // 2 + 1
    return _("E{n}", n=number) if commute % 2 else _("M{n}", n=number)


def _row(number: int, before: Sequence[int], done: Any) -> Row:
    seats = zip(done["minutes"], before, done["reputation"], strict=True)
    return Row(name(number), tuple((minutes, now - was, now) for minutes, was, now in seats))
