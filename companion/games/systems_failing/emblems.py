"""The colors and emblems of Systems Failing. The emblems of the resources, the ship, the pod and the warning sign are
SVG files in `svg/`. Explosions and asteroids differ from card to card and are drawn here.

Positions and sizes are in millimeters. Each resource can be identified by its color, its emblem, its letter or its
word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import degrees
from pathlib import Path
from random import Random

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, INK, PAPER, Canvas
from companion.drawing.emblem_files import FILE_SIZE, Emblem, load_emblem
from companion.drawing.polygon_corners import points_around

ALERT = HexColor("#e0452c")
ALARM = HexColor("#b4172c")
HAZARD = HexColor("#f5b921")
SPACE = HexColor("#17233f")
HULL = HexColor("#2c3c61")
SEAM = HexColor("#8fa0c4")
POD = HexColor("#0e7674")
PALE_POD = HexColor("#d9efed")

EMBLEM_FOLDER = Path(__file__).with_name("svg")
FLAME, SHIP_HULL, SHIP_SEAM, SHIP_GLOW = "#f5b921", "#2c3c61", "#8fa0c4", "#e0452c"
"""The colors in `pod.svg` and `ship.svg` that are replaced when these files are drawn."""


@dataclass(frozen=True)
class Resource:
    """A kind of cube: its word, its letter, its color, and the ink for symbols on this color."""

    title: str
    letter: str
    color: Color
    ink: Color


RESOURCES: Mapping[str, Resource] = {
    "orange": Resource("Electrical", "O", HexColor("#f28a1c"), INK),
    "blue": Resource("Mechanical", "B", HexColor("#2566c8"), PAPER),
    "yellow": Resource("Chemical", "Y", HexColor("#f8d73a"), INK),
    "red": Resource("Medical", "R", HexColor("#cf2338"), PAPER),
    "black": Resource("Navigational", "K", HexColor("#1d1f24"), PAPER),
    "green": Resource("Scientific", "G", HexColor("#1f8f4d"), PAPER),
    "white": Resource("Surge", "W", PAPER, INK),
}


def draw_emblem(canvas: Canvas, color: str, x: float, y: float, size: float, ink: Color | None = None) -> None:
    """Draws a resource's emblem, centered at a point, without the colored square around it. `ink` is the color of the
    emblem; if it is None, the resource's own ink is used."""
    with canvas.at(x, y, scale=size / FILE_SIZE):
        _load(f"resource-{color}").draw(canvas, ink or RESOURCES[color].ink)


def _load(name: str) -> Emblem:
    return load_emblem(EMBLEM_FOLDER / f"{name}.svg")


def cube(canvas: Canvas, color: str, x: float, y: float, side: float, *, word: bool = False) -> None:
    """Draws a cube of a resource: a square with the resource's emblem and letter. If `word` is True, the resource's
    name is written below the square. `x` and `y` are the coordinates of the square's bottom left corner."""
    resource = RESOURCES[color]
    canvas.box(x, y, side, side, fill=resource.color, stroke=INK, line=0.2, radius=side * 0.12)
    draw_emblem(canvas, color, x + side * 0.54, y + side * 0.46, side * 0.62)
    canvas.text(x + side * 0.1, y + side * 0.74, resource.letter, side * 0.24, font=BOLD, color=resource.ink)
    if word:
        canvas.text(x + side / 2, y - 2.3, resource.title.upper(), 1.9, align="center", track=0.06)


def burst(canvas: Canvas, x: float, y: float, radius: float, color: Color = ALERT, spikes: int = 13) -> None:
    """Draws an explosion: a star centered at a point, with spikes of length `radius`."""
    with canvas.at(x, y):
        canvas.shape(points_around([radius, radius * 0.76] * spikes), fill=color)


def warning(canvas: Canvas, x: float, y: float, size: float, color: Color = ALERT) -> None:
    """Draws a warning sign, a triangle with an exclamation mark, centered at a point and about `size` mm high."""
    with canvas.at(x, y, scale=size / FILE_SIZE):
        _load("warning").draw(canvas, color)


def pod(canvas: Canvas, x: float, y: float, size: float, body: Color, glass: Color, flame: Color) -> None:
    """Draws a rising escape pod, centered at a point and about `size` mm high."""
    with canvas.at(x, y, scale=size / FILE_SIZE):
        _load("pod").draw(canvas, body, glass, colors={FLAME: flame})


SECTIONS = (0, 26, 48, 72, 100)
"""The boundaries of the core and of zones 1 to 3: their distances from the stern, if the ship is 100 mm long."""


def ship(
    canvas: Canvas, hit: int | None = None, *, hull: Color = HULL, seam: Color = SEAM, glow: Color = ALERT
) -> None:
    """Draws the ship, 100 mm long, with its stern at the origin and its bow to the right. The section `hit` glows: the
    core is 0, and the zones are 1 to 3."""
    others = {f"section-{section}" for section in range(len(SECTIONS) - 1)} - {f"section-{hit}"}
    _load("ship").draw(canvas, colors={SHIP_HULL: hull, SHIP_SEAM: seam, SHIP_GLOW: glow}, hidden=others)


def impact(canvas: Canvas, seed: str, section: int, damage: int) -> None:
    """Draws `damage` explosions in a section of the ship. The same `seed` always gives the same picture."""
    rng = Random(f"impact {seed}")
    left, right = SECTIONS[section], SECTIONS[section + 1]
    for number in range(damage):
        side = 1 if number % 2 else -1
        x, y = rng.uniform(left + 3, right - 5), side * rng.uniform(5, 13)
        radius = rng.uniform(5.5, 8.5)
        burst(canvas, x, y, radius, HAZARD, 9)
        burst(canvas, x, y, radius * 0.5, PAPER, 7)


def rocks(canvas: Canvas, seed: str, width: float, height: float) -> None:
    """Draws stars and asteroids on a dark panel. The same `seed` always gives the same picture."""
    rng = Random(seed)
    for _ in range(int(width * height / 16)):
        canvas.circle(rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.05, 0.16), fill=SEAM)
    for _ in range(5):
        radius = rng.uniform(0.7, 1.9)
        with canvas.at(rng.choice((rng.uniform(0, 3.5), width - rng.uniform(0, 3.5))), rng.uniform(0, height)):
            radii = [radius * rng.uniform(0.65, 1.0) for _ in range(8)]
            canvas.shape(points_around(radii, degrees(rng.uniform(0, 1))), fill=HULL, stroke=SEAM, line=0.15)
