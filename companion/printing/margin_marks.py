"""Draws what is printed in the margins: cut marks, crop marks, a ruler to check the scale, a caption."""

from __future__ import annotations

from companion.drawing.canvas import BLACK, FAINT, INK, MUTED, PAPER, Canvas
from companion.printing.imposition import Sheet, cut_marks
from companion.printing.mat_tiles import OVERLAP_MM, Tile, Tiling
from companion.tabletop.mat import Point

RULER_LENGTH_MM = 100
CUT_LINE_MM = 0.12
"""The line width of cut marks, crop marks and the ruler."""
RULER_X_MM = 5.0
"""The distance from the paper's left edge to the ruler. Most printers can print there."""


def draw_cut_marks(canvas: Canvas, sheet: Sheet) -> None:
    """Draws each cut mark of a sheet once, even where components share it."""
    for start, end in dict.fromkeys(cut_marks(sheet)):
        canvas.line(start, end, color=BLACK, line=CUT_LINE_MM)


def draw_ruler(canvas: Canvas, height: float) -> None:
    """Draws a vertical ruler of 100 mm in the left margin, in the middle of a page of `height` mm."""
    with canvas.at(RULER_X_MM, (height - RULER_LENGTH_MM) / 2):
        canvas.line((0, 0), (0, RULER_LENGTH_MM), line=CUT_LINE_MM)
        for at in range(0, RULER_LENGTH_MM + 1, 5):
            canvas.line((0, at), (-1.8 if at % 50 == 0 else -1.2 if at % 10 == 0 else -0.7, at), line=CUT_LINE_MM)
        with canvas.at(1.5, RULER_LENGTH_MM / 2, 90):
            canvas.text(0, -1.4, "100 mm", 2.1, color=MUTED, align="center")


def draw_caption(canvas: Canvas, x: float, y: float, angle: float, text: str) -> None:
    """Draws a line of small print, centered at a point and rotated by `angle` degrees."""
    with canvas.at(x, y, angle):
        canvas.text(0, 0, text, 2.2, color=MUTED, align="center", track=0.05)


def draw_crop_marks(canvas: Canvas, tiling: Tiling, tile: Tile, left: float, bottom: float) -> None:
    """Draws the marks around a tile of the mat, and a small plan of all tiles. Solid marks are at the tile's edges,
    dashed marks where the edges of the next tiles will lie. `left` and `bottom` are the tile's corner on the paper."""
    right, top = left + tile.width, bottom + tile.height
    for x, away in ((left, -1), (right, 1)):
        for y, up in ((bottom, -1), (top, 1)):
            canvas.line((x + away, y), (x + 5 * away, y), color=BLACK, line=CUT_LINE_MM)
            canvas.line((x, y + up), (x, y + 5 * up), color=BLACK, line=CUT_LINE_MM)
    if tile.column + 1 < tiling.columns:
        x = right - OVERLAP_MM
        _draw_glue_marks(
            canvas, [((x, top + 1), (x, top + 5)), ((x, bottom - 1), (x, bottom - 5))], (right - 5, top + 2)
        )
    if tile.row + 1 < tiling.rows:
        y = bottom + OVERLAP_MM
        _draw_glue_marks(
            canvas, [((left - 1, y), (left - 5, y)), ((right + 1, y), (right + 5, y))], (right + 5, bottom + 4.3)
        )
    _draw_tile_plan(canvas, tiling, tile, (tiling.paper.width - 12, 3.0))


def _draw_glue_marks(canvas: Canvas, marks: list[tuple[Point, Point]], label_at: Point) -> None:
    for start, end in marks:
        canvas.line(start, end, color=BLACK, line=CUT_LINE_MM, dash=(0.8, 0.6))
    canvas.text(*label_at, "glue", 2.0, color=MUTED, align="center")


def _draw_tile_plan(canvas: Canvas, tiling: Tiling, tile: Tile, right_bottom: Point) -> None:
    """Draws a small plan of all tiles, in which `tile` is filled."""
    width, height = 3.2, 2.1
    with canvas.at(right_bottom[0] - tiling.columns * width, right_bottom[1]):
        for each in tiling.tiles:
            fill = INK if each == tile else PAPER
            y = (tiling.rows - 1 - each.row) * height
            canvas.box(each.column * width, y, width, height, fill=fill, stroke=FAINT, line=0.2)
