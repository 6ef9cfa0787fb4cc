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
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import Canvas
from companion.games.game import Game
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
        return tiling(self.game.physical.components.mat.size, self.paper) if self.game.physical.components.mat else None

    def write(self, path: str | Path) -> None:
        pdf = PdfCanvas(str(path), pageCompression=1, invariant=1)
        pdf.setTitle(f"{self.game.title} to print, {self.paper.name}")
        pdf.setAuthor("Tablekeeper")
        self._cover(pdf)
        for number, sheet in enumerate(self.sheets, 1):
            self._sheet(pdf, sheet, f"sheet {number} of {len(self.sheets)}")
        if self.tiling:
            for tile in self.tiling.tiles:
                self._tile(pdf, self.tiling, tile)
        pdf.save()

    def _cover(self, pdf: PdfCanvas) -> None:
        first_mat = 3 + 2 * len(self.sheets)
        with _page(pdf, self.paper) as canvas:
            cover.instructions(canvas, self.paper, self.game, first_mat, self.tiling)
            ruler(canvas, self.paper.height)
        with _page(pdf, self.paper) as canvas:
            if self.tiling:
                cover.assembly(canvas, self.paper, self.game, self.tiling)

    def _sheet(self, pdf: PdfCanvas, sheet: Sheet, name: str) -> None:
        with _page(pdf, self.paper) as canvas:
            for place in sheet:
                with canvas.at(place.x, place.y):
                    place.piece.front(canvas)
            self._margins(canvas, sheet, f"{name}, fronts")
        mirrored = tuple(place.mirrored(self.paper) for place in sheet)
        with _page(pdf, self.paper) as canvas:
            for place in mirrored:
                with canvas.at(place.x, place.y):
                    place.piece.back(canvas)
            self._margins(canvas, mirrored, f"{name}, backs")

    def _margins(self, canvas: Canvas, sheet: Sheet, name: str) -> None:
        cuts(canvas, sheet)
        ruler(canvas, self.paper.height)
        how = "print at 100 %, both sides, flip on the long edge"
        words = f"{self.game.title} · {name} · {self.paper.name} · {how}"
        caption(canvas, self.paper.width - 5.6, self.paper.height / 2, 90, words)

    def _tile(self, pdf: PdfCanvas, tiling: Tiling, tile: Tile) -> None:
        paper, height = (
            tiling.paper,
            self.game.physical.components.mat.size[1] if self.game.physical.components.mat else 0.0,
        )
        left, bottom = (paper.width - tile.width) / 2, (paper.height - tile.height) / 2
        with _page(pdf, paper) as canvas:
            shift = (left - tile.x, bottom - (height - tile.y - tile.height))
            with canvas.within(left, bottom, tile.width, tile.height), canvas.at(*shift):
                draw_mat(self.game, canvas)
            crop_marks(canvas, tiling, tile, left, bottom)
            ruler(canvas, paper.height)
            words = f"{self.game.title} · mat {tile.name} · {paper.name} · print at 100 %"
            caption(canvas, paper.width / 2, MARGIN / 2 - 1, 0, words)
        with _page(pdf, paper) as canvas:
            words = f"{self.game.title} · back of mat {tile.name} · stays blank"
            caption(canvas, paper.width / 2, MARGIN / 2 - 1, 0, words)


@contextmanager
def _page(pdf: PdfCanvas, paper: Paper) -> Iterator[Canvas]:
    pdf.setPageSize((paper.width * mm, paper.height * mm))
    yield Canvas(pdf)
    pdf.showPage()
