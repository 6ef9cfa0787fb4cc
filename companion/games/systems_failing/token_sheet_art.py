"""Draws the sheet of tokens of Systems Failing: paper cubes and the two markers, for people who print them too. Their
numbers come from the catalog."""

from __future__ import annotations

from companion.drawing.canvas import BOLD, FAINT, INK, PAPER, Canvas
from companion.games.systems_failing import emblems
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cube_multiset import COLORS

SHEET_SIZE = (70.0, 60.0)

TOKEN = 10.0
"""The side of a paper cube, in mm."""


def draw_token_sheet(canvas: Canvas, *, mirrored: bool) -> None:
    """Draws one side of the sheet, to cut out. Each row has the cubes of one color. The white cubes and the two markers
    fill the ends of the rows. On the back, which is `mirrored`, each row is in reverse order."""
    cards = catalog()
    width, height = SHEET_SIZE
    columns = int(width // TOKEN)
    beside = ["white"] * cards.white_cubes + ["stability", "damage"]
    for row, color in enumerate(COLORS):
        spare = columns - cards.cubes_per_color
        kinds = [color] * cards.cubes_per_color + beside[row * spare : (row + 1) * spare]
        for column, kind in enumerate(kinds):
            x = (columns - 1 - column if mirrored else column) * TOKEN
            _draw_token(canvas, kind, x + (width - columns * TOKEN) / 2, height - (row + 1) * TOKEN)


def _draw_token(canvas: Canvas, kind: str, x: float, y: float) -> None:
    canvas.box(x, y, TOKEN, TOKEN, stroke=FAINT, line=0.15, dash=(0.8, 0.8))
    if kind in (*COLORS, "white"):
        emblems.cube(canvas, kind, x + 0.6, y + 0.6, TOKEN - 1.2)
        return
    canvas.circle(x + TOKEN / 2, y + TOKEN / 2, 4.2, fill=INK)
    canvas.text(x + TOKEN / 2, y + 3.5, kind[0].upper(), 4.6, font=BOLD, color=PAPER, align="center")
