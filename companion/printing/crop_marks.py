"""What stands in the margins: cut and crop marks, a ruler to check the scale with, a caption."""

from __future__ import annotations

from companion.drawing.canvas import BLACK, FAINT, INK, MUTED, PAPER, Pen
from companion.printing.imposition import Sheet, cut_marks
from companion.printing.tiles import OVERLAP, Tile, Tiling
from companion.tabletop.mat import Point

RULER_MM = 100
HAIR = 0.12
"""Width of a cut mark, mm."""
RULER_X = 5.0
"""The ruler's distance from the paper's left edge, mm: most printers can print there."""


def cuts(pen: Pen, sheet: Sheet) -> None:
    """The cut marks of a sheet."""
    for start, end in dict.fromkeys(cut_marks(sheet)):
        pen.line(start, end, color=BLACK, line=HAIR)


def ruler(pen: Pen, height: float) -> None:
    """100 mm up the left margin, in the middle of the page's height."""
    with pen.at(RULER_X, (height - RULER_MM) / 2):
        pen.line((0, 0), (0, RULER_MM), line=HAIR)
        for at in range(0, RULER_MM + 1, 5):
            pen.line((0, at), (-1.8 if at % 50 == 0 else -1.2 if at % 10 == 0 else -0.7, at), line=HAIR)
        with pen.at(1.5, RULER_MM / 2, 90):
            pen.text(0, -1.4, "100 mm", 2.1, color=MUTED, align="center")


def caption(pen: Pen, x: float, y: float, turn: float, words: str) -> None:
    """A line of small print around a middle."""
    with pen.at(x, y, turn):
        pen.text(0, 0, words, 2.2, color=MUTED, align="center", track=0.05)


def crop_marks(pen: Pen, tiling: Tiling, tile: Tile, left: float, bottom: float) -> None:
    """Solid marks where the tile ends, dashed ones where the next tile's edge comes to lie, and a plan."""
    right, top = left + tile.width, bottom + tile.height
    for x, away in ((left, -1), (right, 1)):
        for y, up in ((bottom, -1), (top, 1)):
            pen.line((x + away, y), (x + 5 * away, y), color=BLACK, line=HAIR)
            pen.line((x, y + up), (x, y + 5 * up), color=BLACK, line=HAIR)
    if tile.column + 1 < tiling.columns:
        x = right - OVERLAP
        _glue(pen, [((x, top + 1), (x, top + 5)), ((x, bottom - 1), (x, bottom - 5))], (right - 5, top + 2))
    if tile.row + 1 < tiling.rows:
        y = bottom + OVERLAP
        _glue(pen, [((left - 1, y), (left - 5, y)), ((right + 1, y), (right + 5, y))], (right + 5, bottom + 4.3))
    _plan(pen, tiling, tile, (tiling.paper.width - 12, 3.0))


def _glue(pen: Pen, marks: list[tuple[Point, Point]], label: Point) -> None:
    for start, end in marks:
        pen.line(start, end, color=BLACK, line=HAIR, dash=(0.8, 0.6))
    pen.text(*label, "glue", 2.0, color=MUTED, align="center")


def _plan(pen: Pen, tiling: Tiling, tile: Tile, right_bottom: Point) -> None:
    """Which tile this is, as a little picture of them all."""
    wide, high = 3.2, 2.1
    with pen.at(right_bottom[0] - tiling.columns * wide, right_bottom[1]):
        for each in tiling.tiles:
            fill = INK if each == tile else PAPER
            y = (tiling.rows - 1 - each.row) * high
            pen.box(each.column * wide, y, wide, high, fill=fill, stroke=FAINT, line=0.2)
