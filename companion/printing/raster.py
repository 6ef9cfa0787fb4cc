"""Renders prints as pictures: the same drawings as on the sheets, each component on a page of its own size.

PDFium is not thread-safe: call these functions from one thread at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import Canvas, Drawing
from companion.games.game import Game
from companion.printing.options import PrintOptions
from companion.printing.printable_components import Size, draw_mat, printables

PixelArray = NDArray[np.uint8]
"""An image: rows of pixels with the channels blue, green, red, as in OpenCV."""


def rendered_pages(pdf: str | Path | bytes, px_per_mm: float) -> Iterator[PixelArray]:
    """Yields each page of a PDF as a picture, with `px_per_mm` pixels to the millimeter."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        for page in document:
            yield page.render(scale=px_per_mm * 25.4 / 72).to_numpy().copy()
            page.close()
    finally:
        document.close()


def write_textures(game: Game[Any], folder: Path, px_per_mm: float, options: PrintOptions | None = None) -> None:
    """Writes both sides of each component and the mat as PNG files, and an `index.json`.

    The index maps `mat`, `SF-D07/front`, `SF-D07/back` and so on to `{"file", "width_mm", "height_mm"}`.
    """
    drawings = _drawings(game, options)
    folder.mkdir(parents=True, exist_ok=True)
    index: dict[str, dict[str, str | float]] = {}
    rendered = rendered_pages(pdf_of(drawings.values()), px_per_mm)
    for (name, (_, (width, height))), picture in zip(drawings.items(), rendered, strict=True):
        file = name.replace("/", "-") + ".png"
        (folder / file).write_bytes(cv2.imencode(".png", picture)[1].tobytes())
        index[name] = {"file": file, "width_mm": width, "height_mm": height}
    (folder / "index.json").write_text(json.dumps(index, indent=1), encoding="utf-8")


def mat_pdf(game: Game[Any]) -> bytes:
    """The mat as a PDF, without pages if the game has no mat. Mats that look the same give the same bytes."""
    mat = game.physical.components.mat
    return pdf_of([(partial(draw_mat, game), mat.size)] if mat else [])


def _drawings(game: Game[Any], options: PrintOptions | None) -> Mapping[str, tuple[Drawing, Size]]:
    named: dict[str, tuple[Drawing, Size]] = {}
    if game.physical.components.mat is not None:
        named["mat"] = (partial(draw_mat, game), game.physical.components.mat.size)
    for printable in printables(game, options):
        named[f"{printable.component.id}/front"] = (printable.front, printable.size)
        named[f"{printable.component.id}/back"] = (printable.back, printable.size)
    return named


def pdf_of(drawings: Iterable[tuple[Drawing, Size]]) -> bytes:
    """A PDF with each drawing on a page of its own size. The same drawings give the same bytes."""
    buffer = BytesIO()
    pdf = PdfCanvas(buffer, invariant=True)  # leaves out the creation date
    for draw, (width, height) in drawings:
        pdf.setPageSize((width * mm, height * mm))
        draw(Canvas(pdf))
        pdf.showPage()
    pdf.save()
    return buffer.getvalue()
