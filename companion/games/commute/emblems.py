"""The printed colors and emblems of Commute. Suits, houses and small symbols are SVG files in `svg/`; bursts and
letters are drawn here. Sizes and coordinates are in millimeters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, CAP_HEIGHT, INK, PAPER, Canvas
from companion.drawing.emblem_files import FILE_SIZE, load_emblem
from companion.drawing.polygon_corners import points_around

UH_OH = HexColor("#ffcf33")
UH_OH_DARK = HexColor("#b3261e")
SUIT_COLORS: Mapping[str, Color] = {
    "H": HexColor("#cf2640"),
    "D": HexColor("#1f68c4"),
    "C": HexColor("#1f7d4a"),
    "S": HexColor("#23273f"),
}
"""The color of each suit. All four are different, so that suits are recognized at a glance."""
HOUSES: tuple[Color, ...] = tuple(map(HexColor, ("#d98200", "#6f46b8", "#0c8585", "#cc3f7c", "#74502f")))
"""The colors of the houses and of their pieces, in the board's order."""
LINES: Mapping[str, Color] = {"red": HexColor("#d8362f"), "blue": HexColor("#2a6fd0"), "green": HexColor("#2f9147")}
"""The colors of the metro lines that are named after a color."""
OTHER_LINES: tuple[Color, ...] = tuple(map(HexColor, ("#e2711d", "#8a3ab9", "#00849c", "#8c6d1f")))
"""The colors of metro lines with other names."""
GOOD, EVEN, BAD = HexColor("#1f7d4a"), HexColor("#66718a"), HexColor("#c2410c")
"""The colors for spaces that save minutes, change nothing, and add minutes."""

EMBLEM_FOLDER = Path(__file__).with_name("svg")


def line_color(line: str, number: int) -> Color:
    """The color of a metro line. A line named after red, blue or green has that color. Any other line has a color from
    OTHER_LINES, selected by the line's `number` on the board."""
    return LINES.get(line, OTHER_LINES[number % len(OTHER_LINES)])


def draw_suit(canvas: Canvas, suit: str, x: float, y: float, size: float, color: Color) -> None:
    """Draws the symbol of a suit around (x, y), about `size` mm high and wide."""
    draw_emblem(canvas, f"suit-{suit}", x, y, size, color)


def draw_emblem(canvas: Canvas, name: str, x: float, y: float, size: float, color: Color) -> None:
    """Draws the emblem `name` from `svg/` at (x, y), about `size` mm high."""
    with canvas.at(x, y, scale=size / FILE_SIZE):
        load_emblem(EMBLEM_FOLDER / f"{name}.svg").draw(canvas, color)


def draw_house_shape(canvas: Canvas, number: int, radius: float, fill: Color) -> None:
    """Draws the shape of house `number` around the origin. For the numbers 0 to 4, this is a circle, a square, a
    triangle, a diamond or a hexagon."""
    draw_emblem(canvas, f"house-{number % 5}", 0, 0, 2 * radius, fill)


def draw_house_badge(canvas: Canvas, number: int, letter: str, radius: float) -> None:
    """Draws the badge of house `number` around the origin: the house's shape in white, with the house's letter in its
    color."""
    draw_house_shape(canvas, number, radius, PAPER)
    size = radius * (0.95 if number % 5 in (2, 3) else 1.25)
    low = 0.62 if number % 5 == 2 else 0.5
    canvas.text(0, -size * CAP_HEIGHT * low, letter, size, font=BOLD, color=HOUSES[number % 5], align="center")


def draw_house(canvas: Canvas, width: float, color: Color) -> None:
    """Draws the front of a house with its roof, `width` mm wide. The origin is the middle of the walls."""
    draw_emblem(canvas, "house", 0, 0, width, color)


def draw_burst(canvas: Canvas, x: float, y: float, radius: float, fill: Color, points: int = 14) -> None:
    """Draws a star with many points around (x, y), the background of "Uh-Oh!" signs."""
    with canvas.at(x, y):
        canvas.shape(points_around([radius, radius * 0.8] * points), fill=fill)


def draw_clock(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Draws a clock around (x, y), the symbol for minutes."""
    draw_emblem(canvas, "clock", x, y, 2 * radius, color)


def draw_star(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Draws a star around (x, y), the symbol for reputation."""
    draw_emblem(canvas, "star", x, y, 2 * radius, color)


def draw_swap_arrows(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Draws two opposite arrows around (x, y), the symbol for a swap of cards."""
    draw_emblem(canvas, "swap", x, y, 2 * radius, color)


def draw_pause_sign(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Draws a pause sign around (x, y), the symbol for a skipped turn."""
    draw_emblem(canvas, "pause", x, y, 2 * radius, color)


def draw_closure_sign(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Draws a no-entry sign around (x, y), the symbol for a closed metro line."""
    draw_emblem(canvas, "closed", x, y, 2 * radius, color)


def draw_metro_sign(canvas: Canvas, x: float, y: float, radius: float, color: Color) -> None:
    """Draws a disc with an M around (x, y), the symbol for a metro station."""
    canvas.circle(x, y, radius, fill=color)
    size = radius * 1.5
    canvas.text(x, y - size * CAP_HEIGHT / 2, "M", size, font=BOLD, color=PAPER, align="center")


def draw_walker(canvas: Canvas, x: float, y: float, size: float, color: Color = INK) -> None:
    """Draws a walking person with a briefcase, about `size` mm high, with the feet at (x, y)."""
    draw_emblem(canvas, "walker", x, y, size, color)
