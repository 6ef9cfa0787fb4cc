"""The checkered pavement on which the camera counts the cubes of Systems Failing, and the colors of the cubes.

Law: pure data, in millimeters, with y pointing down.
"""

from __future__ import annotations

from typing import Final

from companion.tabletop.token_colors import Polygon

CUBE_MM: Final = 8.0
PAVING_SQUARE_MM: Final = 4.0
"""The side of a square in the pavement. It is half the side of a cube, so that a cube never covers exactly one
square."""
PAVING_GROUND: Final = "#aeb5c0"
"""The average print color of the pavement."""
PAVING_COLORS: Final = ("#b8bfca", "#a4abb6")
"""The colors of the light and the dark squares of the pavement. By this pattern, the camera recognizes pavement without
cubes."""
PAINTS: Final = {"orange": "#ee841f", "blue": "#2566b8", "yellow": "#f8d73a", "red": "#cc3b34", "green": "#2e8f58"}
"""The print colors of the color patches. Black cubes have the black patch of the neutral colors."""


def light_squares(left: float, top: float, size: tuple[float, float]) -> tuple[Polygon, ...]:
    """The corners of the light squares of a rectangle of pavement. `size`: its width and height."""
    side = PAVING_SQUARE_MM
    corners = (
        (left + column * side, top + row * side)
        for row in range(round(size[1] / side))
        for column in range(row % 2, round(size[0] / side), 2)
    )
    return tuple(((x, y), (x + side, y), (x + side, y + side), (x, y + side)) for x, y in corners)
