"""Inks, symbols and arrows for the prints of Traffic Congestion. Each color has a symbol, for color-blind players."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import INK, PAPER, Canvas
from companion.games.traffic_congestion.mat import PAINTS


@dataclass(frozen=True)
class ColorInks:
    """The inks for cars of one color: `full` is the color itself, `pale` is a light tint of it, and `on` is for symbols
    and texts on `full`."""

    full: Color
    pale: Color
    on: Color


INKS = {
    "blue": ColorInks(HexColor(PAINTS["blue"]), HexColor("#d5e3f5"), PAPER),
    "red": ColorInks(HexColor(PAINTS["red"]), HexColor("#f8dcd8"), PAPER),
    "yellow": ColorInks(HexColor(PAINTS["yellow"]), HexColor("#fdf0cb"), INK),
    "green": ColorInks(HexColor(PAINTS["green"]), HexColor("#d6ecde"), PAPER),
}
NEUTRAL_INKS = ColorInks(HexColor("#66718a"), HexColor("#e3e7ee"), PAPER)
"""The inks for a side of the board where no color scores."""
SIGNAL_INK = HexColor("#1d4690")
SYMBOL_CORNERS = {"red": 3, "yellow": 4, "green": 4}
"""The number of corners of each color's symbol. Blue is missing, because its symbol is a disc."""


def draw_symbol(canvas: Canvas, color: str, x: float, y: float, size: float, ink: Color) -> None:
    """Draws the symbol of a color: a disc for blue, a triangle for red, a square for yellow, and a diamond for
    green."""
    radius = size / 2
    if color not in SYMBOL_CORNERS:
        canvas.circle(x, y, radius, fill=ink)
        return
    corners, turn = SYMBOL_CORNERS[color], pi / 4 if color == "yellow" else 0.0
    low = radius * 0.25 if corners == 3 else 0.0
    steps = [turn + 2 * pi * n / corners for n in range(corners)]
    circumradius = radius * 1.15
    canvas.shape([(x + circumradius * sin(a), y - low + circumradius * cos(a)) for a in steps], fill=ink)


def draw_arrow(canvas: Canvas, x: float, y: float, length: float, ink: Color) -> None:
    """Draws a filled arrow that points up and is centered at (x, y)."""
    canvas.shape(_arrow_points(x, y, length), fill=ink)


def draw_arrow_outline(canvas: Canvas, x: float, y: float, length: float, ink: Color) -> None:
    """Draws the outline of an arrow that points up and is centered at (x, y)."""
    canvas.shape(_arrow_points(x, y, length), stroke=ink, line=0.7)


def _arrow_points(x: float, y: float, length: float) -> list[tuple[float, float]]:
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
