"""Where the pieces lie on paper: rows side by side, equal pieces cut along common lines.

Law: pure geometry in millimetres, origin at a sheet's bottom left. The back of a sheet is its mirror image in
the upright axis, as paper turned over its long edge shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from companion.printing.printables import Piece, PrintError
from companion.tabletop.mat import Point

MARGIN = 7.5
"""The least paper around the pieces, mm: for cut marks, and most printers can't print the outer 4 mm."""
GAP = 10.0
"""Between pieces of different sizes, mm: room for their cut marks."""
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
    """All pieces in their order, row by row, sheet by sheet."""
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
    """Each row takes what fits beside each other, in the order given."""
    row: list[Piece] = []
    for piece in pieces:
        _check(piece, paper)
        if row and _width([*row, piece]) > paper.width - 2 * MARGIN:
            yield tuple(row)
            row = []
        row.append(piece)
    if row:
        yield tuple(row)


def _check(piece: Piece, paper: Paper) -> None:
    width, height = piece.size
    if width > paper.width - 2 * MARGIN or height > paper.height - 2 * MARGIN:
        raise PrintError(f"{piece.thing.title} of {width:g} x {height:g} mm does not fit on {paper.name}.")


def _steps(row: Sequence[Piece]) -> list[float]:
    """The space before each piece of a row."""
    return [0.0, *(0.0 if left.size == right.size else GAP for left, right in pairwise(row))]


def _width(row: Sequence[Piece]) -> float:
    return sum(piece.size[0] for piece in row) + sum(_steps(row))


def _tall(row: Row) -> float:
    return max(piece.size[1] for piece in row)


def _gaps(rows: Sequence[Row]) -> list[float]:
    """The space above each row; none where both hold equal pieces, so that one cut parts them."""
    same = [len({piece.size for piece in (*above, *below)}) == 1 for above, below in pairwise(rows)]
    return [0.0, *(0.0 if equal else GAP for equal in same)]


def _height(rows: Sequence[Row]) -> float:
    return sum(_tall(row) for row in rows) + sum(_gaps(rows))


def _place(rows: Sequence[Row], paper: Paper) -> Iterator[Placement]:
    """The rows in the middle of the sheet; each begins where a full row of its first piece would."""
    y = (paper.height + _height(rows)) / 2
    for row, gap in zip(rows, _gaps(rows), strict=True):
        across = (paper.width - 2 * MARGIN) // row[0].size[0]
        x = (paper.width - max(across * row[0].size[0], _width(row))) / 2
        for piece, step in zip(row, _steps(row), strict=True):
            x += step
            yield Placement(piece, x, y - gap - piece.size[1])
            x += piece.size[0]
        y -= gap + _tall(row)
