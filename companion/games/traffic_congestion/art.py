"""How the signals of Traffic Congestion look: a fat arrow with the code in its shaft."""

from __future__ import annotations

from collections.abc import Sequence

from companion.drawing.canvas import PAPER, TINT, Canvas, with_quiet
from companion.games.traffic_congestion.board import COLORS
from companion.games.traffic_congestion.mat_art import draw_mat
from companion.games.traffic_congestion.signs import INKS, SIGNAL_INK, arrow, sign
from companion.games.traffic_congestion.street_plan import Plan
from companion.tabletop.components import Component

PLAY = 1.0
"""A signal is this much smaller than its place, mm."""
EDGE = 0.6
"""Unprinted paper around a signal, mm."""
HEAD = 4.4
"""The height of the arrow's head above the code's white, mm."""


CARS = Component("TC-CARS", "the cars", "Cars")
COUNTER, ABREAST = 9.0, 5
"""The side of a counter, mm, and how many lie in a row: 24 cars of each color and a marker for its score."""


class TrafficArt:
    """Implements the `Art` protocol, for the signals of one board: they are as large as its lanes allow."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._side = round(plan.width - PLAY, 1)

    def extras(self) -> tuple[Component, ...]:
        return (CARS,)

    def size(self, thing: Component) -> tuple[float, float]:
        return (len(COLORS) * ABREAST * COUNTER, ABREAST * COUNTER) if thing == CARS else (self._side, self._side)

    def largest_code(self, thing: Component) -> float:
        return (self._side - 2 * EDGE - HEAD) / with_quiet(1.0)

    def face(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        if thing == CARS:
            _cars(canvas, COLORS)
            return
        low, high, middle = EDGE, self._side - EDGE, self._side / 2
        shoulder = high - HEAD
        canvas.shape([(low, low), (high, low), (high, shoulder), (middle, high), (low, shoulder)], fill=SIGNAL_INK)
        white = with_quiet(code_mm)
        canvas.code(thing.id, middle, min(shoulder - white / 2, middle), code_mm)

    def back(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        if thing == CARS:
            _cars(canvas, COLORS[::-1])
            return
        low, side = EDGE, self._side - 2 * EDGE
        canvas.box(low, low, side, side, fill=TINT, radius=2)
        canvas.circle(self._side / 2, self._side / 2, side * 0.4, fill=SIGNAL_INK)
        arrow(canvas, self._side / 2, self._side / 2, side * 0.52, PAPER)

    def mat(self, canvas: Canvas) -> None:
        draw_mat(canvas, self._plan)


def _cars(canvas: Canvas, colors: Sequence[str]) -> None:
    """Squares to cut out, for who has no cubes; both sides are alike, and the middle one of a color is its marker."""
    for block, color in enumerate(colors):
        for number in range(ABREAST * ABREAST):
            across, up = number % ABREAST, number // ABREAST
            x, y = (block * ABREAST + across) * COUNTER, up * COUNTER
            canvas.box(x, y, COUNTER, COUNTER, fill=INKS[color].full, stroke=PAPER, line=0.2)
            with canvas.at(x + COUNTER / 2, y + COUNTER / 2):
                _marker(canvas, color) if number == ABREAST * ABREAST // 2 else _car(canvas, color)


def _car(canvas: Canvas, color: str) -> None:
    """A car from above, driving up."""
    canvas.box(-1.9, -3.2, 3.8, 6.4, fill=INKS[color].on, radius=1.2)
    canvas.box(-1.4, 0.6, 2.8, 1.3, fill=INKS[color].full, radius=0.4)
    canvas.box(-1.4, -2.2, 2.8, 0.9, fill=INKS[color].full, radius=0.3)


def _marker(canvas: Canvas, color: str) -> None:
    canvas.circle(0, 0, 3.6, fill=INKS[color].on)
    sign(canvas, color, 0, 0, 4.6, INKS[color].full)
