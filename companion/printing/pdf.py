"""Writes the PDF file of a game to print: a page of instructions, the sheets with fronts and backs, the mat tile by
tile.

Pages come in pairs, the front and back of a sheet, so a duplex printer can print the whole file at once.
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
from companion.printing import instructions
from companion.printing.imposition import PAPERS, Paper, Sheet, sheets
from companion.printing.printables import Printable, draw_mat, printables
from companion.printing.sheet_margins import draw_caption, draw_crop_marks, draw_cut_marks, draw_ruler
from companion.printing.tiles import MARGIN_MM, Tile, Tiling, tiling


def print_game(game: Game[Any], path: str | Path, paper: str = "a4", code_mm: float | None = None) -> None:
    """Writes a PDF with all components and the mat of a game. `code_mm` is the side of the codes; by default
    `printables` chooses it. Raises PrintError and OSError."""
    _PrintJob(game, PAPERS[paper], printables(game, code_mm)).write(path)


@dataclass
class _PrintJob:
    game: Game[Any]
    paper: Paper
    printables: tuple[Printable, ...]

    @cached_property
    def sheets(self) -> list[Sheet]:
        return sheets(self.printables, self.paper)

    @cached_property
    def tiling(self) -> Tiling | None:
        mat = self.game.physical.components.mat
        return tiling(mat.size, self.paper) if mat else None

    def write(self, path: str | Path) -> None:
        pdf = PdfCanvas(str(path), pageCompression=1, invariant=1)
        pdf.setTitle(f"{self.game.title} to print, {self.paper.name}")
        pdf.setAuthor("Tablekeeper")
        self._draw_cover(pdf)
        for number, sheet in enumerate(self.sheets, 1):
            self._draw_sheet(pdf, sheet, f"sheet {number} of {len(self.sheets)}")
        if self.tiling:
            for tile in self.tiling.tiles:
                self._draw_tile(pdf, self.tiling, tile)
        pdf.save()

    def _draw_cover(self, pdf: PdfCanvas) -> None:
        first_mat = 3 + 2 * len(self.sheets)
        with _page(pdf, self.paper) as canvas:
            instructions.draw_instructions(canvas, self.paper, self.game, first_mat, self.tiling)
            draw_ruler(canvas, self.paper.height)
        with _page(pdf, self.paper) as canvas:
            if self.tiling:
                instructions.draw_assembly_plan(canvas, self.paper, self.game, self.tiling)

    def _draw_sheet(self, pdf: PdfCanvas, sheet: Sheet, name: str) -> None:
        with _page(pdf, self.paper) as canvas:
            for place in sheet:
                with canvas.at(place.x, place.y):
                    place.printable.front(canvas)
            self._draw_margins(canvas, sheet, f"{name}, fronts")
        mirrored = tuple(place.mirrored(self.paper) for place in sheet)
        with _page(pdf, self.paper) as canvas:
            for place in mirrored:
                with canvas.at(place.x, place.y):
                    place.printable.back(canvas)
            self._draw_margins(canvas, mirrored, f"{name}, backs")

    def _draw_margins(self, canvas: Canvas, sheet: Sheet, name: str) -> None:
        draw_cut_marks(canvas, sheet)
        draw_ruler(canvas, self.paper.height)
        how = "print at 100 %, both sides, flip on the long edge"
        text = f"{self.game.title} · {name} · {self.paper.name} · {how}"
        draw_caption(canvas, self.paper.width - 5.6, self.paper.height / 2, 90, text)

    def _draw_tile(self, pdf: PdfCanvas, tiling: Tiling, tile: Tile) -> None:
        mat, paper = self.game.physical.components.mat, tiling.paper
        height = mat.size[1] if mat else 0.0
        left, bottom = (paper.width - tile.width) / 2, (paper.height - tile.height) / 2
        with _page(pdf, paper) as canvas:
            shift = (left - tile.x, bottom - (height - tile.y - tile.height))
            with canvas.clip_box(left, bottom, tile.width, tile.height), canvas.at(*shift):
                draw_mat(self.game, canvas)
            draw_crop_marks(canvas, tiling, tile, left, bottom)
            draw_ruler(canvas, paper.height)
            text = f"{self.game.title} · mat {tile.name} · {paper.name} · print at 100 %"
            draw_caption(canvas, paper.width / 2, MARGIN_MM / 2 - 1, 0, text)
        with _page(pdf, paper) as canvas:
            text = f"{self.game.title} · back of mat {tile.name} · stays blank"
            draw_caption(canvas, paper.width / 2, MARGIN_MM / 2 - 1, 0, text)


@contextmanager
def _page(pdf: PdfCanvas, paper: Paper) -> Iterator[Canvas]:
    pdf.setPageSize((paper.width * mm, paper.height * mm))
    yield Canvas(pdf)
    pdf.showPage()
