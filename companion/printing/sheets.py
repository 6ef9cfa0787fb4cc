"""Where the pieces lie on paper: rows of equal pieces side by side, cut along common lines.

Law: pure geometry in millimetres, origin at a sheet's bottom left. The back of a sheet is its mirror image in
the upright axis, as paper turned over its long edge shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from companion.mat import Point
from companion.printing.pieces import Piece, PrintError

MARGIN = 7.5
"""The least paper around the pieces, mm: for cut marks, and most printers can't print the outer 4 mm."""
GAP = 10.0
"""Between rows of different pieces, mm: room for their cut marks."""
MARK = (1.0, 3.5)
"""Where a cut mark begins and ends, mm from the piece."""


@dataclass(frozen=True)
class Paper:
    """A sheet held upright, mm."""

    name: str
    width: float
    height: float


PAPERS = {
    "a4": Paper("A4", 210.0, 297.0),
    "letter": Paper("Letter", 215.9, 279.4),
}


@dataclass(frozen=True)
class Placement:
    """A piece and its bottom left corner on the sheet."""

    piece: Piece
    x: float
    y: float

    @property
    def right(self) -> float:
        return self.x + self.piece.size[0]

    @property
    def top(self) -> float:
        return self.y + self.piece.size[1]

    def mirrored(self, paper: Paper) -> Placement:
        """Where the piece's back lies on the sheet's back."""
        return Placement(self.piece, paper.width - self.right, self.y)

    def holds(self, point: Point) -> bool:
        return self.x <= point[0] <= self.right and self.y <= point[1] <= self.top


Sheet = tuple[Placement, ...]
Row = tuple[Piece, ...]


def sheets(pieces: Sequence[Piece], paper: Paper) -> list[Sheet]:
    """All pieces on as few sheets as rows of equal pieces allow, the largest first."""
    pages: list[list[Row]] = []
    for row in _rows(pieces, paper):
        if not pages or _height([*pages[-1], row]) > paper.height - 2 * MARGIN:
            pages.append([])
        pages[-1].append(row)
    return [tuple(_place(page, paper)) for page in pages]


def cut_marks(sheet: Sheet) -> Iterator[tuple[Point, Point]]:
    """Short lines outwards from each piece's corners, where they cross no other piece."""
    near, far = MARK
    for place in sheet:
        for x, away in ((place.x, -1), (place.right, 1)):
            for y, up in ((place.y, -1), (place.top, 1)):
                yield from _free(sheet, (x + away * near, y), (x + away * far, y))
                yield from _free(sheet, (x, y + up * near), (x, y + up * far))


def _free(sheet: Sheet, start: Point, end: Point) -> Iterator[tuple[Point, Point]]:
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    if not any(other.holds(middle) for other in sheet):
        yield start, end


def _rows(pieces: Iterable[Piece], paper: Paper) -> Iterator[Row]:
    ordered = sorted(pieces, key=lambda piece: piece.size[0] * piece.size[1], reverse=True)
    for size, equal in groupby(ordered, key=lambda piece: piece.size):
        row, across = list(equal), int((paper.width - 2 * MARGIN) // size[0])
        if across == 0 or size[1] > paper.height - 2 * MARGIN:
            raise PrintError(
                f"{row[0].thing.title} of {size[0]:g} x {size[1]:g} mm does not fit on {paper.name}."
            )
        yield from (tuple(row[start : start + across]) for start in range(0, len(row), across))


def _gaps(rows: Sequence[Row]) -> list[float]:
    """The space above each row."""
    return [0.0, *(0.0 if above[0].size == below[0].size else GAP for above, below in pairwise(rows))]


def _height(rows: Sequence[Row]) -> float:
    return sum(row[0].size[1] for row in rows) + sum(_gaps(rows))


def _place(rows: Sequence[Row], paper: Paper) -> Iterator[Placement]:
    y = (paper.height + _height(rows)) / 2
    for row, gap in zip(rows, _gaps(rows), strict=True):
        width, height = row[0].size
        y -= gap + height
        left = (paper.width - int((paper.width - 2 * MARGIN) // width) * width) / 2
        yield from (Placement(piece, left + index * width, y) for index, piece in enumerate(row))
