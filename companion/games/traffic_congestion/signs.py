"""The colors of Traffic Congestion in print: each with a sign of its own, for eyes that mix them up."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import INK, PAPER, Canvas
from companion.games.traffic_congestion.mat import PAINTS


@dataclass(frozen=True)
class Ink:
    """A color of cars: full, pale, and for what stands on the full one."""

    full: Color
    pale: Color
    on: Color


INKS = {
    "blue": Ink(HexColor(PAINTS["blue"]), HexColor("#d5e3f5"), PAPER),
    "red": Ink(HexColor(PAINTS["red"]), HexColor("#f8dcd8"), PAPER),
    "yellow": Ink(HexColor(PAINTS["yellow"]), HexColor("#fdf0cb"), INK),
    "green": Ink(HexColor(PAINTS["green"]), HexColor("#d6ecde"), PAPER),
}
NOBODY = Ink(HexColor("#66718a"), HexColor("#e3e7ee"), PAPER)
"""Of a side that is no color's."""
SIGNAL_INK = HexColor("#1d4690")
CORNERS = {"red": 3, "yellow": 4, "green": 4}


def sign(canvas: Canvas, color: str, x: float, y: float, size: float, ink: Color) -> None:
    """Blue a disc, red a triangle, yellow a square, green a diamond."""
    radius = size / 2
    if color not in CORNERS:
        canvas.circle(x, y, radius, fill=ink)
        return
    corners, turn = CORNERS[color], pi / 4 if color == "yellow" else 0.0
    low = radius * 0.25 if corners == 3 else 0.0
    steps = [turn + 2 * pi * n / corners for n in range(corners)]
    grown = radius * 1.15
    canvas.shape([(x + grown * sin(a), y - low + grown * cos(a)) for a in steps], fill=ink)


def arrow(canvas: Canvas, x: float, y: float, length: float, ink: Color) -> None:
    """An arrow up, around its middle."""
    canvas.shape(_arrow(x, y, length), fill=ink)


def drawn_arrow(canvas: Canvas, x: float, y: float, length: float, ink: Color) -> None:
    """An arrow of which only the line is inked: what lies under it shows."""
    canvas.shape(_arrow(x, y, length), stroke=ink, line=0.7)


def _arrow(x: float, y: float, length: float) -> list[tuple[float, float]]:
    half, shaft, head = length / 2, length * 0.09, length * 0.26
    neck = y + half - head * 1.3
    return [
        (x - shaft, y - half),
        (x - shaft, neck),
        (x - head, neck),
        (x, y + half),
        (x + head, neck),
        (x + shaft, neck),
        (x + shaft, y - half),
    ]
