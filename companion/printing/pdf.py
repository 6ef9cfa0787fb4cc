"""The file to print: a page that tells how, the sheets with fronts and backs, the mat tile by tile.

Pages come in pairs, front and back of one sheet, so the whole file can go through a duplex printer as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from companion.drawing.canvas import Pen
from companion.games.rules import Game
from companion.printing import cover
from companion.printing.crop_marks import caption, crop_marks, cuts, ruler
from companion.printing.imposition import PAPERS, Paper, Sheet, sheets
from companion.printing.printables import Piece, draw_mat, pieces
from companion.printing.tiles import MARGIN, Tile, Tiling, tiling


def print_game(game: Game[Any], path: str | Path, paper: str = "a4", code_mm: float | None = None) -> None:
    """Writes everything that the game needs on the table; raises PrintError."""
    _Print(game, PAPERS[paper], pieces(game, code_mm)).write(path)


@dataclass
class _Print:
    game: Game[Any]
    paper: Paper
    pieces: tuple[Piece, ...]

    @cached_property
    def sheets(self) -> list[Sheet]:
        return sheets(self.pieces, self.paper)

    @cached_property
    def tiling(self) -> Tiling | None:
        return tiling(self.game.equipment.mat.size, self.paper) if self.game.equipment.mat else None

    def write(self, path: str | Path) -> None:
        canvas = Canvas(str(path), pageCompression=1, invariant=1)
        canvas.setTitle(f"{self.game.title} to print, {self.paper.name}")
        canvas.setAuthor("Tablekeeper")
        self._cover(canvas)
        for number, sheet in enumerate(self.sheets, 1):
            self._sheet(canvas, sheet, f"sheet {number} of {len(self.sheets)}")
        if self.tiling:
            for tile in self.tiling.tiles:
                self._tile(canvas, self.tiling, tile)
        canvas.save()

    def _cover(self, canvas: Canvas) -> None:
        first_mat = 3 + 2 * len(self.sheets)
        with _page(canvas, self.paper) as pen:
            cover.instructions(pen, self.paper, self.game, first_mat, self.tiling)
            ruler(pen, self.paper.height)
        with _page(canvas, self.paper) as pen:
            if self.tiling:
                cover.assembly(pen, self.paper, self.game, self.tiling)

    def _sheet(self, canvas: Canvas, sheet: Sheet, name: str) -> None:
        with _page(canvas, self.paper) as pen:
            for place in sheet:
                with pen.at(place.x, place.y):
                    place.piece.front(pen)
            self._margins(pen, sheet, f"{name}, fronts")
        mirrored = tuple(place.mirrored(self.paper) for place in sheet)
        with _page(canvas, self.paper) as pen:
            for place in mirrored:
                with pen.at(place.x, place.y):
                    place.piece.back(pen)
            self._margins(pen, mirrored, f"{name}, backs")

    def _margins(self, pen: Pen, sheet: Sheet, name: str) -> None:
        cuts(pen, sheet)
        ruler(pen, self.paper.height)
        how = "print at 100 %, both sides, flip on the long edge"
        words = f"{self.game.title} · {name} · {self.paper.name} · {how}"
        caption(pen, self.paper.width - 5.6, self.paper.height / 2, 90, words)

    def _tile(self, canvas: Canvas, tiling: Tiling, tile: Tile) -> None:
        paper, height = tiling.paper, self.game.equipment.mat.size[1] if self.game.equipment.mat else 0.0
        left, bottom = (paper.width - tile.width) / 2, (paper.height - tile.height) / 2
        with _page(canvas, paper) as pen:
            shift = (left - tile.x, bottom - (height - tile.y - tile.height))
            with pen.within(left, bottom, tile.width, tile.height), pen.at(*shift):
                draw_mat(self.game, pen)
            crop_marks(pen, tiling, tile, left, bottom)
            ruler(pen, paper.height)
            words = f"{self.game.title} · mat {tile.name} · {paper.name} · print at 100 %"
            caption(pen, paper.width / 2, MARGIN / 2 - 1, 0, words)
        with _page(canvas, paper) as pen:
            words = f"{self.game.title} · back of mat {tile.name} · stays blank"
            caption(pen, paper.width / 2, MARGIN / 2 - 1, 0, words)


@contextmanager
def _page(canvas: Canvas, paper: Paper) -> Iterator[Pen]:
    canvas.setPageSize((paper.width * mm, paper.height * mm))
    yield Pen(canvas)
    canvas.showPage()
