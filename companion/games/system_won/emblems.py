"""The signs of System WON: the four suits, the eye, the roles, as vector paths of our own.

A suit is told by colour, shape and letter alike, and the colours differ in lightness too, so that nobody needs to tell
red from green. Signs are drawn around a middle and about one unit high, with `canvas.at` to place and scale them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin, tau

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, CAP, INK, PAPER, Canvas
from companion.tabletop.mat import Point

ROAD = HexColor("#3a4660")
"""Asphalt."""
SAY = HexColor("#6844ab")
"""Of what is said and asked; no suit's colour."""
PALE_SAY = HexColor("#ece5f8")

TRIANGLE = ((0.0, 0.54), (0.55, -0.44), (-0.55, -0.44))
DIAMOND = ((0.0, 0.62), (0.5, 0.0), (0.0, -0.62), (-0.5, 0.0))
CIRCLE = tuple((0.52 * cos(tau * n / 48), 0.52 * sin(tau * n / 48)) for n in range(48))


def _turned(points: Iterable[Point], quarters: int) -> tuple[Point, ...]:
    """The points after quarter turns, counter-clockwise."""
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters]
    return tuple((x * c - y * s, x * s + y * c) for x, y in points)


_QUARTER = ((0.2, 0.2), (0.2, 0.56), (-0.2, 0.56))
CROSS = tuple(point for turn in (0, 1, 2, 3) for point in _turned(_QUARTER, turn))


@dataclass(frozen=True)
class Suit:
    """How a colour looks: its ink, what is written on it, its pale ground, its shape and where the letter stands."""

    color: Color
    ink: Color
    pale: Color
    shape: tuple[Point, ...]
    letter_at: float = 0.0
    """The height of the letter's middle in the shape."""
    letter_size: float = 0.62


SUITS: Mapping[str, Suit] = {
    "red": Suit(HexColor("#c2162e"), PAPER, HexColor("#fbe3e1"), TRIANGLE, -0.13, 0.68),
    "yellow": Suit(HexColor("#fbcf33"), INK, HexColor("#fdf4d3"), DIAMOND, 0.0, 0.72),
    "green": Suit(HexColor("#12a578"), PAPER, HexColor("#dcf3ea"), CIRCLE, 0.0, 0.84),
    "blue": Suit(HexColor("#1d4fc0"), PAPER, HexColor("#e0e9fb"), CROSS, 0.0, 0.68),
}


def suit_sign(canvas: Canvas, color: str, letter: str, x: float, y: float, size: float, *, solid: bool) -> None:
    """A suit's shape with its letter, about `size` high; `solid` in its colour, else cut out of a ground of that."""
    suit = SUITS[color]
    shape, word = (suit.color, suit.ink) if solid else (suit.ink, suit.color)
    with canvas.at(x, y, scale=size):
        canvas.shape(suit.shape, fill=shape, stroke=shape, line=0.07)
        canvas.text(
            0,
            suit.letter_at - suit.letter_size * CAP / 2,
            letter,
            suit.letter_size,
            font=BOLD,
            color=word,
            align="center",
        )


def arc(radius: float, start: float, end: float, x: float = 0.0, y: float = 0.0) -> list[Point]:
    """Points along part of a circle; degrees, counter-clockwise from the right."""
    steps = max(2, round(abs(end - start) / 6))
    angles = (pi / 180 * (start + (end - start) * n / steps) for n in range(steps + 1))
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]


def around(radii: Iterable[float], turn: float = pi / 2) -> list[Point]:
    """Points around the middle at equal angles, at these radii."""
    each = list(radii)
    angles = (turn + tau * n / len(each) for n in range(len(each)))
    return [(radius * cos(angle), radius * sin(angle)) for radius, angle in zip(each, angles, strict=True)]


def eye(canvas: Canvas, color: Color) -> None:
    """A camera's lens."""
    canvas.box(-0.6, -0.38, 1.2, 0.72, fill=color, radius=0.12)
    canvas.box(-0.24, 0.28, 0.48, 0.18, fill=color, radius=0.06)
    canvas.circle(0, -0.03, 0.28, fill=PAPER)
    canvas.circle(0, -0.03, 0.19, fill=color)
    canvas.circle(0.06, 0.04, 0.055, fill=PAPER)


def bubble(canvas: Canvas, color: Color) -> None:
    """Something said."""
    canvas.box(-0.58, -0.26, 1.16, 0.74, fill=color, radius=0.2)
    canvas.shape([(-0.3, -0.2), (0.02, -0.2), (-0.34, -0.52)], fill=color)


def arrow(canvas: Canvas, color: Color) -> None:
    """An arrow to the right, one unit long."""
    canvas.shape(
        [(-0.5, 0.14), (0.1, 0.14), (0.1, 0.36), (0.5, 0), (0.1, -0.36), (0.1, -0.14), (-0.5, -0.14)], fill=color
    )


def _pencil(canvas: Canvas, ink: Color, ground: Color) -> None:
    with canvas.at(0, 0, -40):
        canvas.box(-0.14, -0.2, 0.28, 0.62, fill=ink, radius=0.04)
        canvas.shape([(-0.14, -0.24), (0.14, -0.24), (0, -0.54)], fill=ink)
        canvas.line((-0.14, 0.26), (0.14, 0.26), color=ground, line=0.05)


def _cone(canvas: Canvas, ink: Color, ground: Color) -> None:
    canvas.box(-0.44, -0.48, 0.88, 0.13, fill=ink, radius=0.04)
    sides = [(-0.28, -0.38), (-0.07, 0.5), (0.07, 0.5), (0.28, -0.38)]
    canvas.shape(sides, fill=ink)
    with canvas.inside(sides):
        for low in (-0.16, 0.14):
            canvas.box(-0.5, low, 1, 0.13, fill=ground)


def _light(canvas: Canvas, ink: Color, ground: Color) -> None:
    canvas.box(-0.22, -0.5, 0.44, 1.0, fill=ink, radius=0.12)
    for y in (0.3, 0, -0.3):
        canvas.circle(0, y, 0.115, fill=ground)


def _wrench(canvas: Canvas, ink: Color, ground: Color) -> None:
    with canvas.at(0, 0, -45):
        canvas.box(-0.09, -0.34, 0.18, 0.62, fill=ink)
        canvas.circle(0, 0.36, 0.22, fill=ink)
        canvas.box(-0.08, 0.34, 0.16, 0.3, fill=ground)
        canvas.circle(0, -0.4, 0.16, fill=ink)
        canvas.circle(0, -0.4, 0.06, fill=ground)


def _gear(canvas: Canvas, ink: Color, ground: Color) -> None:
    canvas.shape(around([r for _ in range(8) for r in (0.52, 0.52, 0.38, 0.38)], pi / 2 - pi / 32), fill=ink)
    canvas.circle(0, 0, 0.18, fill=ground)


def _card(canvas: Canvas, ink: Color, ground: Color) -> None:
    canvas.box(-0.34, -0.48, 0.68, 0.96, fill=ink, radius=0.08)


_ROLES: Mapping[str, Callable[[Canvas, Color, Color], None]] = {
    "designer": _pencil,
    "contractor": _cone,
    "operations": _light,
    "technician": _wrench,
    "engineer": _gear,
}


def role_sign(canvas: Canvas, role: str, ink: Color, ground: Color) -> None:
    """A role's tool; a role that has no sign of its own gets a card."""
    _ROLES.get(role, _card)(canvas, ink, ground)
