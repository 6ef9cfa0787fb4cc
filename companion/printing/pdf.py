"""Writes the PDF file of a game to print: a cover, the plan of the mat, the sheets with cards and tokens, the mat in
tiles.

The pages to print on both sides come first, in pairs: the front and the back of a sheet. So a duplex printer can print
all of them in one go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import Canvas, Drawing
from companion.games.game import Game
from companion.printing import instructions
from companion.printing.camera_height import max_height_cm
from companion.printing.imposition import PAPERS, Paper, Sheet, sheets
from companion.printing.low_ink import LowInkCanvas
from companion.printing.margin_marks import draw_caption, draw_crop_marks, draw_cut_marks, draw_ruler
from companion.printing.mat_tiles import MARGIN_MM, Tile, Tiling, tiling
from companion.printing.options import Contents, Pages, PrintOptions
from companion.printing.printable_components import Printable, Size, draw_mat, printables


def print_game(game: Game[Any], path: str | Path, options: PrintOptions | None = None) -> Contents:
    """Writes a PDF with all components and the mat of a game, and returns what it consists of. Raises PrintError if the
    game can't be printed with these options, and OSError if the file can't be written."""
    return _job(game, options).write(path)


def contents_of(game: Game[Any], options: PrintOptions | None = None) -> Contents:
    """What the PDF of a game consists of, without writing it. Raises PrintError as `print_game` does."""
    return _job(game, options).contents


def _job(game: Game[Any], options: PrintOptions | None) -> _PrintJob:
    options = options or PrintOptions()
    return _PrintJob(game, options, printables(game, options))


@dataclass
class _PrintJob:
    game: Game[Any]
    options: PrintOptions
    printables: tuple[Printable, ...]

    @cached_property
    def paper(self) -> Paper:
        return PAPERS[self.options.paper]

    @cached_property
    def two_sided(self) -> list[Sheet]:
        """The sheets with the components whose backs are printed too."""
        sides, found = self.options.sides, self.printables
        if sides == "both":
            found = tuple(each for each in found if not self._is_blank(each.back))
        elif sides == "one":
            found = tuple(each for each in found if each.needs_back)
        return sheets(found, self.paper)

    @cached_property
    def one_sided(self) -> list[Sheet]:
        """The sheets with the components whose backs are not printed."""
        shown = {place.printable.component.id for sheet in self.two_sided for place in sheet}
        return sheets([each for each in self.printables if each.component.id not in shown], self.paper)

    @cached_property
    def tiling(self) -> Tiling | None:
        mat = self.game.physical.components.mat
        return tiling(mat.size, self.paper) if mat else None

    @cached_property
    def contents(self) -> Contents:
        """The contents of the file."""
        paired, tiles = self.options.sides == "paired", len(self.tiling.tiles) if self.tiling else 0
        cover = 2 if self._has_second_page else 1
        cards, fronts = 2 * len(self.two_sided), len(self.one_sided)
        first_mat = 1 + cover + cards + fronts
        pages = first_mat - 1 + tiles * (2 if paired else 1)
        both: Pages | None = {"paired": (1, pages), "both": (1, cover + cards), "one": None}[self.options.sides]
        separate = (both[1] if both else 0) + 1
        coded = [each.code_mm for each in self.printables if each.code_mm]
        return Contents(
            pages=pages,
            sheets=(both[1] + 1) // 2 + pages - both[1] if both else pages,
            both_sides=both,
            one_side=(separate, pages) if separate <= pages else None,
            glued=(cover + 1, cover + cards) if self.options.sides == "one" and cards else None,
            mat=(first_mat, pages) if tiles else None,
            sleeved=self.options.sides == "one"
            and any(not each.needs_back and not self._is_blank(each.back) for each in self.printables),
            smallest_code_mm=min(coded, default=0.0),
            card_mm=_usual_size(self.printables),
        )

    @property
    def _has_second_page(self) -> bool:
        """Whether there is a page on the back of the cover: for the plan of the mat, or because the pages come in
        pairs."""
        in_pairs = self.options.sides == "paired" or (self.options.sides == "both" and bool(self.two_sided))
        return in_pairs or self.tiling is not None

    @cached_property
    def _scratch(self) -> PdfCanvas:
        """A file that is never written. It keeps the pictures that several drawings have in common."""
        return PdfCanvas(BytesIO())

    def _is_blank(self, draw: Drawing) -> bool:
        """Whether a drawing leaves its area blank."""
        self._scratch.showPage()
        canvas = Canvas(self._scratch)  # only sets the scale
        empty = self._scratch.getCurrentPageContent()
        draw(canvas)
        return bool(self._scratch.getCurrentPageContent() == empty)

    def write(self, path: str | Path) -> Contents:
        pdf = PdfCanvas(str(path), pageCompression=1, invariant=1)
        pdf.setTitle(f"{self.game.title} to print, {self.paper.name}")
        pdf.setAuthor("Tablekeeper")
        pdf.setViewerPreference("PrintScaling", "None")
        self._draw_cover(pdf)
        count = len(self.two_sided) + len(self.one_sided)
        for number, sheet in enumerate((*self.two_sided, *self.one_sided), 1):
            self._draw_sheet(pdf, sheet, f"sheet {number} of {count}", has_back=number <= len(self.two_sided))
        if self.tiling:
            for tile in self.tiling.tiles:
                self._draw_tile(pdf, self.tiling, tile)
        pdf.save()
        return self.contents

    @contextmanager
    def _page(self, pdf: PdfCanvas, paper: Paper) -> Iterator[Canvas]:
        pdf.setPageSize((paper.width * mm, paper.height * mm))
        yield LowInkCanvas(pdf) if self.options.low_ink else Canvas(pdf)
        pdf.showPage()

    def _draw_cover(self, pdf: PdfCanvas) -> None:
        with self._page(pdf, self.paper) as canvas:
            instructions.draw_instructions(canvas, self.paper, self.game, self.options, self.contents)
            draw_ruler(canvas, self.paper.height)
        if not self._has_second_page:
            return
        with self._page(pdf, self.paper) as canvas:
            if self.tiling:
                instructions.draw_assembly_plan(canvas, self.paper, self.game, self.tiling)

    def _draw_sheet(self, pdf: PdfCanvas, sheet: Sheet, name: str, *, has_back: bool) -> None:
        with self._page(pdf, self.paper) as canvas:
            for place in sheet:
                with canvas.at(place.x, place.y):
                    place.printable.front(canvas)
            self._draw_margins(canvas, sheet, f"{name}, fronts" if has_back else name, has_back=has_back)
        if not has_back:
            return
        mirrored = tuple(place.mirrored(self.paper) for place in sheet)
        with self._page(pdf, self.paper) as canvas:
            for place in mirrored:
                with canvas.at(place.x, place.y):
                    place.printable.back(canvas)
            self._draw_margins(canvas, mirrored, f"{name}, backs", has_back=True)

    def _draw_margins(self, canvas: Canvas, sheet: Sheet, name: str, *, has_back: bool) -> None:
        draw_cut_marks(canvas, sheet)
        draw_ruler(canvas, self.paper.height)
        how = "one side"
        if has_back:
            how = "both sides, flip on the long edge"
            how = "one side, glue back to front" if self.options.sides == "one" else how
        codes = [place.printable.code_mm for place in sheet if place.printable.code_mm]
        height = f" · camera at most {max_height_cm(min(codes))} cm above the table" if codes else ""
        text = f"{self.game.title} · {name} · {self.paper.name} · print at 100%, {how}{height}"
        draw_caption(canvas, self.paper.width - 5.6, self.paper.height / 2, 90, text)

    def _draw_tile(self, pdf: PdfCanvas, tiling: Tiling, tile: Tile) -> None:
        mat, paper = self.game.physical.components.mat, tiling.paper
        height = mat.size[1] if mat else 0.0
        left, bottom = (paper.width - tile.width) / 2, (paper.height - tile.height) / 2
        with self._page(pdf, paper) as canvas:
            shift = (left - tile.x, bottom - (height - tile.y - tile.height))
            with canvas.clip_box(left, bottom, tile.width, tile.height), canvas.at(*shift):
                draw_mat(self.game, canvas)
            draw_crop_marks(canvas, tiling, tile, left, bottom)
            draw_ruler(canvas, paper.height)
            text = f"{self.game.title} · mat {tile.name} · {paper.name} · print at 100%, one side"
            draw_caption(canvas, paper.width / 2, MARGIN_MM / 2 - 1, 0, text)
        if self.options.sides == "paired":
            with self._page(pdf, paper) as canvas:
                text = f"{self.game.title} · back of mat {tile.name} · stays blank"
                draw_caption(canvas, paper.width / 2, MARGIN_MM / 2 - 1, 0, text)


def _usual_size(printables: tuple[Printable, ...]) -> Size:
    """The size that most components with codes have; 0 × 0 if there are none."""
    found = [each.size for each in printables if each.code_mm]
    return max(found, key=found.count, default=(0.0, 0.0))
