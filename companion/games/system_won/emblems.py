"""The colors and emblems of System WON: the four suits, the lens and the roles. Each emblem is an SVG file in `svg/`.

Each suit can be identified by its color, its shape or its letter. The colors differ in lightness too, so that nobody
needs to tell red from green. Emblems are centered on the origin and about one unit high; `canvas.at` places and scales
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, CAP_HEIGHT, INK, PAPER, Canvas
from companion.drawing.emblem_files import FILE_SIZE, load_emblem
from companion.tabletop.mat import Point

ASPHALT = HexColor("#3a4660")
"""The color of asphalt."""
SPEECH = HexColor("#6844ab")
"""The color of specification cards, of the camera zone, and of abilities that may be used at any time. It is not the
color of any suit."""
PALE_SPEECH = HexColor("#ece5f8")

EMBLEM_FOLDER = Path(__file__).with_name("svg")


@dataclass(frozen=True)
class SuitStyle:
    """The appearance of a suit: its color, the color of text on it (`ink`), its pale background color, and the position
    and size of the letter in its shape."""

    color: Color
    ink: Color
    pale: Color
    letter_at: float = 0.0
    """The vertical distance from the center of the shape up to the center of the letter, as a fraction of the shape's
    height."""
    letter_size: float = 0.62


SUITS: Mapping[str, SuitStyle] = {
    "red": SuitStyle(HexColor("#c2162e"), PAPER, HexColor("#fbe3e1"), -0.13, 0.68),
    "yellow": SuitStyle(HexColor("#fbcf33"), INK, HexColor("#fdf4d3"), 0.0, 0.72),
    "green": SuitStyle(HexColor("#12a578"), PAPER, HexColor("#dcf3ea"), 0.0, 0.84),
    "blue": SuitStyle(HexColor("#1d4fc0"), PAPER, HexColor("#e0e9fb"), 0.0, 0.68),
}


def draw_suit(canvas: Canvas, color: str, letter: str, x: float, y: float, size: float, *, solid: bool) -> None:
    """Draws the shape of a suit with a letter in it, about `size` mm high. If `solid` is True, the shape is in the
    suit's color and the letter in the suit's ink. If it is False, the two colors are swapped."""
    suit = SUITS[color]
    shape, word = (suit.color, suit.ink) if solid else (suit.ink, suit.color)
    with canvas.at(x, y, scale=size):
        draw_emblem(canvas, f"suit-{color}", shape)
        canvas.text(
            0,
            suit.letter_at - suit.letter_size * CAP_HEIGHT / 2,
            letter,
            suit.letter_size,
            font=BOLD,
            color=word,
            align="center",
        )


def arc(radius: float, start: float, end: float, x: float = 0.0, y: float = 0.0) -> list[Point]:
    """The points of an arc around (x, y), from the angle `start` to the angle `end`. Angles are in degrees,
    counterclockwise from the right."""
    steps = max(2, round(abs(end - start) / 6))
    angles = (pi / 180 * (start + (end - start) * n / steps) for n in range(steps + 1))
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]


def draw_camera(canvas: Canvas, color: Color) -> None:
    """Draws a camera."""
    draw_emblem(canvas, "camera", color)


def draw_bubble(canvas: Canvas, color: Color) -> None:
    """Draws a speech bubble."""
    draw_emblem(canvas, "bubble", color)


def draw_arrow(canvas: Canvas, color: Color) -> None:
    """Draws an arrow that points right, one unit long."""
    draw_emblem(canvas, "arrow", color)


def draw_role(canvas: Canvas, role: str, ink: Color, ground: Color) -> None:
    """Draws the emblem of a role, which is a tool. If there is no emblem for the role, draws a card instead."""
    name = f"role-{role}"
    draw_emblem(canvas, name if (EMBLEM_FOLDER / f"{name}.svg").is_file() else "role", ink, ground)


def draw_emblem(canvas: Canvas, name: str, ink: Color, ground: Color = PAPER) -> None:
    """Draws the emblem in the file with this name, one unit high."""
    with canvas.at(0, 0, scale=1 / FILE_SIZE):
        load_emblem(EMBLEM_FOLDER / f"{name}.svg").draw(canvas, ink, ground)
