"""How the signals of Traffic Congestion look: a fat arrow with the code in its shaft."""

from __future__ import annotations

from companion.equipment import Thing
from companion.games.traffic_congestion.mat_art import draw_mat
from companion.games.traffic_congestion.plan import Plan
from companion.games.traffic_congestion.signs import SIGNAL_INK, arrow
from companion.printing.pen import PAPER, TINT, Pen, with_quiet

PLAY = 1.0
"""A signal is this much smaller than its place, mm."""
EDGE = 0.6
"""Unprinted paper around a signal, mm."""
HEAD = 4.4
"""The height of the arrow's head above the code's white, mm."""


class TrafficArt:
    """Implements the `Art` protocol, for the signals of one board: they are as large as its lanes allow."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._side = round(plan.width - PLAY, 1)

    def extras(self) -> tuple[Thing, ...]:
        return ()

    def size(self, thing: Thing) -> tuple[float, float]:
        return self._side, self._side

    def largest_code(self, thing: Thing) -> float:
        return (self._side - 2 * EDGE - HEAD) / with_quiet(1.0)

    def face(self, pen: Pen, thing: Thing, code_mm: float) -> None:
        low, high, middle = EDGE, self._side - EDGE, self._side / 2
        shoulder = high - HEAD
        pen.shape([(low, low), (high, low), (high, shoulder), (middle, high), (low, shoulder)], fill=SIGNAL_INK)
        white = with_quiet(code_mm)
        pen.code(thing.id, middle, min(shoulder - white / 2, middle), code_mm)

    def back(self, pen: Pen, thing: Thing, code_mm: float) -> None:
        low, side = EDGE, self._side - 2 * EDGE
        pen.box(low, low, side, side, fill=TINT, radius=2)
        pen.circle(self._side / 2, self._side / 2, side * 0.4, fill=SIGNAL_INK)
        arrow(pen, self._side / 2, self._side / 2, side * 0.52, PAPER)

    def mat(self, pen: Pen) -> None:
        draw_mat(pen, self._plan)
