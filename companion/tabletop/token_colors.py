"""Everything a camera must know to count tokens, which have no codes: their areas, colors and color charts.

Law: pure data. Lengths are millimetres, positions millimetres on the mat. A game declares it with its mat, the print
sheets draw the patches, and vision counts the tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PrintColor = str
"""A color as it is sent to the printer, such as `#2566b8`."""
Polygon = tuple[tuple[float, float], ...]

NEUTRAL_COLORS: Final[Mapping[str, PrintColor]] = {"white": "#ffffff", "gray": "#8a8a8a", "black": "#1c1c1c"}
"""Neutral colors that are printed beside the token colors. They show the brightness and the tint of the light, and the
amount of stray light."""


@dataclass(frozen=True)
class ColorPatch:
    """A printed rectangle of one color. `kind` is a kind of token or a key of `NEUTRAL_COLORS`."""

    kind: str
    top_left: tuple[float, float]
    size: tuple[float, float]

    @property
    def center(self) -> tuple[float, float]:
        return self.top_left[0] + self.size[0] / 2, self.top_left[1] + self.size[1] / 2


ColorChart = tuple[ColorPatch, ...]
"""A patch of each color, close together so that all are in the same light."""


@dataclass(frozen=True)
class TokenColors:
    """The cubes to count on a mat. Their colors must differ in hue, and none may be gray."""

    areas: Mapping[str, Polygon]
    """The area in which to count, by the layout's name of the place."""
    light_stones: Mapping[str, tuple[Polygon, ...]]
    """The light squares of each area's printed pavement. Where neither pavement nor cubes are visible, something covers
    the area."""
    colors: Mapping[str, PrintColor]
    """The print color of each kind of token."""
    ground_color: PrintColor
    """The average print color of the areas. Lines on it are white and thin."""
    stone_colors: tuple[PrintColor, PrintColor]
    """The light and the dark squares of the pavement."""
    cube_mm: float
    """The edge length of a cube."""
    max_per_area: int
    """The largest number of cubes in one area. A larger count is taken for something else."""
    charts: tuple[ColorChart, ...]
    """The color charts, spread over the mat because the light varies across it and hands cover parts of it."""


def color_chart(
    kinds: tuple[str, ...], top_left: tuple[float, float], cell: tuple[float, float], gap: float
) -> ColorChart:
    """A column of patches. `cell` is the size of a patch including the gap below it."""
    return tuple(
        ColorPatch(kind, (top_left[0], top_left[1] + number * cell[1]), (cell[0], cell[1] - gap))
        for number, kind in enumerate(kinds)
    )
