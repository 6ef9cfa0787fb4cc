"""Arranges the printed components on sheets of paper: in rows, so that components of equal size share cut lines.

Law: pure geometry in millimeters, origin at a sheet's bottom left. The back of a sheet is mirrored left to right, since
paper is turned over its long edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from companion.printing.printable_components import Printable, PrintError
from companion.tabletop.mat import Point

MIN_MARGIN_MM = 7.5
"""The least margin around all components. It has room for the cut marks, and most printers can't print the outer 4
mm."""
GAP_MM = 10.0
"""The gap between components of different sizes. It has room for their cut marks."""
CUT_MARK_MM = (1.0, 3.5)
"""The distances from a component's edge at which a cut mark begins and ends."""


@dataclass(frozen=True)
class Paper:
    """A paper size: its name, and its width and height in mm."""

    name: str
    width: float
    height: float


PAPERS = {
    "a4": Paper("A4", 210.0, 297.0),
    "letter": Paper("Letter", 215.9, 279.4),
}


@dataclass(frozen=True)
class PlacedPrintable:
    """A component and its bottom left corner on the sheet."""

    printable: Printable
    x: float
    y: float

    @property
    def right(self) -> float:
        return self.x + self.printable.size[0]

    @property
    def top(self) -> float:
        return self.y + self.printable.size[1]

    def mirrored(self, paper: Paper) -> PlacedPrintable:
        """The placement of the component's back on the back of the sheet."""
        return PlacedPrintable(self.printable, paper.width - self.right, self.y)

    def holds(self, point: Point) -> bool:
        return self.x <= point[0] <= self.right and self.y <= point[1] <= self.top


Sheet = tuple[PlacedPrintable, ...]
Row = tuple[Printable, ...]


def sheets(printables: Sequence[Printable], paper: Paper) -> list[Sheet]:
    """The sheets with all components in the given order, row by row. Raises PrintError if a component is too large for
    the paper."""
    pages: list[list[Row]] = []
    for row in _rows(printables, paper):
        if not pages or _height([*pages[-1], row]) > paper.height - 2 * MIN_MARGIN_MM:
            pages.append([])
        pages[-1].append(row)
    return [tuple(_placements(page, paper)) for page in pages]


def cut_marks(sheet: Sheet) -> Iterator[tuple[Point, Point]]:
    """Yields the start and the end of each cut mark. Cut marks are short lines that lead outwards from the corners of a
    component; those that would cross another component are left out."""
    near, far = CUT_MARK_MM
    for place in sheet:
        for x, away in ((place.x, -1), (place.right, 1)):
            for y, up in ((place.y, -1), (place.top, 1)):
                yield from _clear_line(sheet, (x + away * near, y), (x + away * far, y))
                yield from _clear_line(sheet, (x, y + up * near), (x, y + up * far))


def _clear_line(sheet: Sheet, start: Point, end: Point) -> Iterator[tuple[Point, Point]]:
    """Yields the line from `start` to `end`; yields nothing if a component is in its way."""
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    if not any(other.holds(middle) for other in sheet):
        yield start, end


def _rows(printables: Iterable[Printable], paper: Paper) -> Iterator[Row]:
    """Yields rows of components in the given order. Each row has as many components as fit side by side."""
    row: list[Printable] = []
    for printable in printables:
        _check_size(printable, paper)
        if row and _width([*row, printable]) > paper.width - 2 * MIN_MARGIN_MM:
            yield tuple(row)
            row = []
        row.append(printable)
    if row:
        yield tuple(row)


def _check_size(printable: Printable, paper: Paper) -> None:
    width, height = printable.size
    if width > paper.width - 2 * MIN_MARGIN_MM or height > paper.height - 2 * MIN_MARGIN_MM:
        raise PrintError(f"{printable.component.title} of {width:g} x {height:g} mm does not fit on {paper.name}.")


def _gaps_in_row(row: Sequence[Printable]) -> list[float]:
    """The space to the left of each component of a row, in mm."""
    return [0.0, *(0.0 if left.size == right.size else GAP_MM for left, right in pairwise(row))]


def _width(row: Sequence[Printable]) -> float:
    return sum(printable.size[0] for printable in row) + sum(_gaps_in_row(row))


def _row_height(row: Row) -> float:
    return max(printable.size[1] for printable in row)


def _gaps_between_rows(rows: Sequence[Row]) -> list[float]:
    """The space above each row, in mm. There is no space between rows of components of equal size, so one cut separates
    the rows."""
    same = [len({printable.size for printable in (*above, *below)}) == 1 for above, below in pairwise(rows)]
    return [0.0, *(0.0 if equal else GAP_MM for equal in same)]


def _height(rows: Sequence[Row]) -> float:
    return sum(_row_height(row) for row in rows) + sum(_gaps_between_rows(rows))


def _placements(rows: Sequence[Row], paper: Paper) -> Iterator[PlacedPrintable]:
    """Yields the placement of each component. The rows are centered on the sheet. A row that is not full begins where a
    full row of components of the same size would begin."""
    y = (paper.height + _height(rows)) / 2
    for row, gap in zip(rows, _gaps_between_rows(rows), strict=True):
        across = (paper.width - 2 * MIN_MARGIN_MM) // row[0].size[0]
        x = (paper.width - max(across * row[0].size[0], _width(row))) / 2
        for printable, space in zip(row, _gaps_in_row(row), strict=True):
            x += space
            yield PlacedPrintable(printable, x, y - gap - printable.size[1])
            x += printable.size[0]
        y -= gap + _row_height(row)
