"""A mat on several sheets: the part of it that each sheet shows.

Law: pure geometry in millimetres. Positions are on the mat, from its top left corner, y down.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from companion.printing.imposition import Paper

MARGIN_MM = 10.0
"""Paper around each tile: room for crop marks, and to hold it."""
OVERLAP_MM = 10.0
"""The width of the strip that two neighbouring tiles both show; the later tile is glued onto it."""


@dataclass(frozen=True)
class Tile:
    """A part of the mat: its row and column from 0, its top left corner and its size."""

    row: int
    column: int
    x: float
    y: float
    width: float
    height: float

    @property
    def name(self) -> str:
        """A1 for the top left tile, A2 for the tile to its right."""
        return f"{'ABCDEFGH'[self.row]}{self.column + 1}"


@dataclass(frozen=True)
class Tiling:
    """The tiles in reading order, and the paper in the orientation that they need."""

    paper: Paper
    rows: int
    columns: int
    tiles: tuple[Tile, ...]


def tiling(size: tuple[float, float], paper: Paper) -> Tiling:
    """A tiling with the fewest sheets, upright or across; all tiles are of equal size."""
    across = Paper(paper.name, paper.height, paper.width)
    return min((_tiling_on(size, each) for each in (paper, across)), key=lambda each: len(each.tiles))


def _tiling_on(size: tuple[float, float], paper: Paper) -> Tiling:
    columns, width = _split(size[0], paper.width - 2 * MARGIN_MM)
    rows, height = _split(size[1], paper.height - 2 * MARGIN_MM)
    tiles = tuple(
        Tile(row, column, column * (width - OVERLAP_MM), row * (height - OVERLAP_MM), width, height)
        for row in range(rows)
        for column in range(columns)
    )
    return Tiling(paper, rows, columns, tiles)


def _split(length: float, max_length: float) -> tuple[int, float]:
    """The number of equal parts of a length and the length of each, including the overlap with its neighbours."""
    parts = max(1, ceil((length - OVERLAP_MM) / (max_length - OVERLAP_MM)))
    return parts, (length + (parts - 1) * OVERLAP_MM) / parts
