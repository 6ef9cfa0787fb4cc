"""Draws the components of Traffic Congestion: signals and paper cars. A signal is a fat arrow with a code in its shaft
and another code on its back."""

from __future__ import annotations

from collections.abc import Sequence

from companion.drawing.canvas import PAPER, TINT, Canvas, with_quiet_zone
from companion.games.traffic_congestion.board import COLORS
from companion.games.traffic_congestion.emblems import INKS, SIGNAL_INK, draw_symbol
from companion.games.traffic_congestion.mat_art import draw_mat
from companion.games.traffic_congestion.mat_street_geometry import StreetPlan
from companion.games.traffic_congestion.signal_dimensions import HEAD_MM, MARGIN_MM, signal_side
from companion.tabletop.components import Component

CARS = Component("TC-CARS", "the cars", "Cars")
COUNTER_MM = 9.0
"""The side of a paper car."""
COUNTERS_PER_SIDE = 5
"""The number of rows and of columns in each color's square of paper cars: 24 cars around a score marker."""


class TrafficArt:
    """Draws the components for one board. Signals are as large as the lanes allow. Implements the `Art` protocol."""

    def __init__(self, plan: StreetPlan) -> None:
        self._plan = plan
        self._side = signal_side(plan)

    def extras(self) -> tuple[Component, ...]:
        return (CARS,)

    def size(self, component: Component) -> tuple[float, float]:
        if component == CARS:
            return len(COLORS) * COUNTERS_PER_SIDE * COUNTER_MM, COUNTERS_PER_SIDE * COUNTER_MM
        return self._side, self._side

    def largest_code(self, component: Component) -> float:
        return (self._side - 2 * MARGIN_MM - HEAD_MM) / with_quiet_zone(1.0)

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component == CARS:
            _draw_cars(canvas, COLORS)
            return
        low, high, middle = MARGIN_MM, self._side - MARGIN_MM, self._side / 2
        shoulder = high - HEAD_MM
        canvas.shape([(low, low), (high, low), (high, shoulder), (middle, high), (low, shoulder)], fill=SIGNAL_INK)
        white = with_quiet_zone(code_mm)
        canvas.code(component.id, middle, min(shoulder - white / 2, middle), code_mm)

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component == CARS:
            _draw_cars(canvas, COLORS[::-1])
            return
        low, side = MARGIN_MM, self._side - 2 * MARGIN_MM
        canvas.box(low, low, side, side, fill=TINT, stroke=SIGNAL_INK, line=0.6, radius=2)
        canvas.code(component.reverse, self._side / 2, self._side / 2, code_mm)

    def mat(self, canvas: Canvas) -> None:
        with canvas.full_ink():  # The camera looks for what covers the streets.
            draw_mat(canvas, self._plan)


def _draw_cars(canvas: Canvas, colors: Sequence[str]) -> None:
    """Draws paper cars to cut out, for players without cubes. Each color has a block, from left to right, with a score
    marker in its middle."""
    for block, color in enumerate(colors):
        for number in range(COUNTERS_PER_SIDE**2):
            across, up = number % COUNTERS_PER_SIDE, number // COUNTERS_PER_SIDE
            x, y = (block * COUNTERS_PER_SIDE + across) * COUNTER_MM, up * COUNTER_MM
            canvas.box(x, y, COUNTER_MM, COUNTER_MM, fill=INKS[color].full, stroke=PAPER, line=0.2)
            with canvas.at(x + COUNTER_MM / 2, y + COUNTER_MM / 2):
                draw = _draw_marker if number == COUNTERS_PER_SIDE**2 // 2 else _draw_car
                draw(canvas, color)


def _draw_car(canvas: Canvas, color: str) -> None:
    """Draws a car as seen from above. It faces up, and its middle is at the origin."""
    canvas.box(-1.9, -3.2, 3.8, 6.4, fill=INKS[color].on, radius=1.2)
    canvas.box(-1.4, 0.6, 2.8, 1.3, fill=INKS[color].full, radius=0.4)
    canvas.box(-1.4, -2.2, 2.8, 0.9, fill=INKS[color].full, radius=0.3)


def _draw_marker(canvas: Canvas, color: str) -> None:
    canvas.circle(0, 0, 3.6, fill=INKS[color].on)
    draw_symbol(canvas, color, 0, 0, 4.6, INKS[color].full)
