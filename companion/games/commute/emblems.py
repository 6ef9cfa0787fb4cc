"""Signs of Commute in print: suits, houses, metro lines, clocks and bursts, in millimetres around a middle."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, CAP, INK, PAPER, Canvas
from companion.tabletop.mat import Point

UH_OH = HexColor("#ffcf33")
UH_OH_DARK = HexColor("#b3261e")
SUIT_COLORS: Mapping[str, Color] = {
    "H": HexColor("#cf2640"),
    "D": HexColor("#1f68c4"),
    "C": HexColor("#1f7d4a"),
    "S": HexColor("#23273f"),
}
"""Four colours for four suits, so that a glance will do."""
HOUSES: tuple[Color, ...] = tuple(map(HexColor, ("#d98200", "#6f46b8", "#0c8585", "#cc3f7c", "#74502f")))
"""The houses' paint and the pieces', in the board's order."""
LINES: Mapping[str, Color] = {"red": HexColor("#d8362f"), "blue": HexColor("#2a6fd0"), "green": HexColor("#2f9147")}
OTHER_LINES: tuple[Color, ...] = tuple(map(HexColor, ("#e2711d", "#8a3ab9", "#00849c", "#8c6d1f")))
"""For metro lines of other names."""
GOOD, EVEN, BAD = HexColor("#1f7d4a"), HexColor("#66718a"), HexColor("#c2410c")
"""Minutes saved, none, and added."""


def line_color(line: str, number: int) -> Color:
    """A metro line's colour: that of its name, if it is called by one."""
    return LINES.get(line, OTHER_LINES[number % len(OTHER_LINES)])


def regular(sides: int, radius: float, turn: float = 90.0) -> list[Point]:
    """The corners of a regular polygon, the first at `turn` degrees."""
    angles = [turn * pi / 180 + 2 * pi * side / sides for side in range(sides)]
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


# Suits ------------------------------------------------------------------------------------------------


def suit_sign(canvas: Canvas, suit: str, x: float, y: float, size: float, color: Color) -> None:
    """A suit's sign, about `size` high and wide."""
    with canvas.at(x, y, scale=size):
        match suit:
            case "H":
                _heart(canvas, color)
            case "D":
                canvas.shape([(0, 0.56), (0.42, 0), (0, -0.56), (-0.42, 0)], fill=color)
            case "C":
                for across, up in ((0, 0.24), (-0.26, -0.1), (0.26, -0.1)):
                    canvas.circle(across, up, 0.245, fill=color)
                _stem(canvas, color)
            case _:
                with canvas.at(0, 0.04, 180, 0.92):
                    _heart(canvas, color)
                _stem(canvas, color)


def _heart(canvas: Canvas, color: Color) -> None:
    arcs = [
        ((-0.16, 0.62), (-0.56, 0.54), (-0.54, 0.14)),
        ((-0.52, -0.16), (-0.14, -0.34), (0.0, -0.54)),
        ((0.14, -0.34), (0.52, -0.16), (0.54, 0.14)),
        ((0.56, 0.54), (0.16, 0.62), (0.0, 0.3)),
    ]
    canvas.curve((0, 0.3), arcs, fill=color)


def _stem(canvas: Canvas, color: Color) -> None:
    canvas.shape([(-0.06, 0.1), (0.06, 0.1), (0.2, -0.54), (-0.2, -0.54)], fill=color)


# Houses -----------------------------------------------------------------------------------------------


def house_shape(canvas: Canvas, number: int, radius: float, fill: Color) -> None:
    """The sign of the n-th house, from 0: circle, square, triangle, diamond, hexagon."""
    match number % 5:
        case 0:
            canvas.circle(0, 0, radius * 0.9, fill=fill)
        case 1:
            canvas.shape(regular(4, radius * 1.15, 45), fill=fill)
        case 2:
            with canvas.at(0, -radius * 0.2):
                canvas.shape(regular(3, radius * 1.25), fill=fill)
        case 3:
            canvas.shape(regular(4, radius * 1.15, 0), fill=fill)
        case _:
            canvas.shape(regular(6, radius, 0), fill=fill)


def house_badge(canvas: Canvas, number: int, letter: str, radius: float) -> None:
    """A house's sign in white with its letter in the house's colour."""
    house_shape(canvas, number, radius, PAPER)
    size = radius * (0.95 if number % 5 in (2, 3) else 1.25)
    low = 0.62 if number % 5 == 2 else 0.5
    canvas.text(0, -size * CAP * low, letter, size, font=BOLD, color=HOUSES[number % 5], align="center")


def house(canvas: Canvas, width: float, color: Color) -> None:
    """A house's front: walls and a roof, its middle in the walls' middle."""
    half, wall = width / 2, width * 0.36
    canvas.shape([(-half * 1.14, wall), (0, width * 0.86), (half * 1.14, wall)], fill=color)
    chimney = (half * 0.5, width * 0.5, width * 0.14, width * 0.3)
    canvas.box(*chimney, fill=color)
    canvas.box(-half, -width * 0.5, width, width * 0.5 + wall, fill=color, radius=width * 0.04)


# Small signs ------------------------------------------------------------------------------------------


def burst(canvas: Canvas, x: float, y: float, radius: float, fill: Color, points: int = 14) -> None:
    """A star of many points: something happens here."""
    with canvas.at(x, y):
        outer, inner = regular(points, radius), regular(points, radius * 0.8, 90 + 180 / points)
        canvas.shape([corner for pair in zip(outer, inner, strict=True) for corner in pair], fill=fill)


def clock(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Minutes."""
    canvas.circle(x, y, radius, stroke=color, line=radius * 0.2, fill=PAPER)
    canvas.line((x, y), (x, y + radius * 0.6), color=color, line=radius * 0.2)
    canvas.line((x, y), (x + radius * 0.42, y - radius * 0.2), color=color, line=radius * 0.2)


def star(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Reputation."""
    with canvas.at(x, y):
        outer, inner = regular(5, radius), regular(5, radius * 0.45, 126)
        canvas.shape([corner for pair in zip(outer, inner, strict=True) for corner in pair], fill=color)


def swap(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Two arrows that pass each other."""
    for turn in (0, 180):
        with canvas.at(x, y, turn):
            canvas.line((-radius * 0.9, radius * 0.35), (radius * 0.5, radius * 0.35), color=color, line=radius * 0.22)
            head = [(radius * 0.4, radius * 0.78), (radius, radius * 0.35), (radius * 0.4, -radius * 0.08)]
            canvas.shape(head, fill=color)


def pause(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """A turn lost."""
    canvas.circle(x, y, radius, fill=color)
    for side in (-1, 1):
        canvas.box(x + side * radius * 0.3 - radius * 0.13, y - radius * 0.45, radius * 0.26, radius * 0.9, fill=PAPER)


def shut(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """A metro line that is shut."""
    canvas.circle(x, y, radius, fill=color)
    canvas.box(x - radius * 0.62, y - radius * 0.17, radius * 1.24, radius * 0.34, fill=PAPER)


def metro(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """A station's roundel."""
    canvas.circle(x, y, radius, fill=color)
    size = radius * 1.5
    canvas.text(x, y - size * CAP / 2, "M", size, font=BOLD, color=PAPER, align="center")


def walker(canvas: Canvas, x: float, y: float, size: float, color: Color = INK) -> None:
    """Somebody on the way, with a case."""
    with canvas.at(x, y, scale=size / 10):
        canvas.circle(0.5, 8.7, 1.25, fill=color)
        canvas.line((0.2, 6.6), (-0.3, 3.6), color=color, line=1.9)
        canvas.shape([(-0.3, 3.6), (1.5, 2.2), (2.6, 0.2)], stroke=color, line=1.2, closed=False)
        canvas.shape([(-0.3, 3.6), (-1.2, 1.8), (-2.8, 0.5)], stroke=color, line=1.2, closed=False)
        canvas.shape([(0.2, 6.5), (1.5, 4.7), (2.8, 4.6)], stroke=color, line=0.9, closed=False)
        canvas.shape([(0.2, 6.5), (-1.4, 5.4), (-1.9, 4.0)], stroke=color, line=0.9, closed=False)
        canvas.box(-3.1, 2.0, 2.3, 1.8, fill=color, radius=0.3)
