"""What stands in the margins: cut and crop marks, a ruler to check the scale with, a caption."""

from __future__ import annotations

from companion.drawing.canvas import BLACK, FAINT, INK, MUTED, PAPER, Canvas
from companion.printing.imposition import Sheet, cut_marks
from companion.printing.tiles import OVERLAP, Tile, Tiling
from companion.tabletop.mat import Point

RULER_MM = 100
HAIR = 0.12
"""Width of a cut mark, mm."""
RULER_X = 5.0
"""The ruler's distance from the paper's left edge, mm: most printers can print there."""


def cuts(canvas: Canvas, sheet: Sheet) -> None:
    """The cut marks of a sheet."""
    for start, end in dict.fromkeys(cut_marks(sheet)):
        canvas.line(start, end, color=BLACK, line=HAIR)


def ruler(canvas: Canvas, height: float) -> None:
    """100 mm up the left margin, in the middle of the page's height."""
    with canvas.at(RULER_X, (height - RULER_MM) / 2):
        canvas.line((0, 0), (0, RULER_MM), line=HAIR)
        for at in range(0, RULER_MM + 1, 5):
            canvas.line((0, at), (-1.8 if at % 50 == 0 else -1.2 if at % 10 == 0 else -0.7, at), line=HAIR)
        with canvas.at(1.5, RULER_MM / 2, 90):
            canvas.text(0, -1.4, "100 mm", 2.1, color=MUTED, align="center")


def caption(canvas: Canvas, x: float, y: float, turn: float, words: str) -> None:
    """A line of small print around a middle."""
    with canvas.at(x, y, turn):
        canvas.text(0, 0, words, 2.2, color=MUTED, align="center", track=0.05)


def crop_marks(canvas: Canvas, tiling: Tiling, tile: Tile, left: float, bottom: float) -> None:
    """Solid marks where the tile ends, dashed ones where the next tile's edge comes to lie, and a plan."""
    right, top = left + tile.width, bottom + tile.height
    for x, away in ((left, -1), (right, 1)):
        for y, up in ((bottom, -1), (top, 1)):
            canvas.line((x + away, y), (x + 5 * away, y), color=BLACK, line=HAIR)
            canvas.line((x, y + up), (x, y + 5 * up), color=BLACK, line=HAIR)
    if tile.column + 1 < tiling.columns:
        x = right - OVERLAP
        _glue(canvas, [((x, top + 1), (x, top + 5)), ((x, bottom - 1), (x, bottom - 5))], (right - 5, top + 2))
    if tile.row + 1 < tiling.rows:
        y = bottom + OVERLAP
        _glue(canvas, [((left - 1, y), (left - 5, y)), ((right + 1, y), (right + 5, y))], (right + 5, bottom + 4.3))
    _plan(canvas, tiling, tile, (tiling.paper.width - 12, 3.0))


def _glue(canvas: Canvas, marks: list[tuple[Point, Point]], label: Point) -> None:
    for start, end in marks:
        canvas.line(start, end, color=BLACK, line=HAIR, dash=(0.8, 0.6))
    canvas.text(*label, "glue", 2.0, color=MUTED, align="center")


def _plan(canvas: Canvas, tiling: Tiling, tile: Tile, right_bottom: Point) -> None:
    """Which tile this is, as a little picture of them all."""
    wide, high = 3.2, 2.1
    with canvas.at(right_bottom[0] - tiling.columns * wide, right_bottom[1]):
        for each in tiling.tiles:
            fill = INK if each == tile else PAPER
            y = (tiling.rows - 1 - each.row) * high
            canvas.box(each.column * wide, y, wide, high, fill=fill, stroke=FAINT, line=0.2)
