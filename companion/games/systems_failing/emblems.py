"""The signs of Systems Failing: the six resources, the ship, bursts and pods, as vector paths of our own.

Each is drawn around a middle, in millimetres; a resource is told by colour, sign, letter and word alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, INK, PAPER, Canvas
from companion.tabletop.mat import Point

ALERT = HexColor("#e0452c")
ALARM = HexColor("#b4172c")
HAZARD = HexColor("#f5b921")
SPACE = HexColor("#17233f")
HULL = HexColor("#2c3c61")
SEAM = HexColor("#8fa0c4")
POD = HexColor("#0e7674")
PALE_POD = HexColor("#d9efed")


def _around(radii: list[float], turn: float = pi / 2) -> list[Point]:
    """Points around the middle at equal angles, at these radii."""
    step = 2 * pi / len(radii)
    return [(r * cos(turn + i * step), r * sin(turn + i * step)) for i, r in enumerate(radii)]


def _bolt(canvas: Canvas, ink: Color, ground: Color) -> None:
    canvas.shape([(0.1, 0.5), (-0.32, -0.08), (-0.04, -0.08), (-0.12, -0.5), (0.32, 0.12), (0.04, 0.12)], fill=ink)


def _gear(canvas: Canvas, ink: Color, ground: Color) -> None:
    teeth = [radius for _ in range(8) for radius in (0.5, 0.5, 0.36, 0.36)]
    canvas.shape(_around(teeth, pi / 2 - pi / 32), fill=ink)
    canvas.circle(0, 0, 0.17, fill=ground)


def _flask(canvas: Canvas, ink: Color, ground: Color) -> None:
    glass = [(-0.11, 0.42), (-0.11, 0.12), (-0.4, -0.38), (-0.33, -0.46)]
    canvas.shape([*glass, *((-x, y) for x, y in reversed(glass))], stroke=ink, line=0.09)
    canvas.shape([(-0.25, -0.1), (0.25, -0.1), (0.36, -0.4), (-0.36, -0.4)], fill=ink)
    canvas.line((-0.2, 0.44), (0.2, 0.44), color=ink, line=0.1)


def _cross(canvas: Canvas, ink: Color, ground: Color) -> None:
    a, b = 0.16, 0.46
    canvas.shape(
        [
            (-a, b),
            (a, b),
            (a, a),
            (b, a),
            (b, -a),
            (a, -a),
            (a, -b),
            (-a, -b),
            (-a, -a),
            (-b, -a),
            (-b, a),
            (-a, a),
        ],
        fill=ink,
    )


def _compass(canvas: Canvas, ink: Color, ground: Color) -> None:
    canvas.circle(0, 0, 0.36, stroke=ink, line=0.05)
    canvas.shape(_around([0.54, 0.13] * 4), fill=ink)
    canvas.circle(0, 0, 0.06, fill=ground)


def _atom(canvas: Canvas, ink: Color, ground: Color) -> None:
    for turn in (30, 90, 150):
        with canvas.at(0, 0, turn):
            canvas.oval(0, 0, 1.0, 0.36, stroke=ink, line=0.065)
    canvas.circle(0, 0, 0.11, fill=ink)


def _spiral(canvas: Canvas, ink: Color, ground: Color) -> None:
    canvas.shape(_around([0.46, 0.2] * 6), stroke=ink, line=0.07)


@dataclass(frozen=True)
class Resource:
    """A kind of cube: its word, letter, inks and sign (drawn one unit high around the middle)."""

    title: str
    letter: str
    color: Color
    ink: Color
    sign: Callable[[Canvas, Color, Color], None]


RESOURCES: Mapping[str, Resource] = {
    "orange": Resource("Electrical", "O", HexColor("#f28a1c"), INK, _bolt),
    "blue": Resource("Mechanical", "B", HexColor("#2566c8"), PAPER, _gear),
    "yellow": Resource("Chemical", "Y", HexColor("#f8d73a"), INK, _flask),
    "red": Resource("Medical", "R", HexColor("#cf2338"), PAPER, _cross),
    "black": Resource("Navigational", "K", HexColor("#1d1f24"), PAPER, _compass),
    "green": Resource("Scientific", "G", HexColor("#1f8f4d"), PAPER, _atom),
    "white": Resource("Surge", "W", PAPER, INK, _spiral),
}


def sign(canvas: Canvas, color: str, x: float, y: float, size: float, ink: Color | None = None) -> None:
    """A resource's sign alone."""
    resource = RESOURCES[color]
    with canvas.at(x, y, scale=size):
        resource.sign(canvas, ink or resource.ink, resource.color)


def cube(canvas: Canvas, color: str, x: float, y: float, side: float, *, word: bool = False) -> None:
    """A resource's square from its bottom left corner, with sign and letter, and its name beneath."""
    resource = RESOURCES[color]
    canvas.box(x, y, side, side, fill=resource.color, stroke=INK, line=0.2, radius=side * 0.12)
    sign(canvas, color, x + side * 0.54, y + side * 0.46, side * 0.62)
    canvas.text(x + side * 0.1, y + side * 0.74, resource.letter, side * 0.24, font=BOLD, color=resource.ink)
    if word:
        canvas.text(x + side / 2, y - 2.3, resource.title.upper(), 1.9, align="center", track=0.06)


def burst(canvas: Canvas, x: float, y: float, radius: float, color: Color = ALERT, spikes: int = 13) -> None:
    """An explosion."""
    with canvas.at(x, y):
        canvas.shape(_around([radius, radius * 0.76] * spikes), fill=color)


def warning(canvas: Canvas, x: float, y: float, size: float, color: Color = ALERT) -> None:
    """A triangle with an exclamation mark, about `size` high."""
    with canvas.at(x, y, scale=size):
        canvas.shape([(0, 0.5), (0.56, -0.46), (-0.56, -0.46)], fill=color, stroke=color, line=0.08)
        canvas.shape([(-0.07, 0.22), (0.07, 0.22), (0.045, -0.16), (-0.045, -0.16)], fill=PAPER)
        canvas.circle(0, -0.29, 0.07, fill=PAPER)


def pod(canvas: Canvas, x: float, y: float, size: float, body: Color, glass: Color, flame: Color) -> None:
    """An escape pod that rises, about `size` high."""
    with canvas.at(x, y, scale=size):
        for dx in (-0.13, 0, 0.13):
            canvas.shape([(dx - 0.05, -0.22), (dx + 0.05, -0.22), (dx, -0.5 + abs(dx))], fill=flame)
        canvas.shape([(-0.22, -0.02), (-0.36, -0.26), (-0.18, -0.2)], fill=body)
        canvas.shape([(0.22, -0.02), (0.36, -0.26), (0.18, -0.2)], fill=body)
        sides = [((0.3, 0.28), (0.26, -0.05), (0.18, -0.22)), ((0.06, -0.22), (-0.06, -0.22), (-0.18, -0.22))]
        canvas.curve((0, 0.5), [*sides, ((-0.26, -0.05), (-0.3, 0.28), (0, 0.5))], fill=body)
        canvas.circle(0, 0.14, 0.095, fill=glass)


PROFILE: tuple[Point, ...] = (
    *((0, 10), (3, 13), (12, 13), (15, 21), (24, 23), (28, 15), (46, 13), (50, 18), (62, 18)),
    *((66, 13), (76, 13), (84, 11), (93, 6), (100, 0)),
)
"""The ship's upper half from stern to bow, in hundredths of its length."""
SECTIONS = (0, 26, 48, 72, 100)
"""Where the core and zones 1 to 3 begin and end along it."""


def ship(
    canvas: Canvas, hit: int | None = None, *, hull: Color = HULL, seam: Color = SEAM, glow: Color = ALERT
) -> None:
    """The ship, 100 long, bow to the right, its stern at the origin; section `hit` glows (0: the core)."""
    outline = [*PROFILE, *((x, -y) for x, y in reversed(PROFILE[:-1]))]
    for y in (-7, 0, 7):
        canvas.shape([(-1, y + 3), (-1, y - 3), (-11 if y == 0 else -7, y)], fill=HAZARD)
    canvas.shape(outline, fill=hull)
    with canvas.inside(outline):
        if hit is not None:
            left, right = SECTIONS[hit], SECTIONS[hit + 1]
            canvas.box(left, -30, right - left, 60, fill=glow)
        for x in SECTIONS[1:-1]:
            canvas.line((x, -30), (x, 30), color=seam, line=0.8)
        for x, y, width in ((30, 4, 14), (30, -6, 14), (53, 6, 15), (53, -8, 15)):
            canvas.box(x, y, width, 2, fill=seam, radius=1)
    canvas.circle(12, 0, 6.5, stroke=seam, line=1)
    canvas.circle(12, 0, 3, fill=seam)
    canvas.shape([(80, 4), (80, -4), (90, -2.2), (90, 2.2)], fill=seam)
    canvas.shape(outline, stroke=seam, line=1.1)


def impact(canvas: Canvas, seed: str, section: int, damage: int) -> None:
    """Explosions in the ship's section, as many as the damage; the same for one seed."""
    rng = Random(f"impact {seed}")
    left, right = SECTIONS[section], SECTIONS[section + 1]
    for number in range(damage):
        side = 1 if number % 2 else -1
        x, y = rng.uniform(left + 3, right - 5), side * rng.uniform(5, 13)
        radius = rng.uniform(5.5, 8.5)
        burst(canvas, x, y, radius, HAZARD, 9)
        burst(canvas, x, y, radius * 0.5, PAPER, 7)


def rocks(canvas: Canvas, seed: str, width: float, height: float) -> None:
    """Stars and asteroids over a dark panel, always the same for one seed."""
    rng = Random(seed)
    for _ in range(int(width * height / 16)):
        canvas.circle(rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.05, 0.16), fill=SEAM)
    for _ in range(5):
        radius = rng.uniform(0.7, 1.9)
        with canvas.at(rng.choice((rng.uniform(0, 3.5), width - rng.uniform(0, 3.5))), rng.uniform(0, height)):
            radii = [radius * rng.uniform(0.65, 1.0) for _ in range(8)]
            canvas.shape(_around(radii, rng.uniform(0, 1)), fill=HULL, stroke=SEAM, line=0.15)
