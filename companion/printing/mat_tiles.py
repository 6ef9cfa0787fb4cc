"""Divides a mat into tiles, each of which is printed on a sheet of paper.

Law: pure geometry in millimeters. Positions are on the mat, from its top left corner, y down.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from companion.printing.imposition import Paper

MARGIN_MM = 10.0
"""The least margin around each tile. It has room for crop marks, and for fingers to hold the sheet."""
OVERLAP_MM = 10.0
"""The width of the strip that two neighboring tiles both show. The later tile is glued onto that strip."""


@dataclass(frozen=True)
class Tile:
    """A part of the mat that is printed on one sheet: its row and column, counted from 0, its top left corner and its
    size."""

    row: int
    column: int
    x: float
    y: float
    width: float
    height: float

    @property
    def name(self) -> str:
        """The name of the tile: A1 for the top left one, A2 for the one to its right."""
        return f"{'ABCDEFGH'[self.row]}{self.column + 1}"


@dataclass(frozen=True)
class Tiling:
    """All tiles of a mat in reading order, and the paper, turned so that the tiles fit on it."""

    paper: Paper
    rows: int
    columns: int
    tiles: tuple[Tile, ...]


def tiling(size: tuple[float, float], paper: Paper) -> Tiling:
    """The tiling of a mat that needs the fewest sheets. Tries the paper in portrait and in landscape orientation. All
    tiles are of equal size."""
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
    """Divides a length into equal, overlapping parts of at most `max_length`. Returns their number, and the length of
    each with its overlaps."""
    parts = max(1, ceil((length - OVERLAP_MM) / (max_length - OVERLAP_MM)))
    return parts, (length + (parts - 1) * OVERLAP_MM) / parts
