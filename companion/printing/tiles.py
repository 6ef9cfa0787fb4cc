"""A mat over several sheets: which part of it each sheet shows.

Law: pure geometry in millimetres; a tile's place is on the mat, from its top left corner, y down.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from companion.printing.imposition import Paper

MARGIN = 10.0
"""Paper around each tile, mm: for crop marks, and to hold it by."""
OVERLAP = 10.0
"""The strip that two neighbouring tiles both show, mm: the later one is glued onto it."""


@dataclass(frozen=True)
class Tile:
    """Part of the mat: row and column from 0, its top left corner on the mat and its size."""

    row: int
    column: int
    x: float
    y: float
    width: float
    height: float

    @property
    def name(self) -> str:
        """A1 is the top left tile, A2 lies to its right."""
        return f"{'ABCDEFGH'[self.row]}{self.column + 1}"


@dataclass(frozen=True)
class Tiling:
    """The tiles in reading order, and the paper held as they need it."""

    paper: Paper
    rows: int
    columns: int
    tiles: tuple[Tile, ...]


def tiling(size: tuple[float, float], paper: Paper) -> Tiling:
    """As few sheets as will do, upright or across, all of equal size."""
    across = Paper(paper.name, paper.height, paper.width)
    return min((_tiled(size, held) for held in (paper, across)), key=lambda each: len(each.tiles))


def _tiled(size: tuple[float, float], paper: Paper) -> Tiling:
    columns, width = _split(size[0], paper.width - 2 * MARGIN)
    rows, height = _split(size[1], paper.height - 2 * MARGIN)
    tiles = tuple(
        Tile(row, column, column * (width - OVERLAP), row * (height - OVERLAP), width, height)
        for row in range(rows)
        for column in range(columns)
    )
    return Tiling(paper, rows, columns, tiles)


def _split(length: float, most: float) -> tuple[int, float]:
    """Into how many equal parts, and their length, such that neighbours share the overlap."""
    parts = max(1, ceil((length - OVERLAP) / (most - OVERLAP)))
    return parts, (length + (parts - 1) * OVERLAP) / parts
