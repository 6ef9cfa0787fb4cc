"""Pieces without codes that a camera counts: where they lie, their colours, and by what it knows colours again.

Law: pure data, millimetres as on the mat. A game declares it with its mat, the sheets print the patches, vision counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

Paint = str
"""A colour as print has it: `#2566b8`."""
Polygon = tuple[tuple[float, float], ...]

NEUTRALS: Final[Mapping[str, Paint]] = {"white": "#ffffff", "grey": "#8a8a8a", "black": "#1c1c1c"}
"""Printed beside the pieces' colours: how bright the light is, what tint it has, how much of it is stray."""


@dataclass(frozen=True)
class Patch:
    """A printed rectangle of one colour; `kind` is a piece's or a neutral one. `corner` is its top left."""

    kind: str
    corner: tuple[float, float]
    size: tuple[float, float]

    @property
    def middle(self) -> tuple[float, float]:
        return self.corner[0] + self.size[0] / 2, self.corner[1] + self.size[1] / 2


Chart = tuple[Patch, ...]
"""One patch of every colour, close together, so that all are in the same light."""


@dataclass(frozen=True)
class Counting:
    """Cubes of several colours in areas of the mat. The colours must differ in hue; none may be grey."""

    areas: Mapping[str, Polygon]
    """By the layout's names of places."""
    paving: Mapping[str, tuple[Polygon, ...]]
    """The light squares of each area's paving: where neither it nor cubes are seen, something lies over it."""
    paints: Mapping[str, Paint]
    """Of every kind of token that is counted."""
    ground: Paint
    """About what the areas are painted with; lines on it are white and thin."""
    stones: tuple[Paint, Paint]
    """Of the paving's light squares, and of the dark ones between them."""
    edge: float
    """Of a cube, mm."""
    most: int
    """More cubes than so many in one area are no cubes."""
    charts: tuple[Chart, ...]
    """Spread over the mat: light differs from place to place, and hands cover some."""


def chart(kinds: tuple[str, ...], corner: tuple[float, float], cell: tuple[float, float], gap: float) -> Chart:
    """A column of patches from its top left corner down; `cell` is the size of one with the gap under it."""
    return tuple(
        Patch(kind, (corner[0], corner[1] + number * cell[1]), (cell[0], cell[1] - gap))
        for number, kind in enumerate(kinds)
    )
