"""What a camera must know to count tokens, which have no codes: their colors, the areas to count in, and the color
charts.

Law: pure data. Lengths are in millimeters, positions in millimeters on the mat. A game declares this data with its mat,
the print sheets show the color patches, and vision counts the tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

PrintColor = str
"""A color as it is sent to the printer, such as `#2566b8`."""
Polygon = tuple[tuple[float, float], ...]

NEUTRAL_COLORS: Final[Mapping[str, PrintColor]] = {"white": "#ffffff", "gray": "#8a8a8a", "black": "#1c1c1c"}
"""The neutral colors that are printed beside the token colors. They show how bright and how tinted the light is, and
how much stray light there is."""


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
"""Patches of all colors, printed close together so that all are in the same light."""


@dataclass(frozen=True)
class TokenField:
    """A patch of pavement on a component, on which tokens are counted. `area` and `light_stones` are as in
    `TokenColors`, but relative to the center of the component's code, with the component's top edge up."""

    area: Polygon
    light_stones: tuple[Polygon, ...]

    def placed(self, center: tuple[float, float], angle: float) -> TokenField:
        """The field on the mat, if the component's code is at `center` and turned clockwise by `angle` degrees."""
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))

        def on_mat(polygon: Polygon) -> Polygon:
            return tuple((center[0] + x * cos - y * sin, center[1] + x * sin + y * cos) for x, y in polygon)

        return TokenField(on_mat(self.area), tuple(map(on_mat, self.light_stones)))


@dataclass(frozen=True)
class TokenColors:
    """Where and in which colors to count cubes on a mat. The cubes' colors must differ in hue, and none may be gray.
    Cubes of one further kind may be black."""

    areas: Mapping[str, Polygon]
    """The areas to count in, by the names that layouts use for these places."""
    light_stones: Mapping[str, tuple[Polygon, ...]]
    """The light squares of each area's printed pavement. Where neither pavement nor cubes are visible, something covers
    the area."""
    colors: Mapping[str, PrintColor]
    """The print color of each kind of token, without the black kind."""
    ground_color: PrintColor
    """The average print color of the areas, which have thin white lines on them."""
    stone_colors: tuple[PrintColor, PrintColor]
    """The print colors of the light and the dark squares of the pavement."""
    cube_mm: float
    """The edge length of a cube."""
    max_per_area: int
    """The greatest number of cubes in one area. If the camera seems to see more, it sees something else."""
    charts: tuple[ColorChart, ...]
    """The color charts. They are spread over the mat, because the light varies across it and hands cover parts of
    it."""
    black_kind: str = ""
    """The kind of the black cubes; "" if there are none. The black patch of the neutral colors is also theirs."""
    is_optional: bool = False
    """Whether people may well play without counting: older prints of the mat have neither charts nor pavement. Then the
    table says why it can't count only after it has counted a cube."""

    fields: Mapping[str, TokenField] = field(default_factory=dict)
    """The fields of components on which cubes are counted, by the codes of the components. A count of a field has the
    code as its area."""

    def with_fields_placed(self, fields: Mapping[str, TokenField]) -> TokenColors:
        """The same colors, with the fields of the components that lie on the mat as further areas. `fields`: their
        fields on the mat, by the codes of the components."""
        areas = {code: each.area for code, each in fields.items()}
        stones = {code: each.light_stones for code, each in fields.items()}
        return replace(self, areas={**self.areas, **areas}, light_stones={**self.light_stones, **stones})

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds of cubes that are counted. The black one is the last."""
        return (*self.colors, self.black_kind) if self.black_kind else tuple(self.colors)


def color_chart(
    kinds: tuple[str, ...], top_left: tuple[float, float], cell: tuple[float, float], gap: float
) -> ColorChart:
    """A column of color patches, one for each of `kinds`. `cell` is the width and height of a patch including the `gap`
    below it, in mm."""
    return tuple(
        ColorPatch(kind, (top_left[0], top_left[1] + number * cell[1]), (cell[0], cell[1] - gap))
        for number, kind in enumerate(kinds)
    )
