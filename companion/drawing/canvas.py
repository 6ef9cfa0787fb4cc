"""Drawing in millimeters: a thin layer over reportlab's canvas, which also draws codes. Defines the fonts and colors of
all prints.

Coordinates are millimeters from the bottom left of what is being drawn, y up. Line widths and font sizes (an em) are
millimeters too. Angles are degrees counterclockwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal
from unicodedata import combining, normalize

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas as PdfCanvas
from reportlab.pdfgen.pathobject import PDFPathObject

from companion import component_qr_codes

BARE_LETTERS = str.maketrans("ĐđĦħıŁłŦŧ", "DdHhiLlTt")
"""Letters with strokes, and the plain letters that they resemble. Unicode does not decompose them, as it does accented
letters."""
Align = Literal["left", "center", "right"]
Point = tuple[float, float]
"""Millimeters to the right of the origin and above it."""

MEDIUM = "BarlowCondensed-Medium"
SEMIBOLD = "BarlowCondensed-SemiBold"
BOLD = "BarlowCondensed-Bold"
CAP_HEIGHT = 0.7
"""The height of a capital letter, in ems."""

INK = HexColor("#14203a")
PAPER = HexColor("#ffffff")
BLACK = HexColor("#000000")
MUTED = HexColor("#66718a")
FAINT = HexColor("#c3cbd9")
TINT = HexColor("#eef2f7")

QUIET_ZONE_MODULES = 4
"""The width of the white margin around a code; the QR standard asks for four modules."""


def with_quiet_zone(code_mm: float) -> float:
    """The side length of a code with its quiet zone, in mm. `code_mm`: the side length without that zone."""
    return code_mm * (component_qr_codes.MODULES + 2 * QUIET_ZONE_MODULES) / component_qr_codes.MODULES


@cache
def load_fonts() -> None:
    """Registers the fonts with reportlab, which embeds them in its files. Printers then need no fonts of their own."""
    for name in (MEDIUM, SEMIBOLD, BOLD):
        pdfmetrics.registerFont(TTFont(name, Path(__file__).with_name("fonts") / f"{name}.ttf"))


PathStep = tuple[Point] | tuple[Point, Point, Point]
"""One segment of a path: the end of a line, or the two control points and the end of a cubic curve."""


@dataclass(frozen=True)
class Subpath:
    """Connected lines and curves that begin at `start`. If `closed`, a line leads from the last end back to the
    start."""

    start: Point
    steps: tuple[PathStep, ...]
    closed: bool


class Canvas:
    """A page to draw on. Every method draws relative to the current origin."""

    def __init__(self, pdf: PdfCanvas) -> None:
        """Takes a reportlab canvas at the start of a page, and changes its unit from points to millimeters."""
        load_fonts()
        self._pdf = pdf
        pdf.scale(mm, mm)

    @contextmanager
    def at(self, x: float, y: float, angle: float = 0, scale: float = 1) -> Iterator[None]:
        """Moves the origin to a point, then rotates and scales, for everything that the `with` block draws."""
        self._pdf.saveState()
        self._pdf.translate(x, y)
        self._pdf.rotate(angle)
        self._pdf.scale(scale, scale)
        yield
        self._pdf.restoreState()

    def stamp(self, name: str, size: tuple[float, float], draw: Drawing) -> None:
        """Draws a picture that occurs several times in a file. The file stores it once, under `name`, which must not
        contain spaces."""
        if not self._pdf.hasForm(name):
            self._pdf.beginForm(name, 0, 0, *size)
            draw(self)
            self._pdf.endForm()
        self._pdf.doForm(name)

    @contextmanager
    def clip_box(self, x: float, y: float, width: float, height: float, radius: float = 0) -> Iterator[None]:
        """Cuts off everything that the `with` block draws outside a rectangle."""
        self._pdf.saveState()
        path = self._pdf.beginPath()
        path.roundRect(x, y, width, height, radius)
        self._pdf.clipPath(path, stroke=0, fill=0)
        yield
        self._pdf.restoreState()

    @contextmanager
    def full_ink(self) -> Iterator[None]:
        """During the block, all colors are drawn in full, even on a canvas that saves ink. Use this for everything
        whose color matters to the camera, or helps people to tell components apart."""
        yield

    @contextmanager
    def clip_polygon(self, points: Iterable[Point]) -> Iterator[None]:
        """Cuts off everything that the `with` block draws outside a polygon."""
        self._pdf.saveState()
        self._pdf.clipPath(self._outline(points, closed=True), stroke=0, fill=0)
        yield
        self._pdf.restoreState()

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: Color | None = None,
        stroke: Color | None = None,
        line: float = 0.25,
        radius: float = 0,
        dash: Sequence[float] = (),
    ) -> None:
        """Draws a rectangle, with rounded corners if there is a radius. `x` and `y` are its bottom left corner."""
        fill, stroke = self._paint(fill, stroke)
        self._set_style(fill, stroke, line, dash)
        self._pdf.roundRect(x, y, width, height, radius, stroke=stroke is not None, fill=fill is not None)

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        fill: Color | None = None,
        stroke: Color | None = None,
        line: float = 0.25,
        dash: Sequence[float] = (),
    ) -> None:
        """Draws a circle with its center at `x`, `y`."""
        fill, stroke = self._paint(fill, stroke)
        self._set_style(fill, stroke, line, dash)
        self._pdf.circle(x, y, radius, stroke=stroke is not None, fill=fill is not None)

    def shape(
        self,
        points: Iterable[Point],
        *,
        fill: Color | None = None,
        stroke: Color | None = None,
        line: float = 0.25,
        dash: Sequence[float] = (),
        closed: bool = True,
    ) -> None:
        """Draws a polygon or, if not `closed`, lines from point to point."""
        path = self._outline(points, closed=closed)
        fill, stroke = self._paint(fill, stroke)
        self._set_style(fill, stroke, line, dash)
        self._pdf.drawPath(path, stroke=stroke is not None, fill=fill is not None)

    def path(
        self,
        subpaths: Iterable[Subpath],
        *,
        fill: Color | None = None,
        stroke: Color | None = None,
        line: float = 0.25,
    ) -> None:
        """Draws lines and curves. A closed subpath inside another one is a hole (even-odd rule)."""
        path = self._pdf.beginPath()
        for subpath in subpaths:
            path.moveTo(*subpath.start)
            for *handles, end in subpath.steps:
                if handles:
                    path.curveTo(*handles[0], *handles[1], *end)
                else:
                    path.lineTo(*end)
            if subpath.closed:
                path.close()
        fill, stroke = self._paint(fill, stroke)
        self._set_style(fill, stroke, line, ())
        self._pdf.drawPath(path, stroke=stroke is not None, fill=fill is not None)

    def line(
        self, start: Point, end: Point, *, color: Color = INK, line: float = 0.25, dash: Sequence[float] = ()
    ) -> None:
        """Draws a straight line."""
        self._set_style(None, self._line_color(color, line), line, dash)
        self._pdf.line(*start, *end)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        font: str = SEMIBOLD,
        color: Color = INK,
        align: Align = "left",
        track: float = 0,
    ) -> None:
        """Draws one line of text with its baseline at `y`. `align` says whether the left end, the middle or the right
        end of the line is at `x`. `track` is the additional space after each letter, in mm."""
        width = text_width(text, size, font, track)
        shift = {"left": 0.0, "center": width / 2, "right": width}[align]
        self._pdf.setFillColor(self._text_color(color))
        self._pdf.setFont(font, size)
        self._pdf.drawString(x - shift, y, text, charSpace=track)

    def paragraph(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        width: float,
        *,
        font: str = MEDIUM,
        color: Color = INK,
        align: Align = "left",
        leading: float = 1.22,
    ) -> float:
        """Draws text wrapped to a width, with the first baseline at `y`. `leading` is the distance between baselines,
        in ems. Returns the y of the baseline that a further line would have."""
        for row in wrapped_lines(text, size, width, font):
            self.text(x, y, row, size, font=font, color=color, align=align)
            y -= size * leading
        return y

    def code(self, id: str, x: float, y: float, code_mm: float) -> None:
        """Draws the code of the component `id`, centered at a point, in black on its white quiet zone. `code_mm` is the
        side length of the code without that zone."""
        side, module = with_quiet_zone(code_mm), code_mm / component_qr_codes.MODULES
        self.box(x - side / 2, y - side / 2, side, side, fill=PAPER)
        path = self._pdf.beginPath()
        for down, row in enumerate(component_qr_codes.matrix(id)):
            for across, length in _runs(row):
                left, top = x - code_mm / 2 + across * module, y + code_mm / 2 - down * module
                path.rect(left, top - module, length * module, module)
        self._set_style(BLACK, None, 0, ())
        self._pdf.drawPath(path, stroke=0, fill=1)

    def _paint(self, fill: Color | None, stroke: Color | None) -> tuple[Color | None, Color | None]:
        """The colors that a shape is really drawn in; a subclass may use others."""
        return fill, stroke

    def _line_color(self, color: Color, line: float) -> Color:
        """The color that a line of this width is really drawn in; a subclass may use another."""
        return color

    def _text_color(self, color: Color) -> Color:
        """The color that a text is really written in; a subclass may use another."""
        return color

    def _outline(self, points: Iterable[Point], *, closed: bool) -> PDFPathObject:
        path = self._pdf.beginPath()
        for index, (x, y) in enumerate(points):
            (path.lineTo if index else path.moveTo)(x, y)
        if closed:
            path.close()
        return path

    def _set_style(self, fill: Color | None, stroke: Color | None, line: float, dash: Sequence[float]) -> None:
        """Sets everything that the next shape needs. Nothing is restored afterwards, because every shape sets what it
        needs."""
        if fill is not None:
            self._pdf.setFillColor(fill)
        if stroke is not None:
            self._pdf.setStrokeColor(stroke)
            self._pdf.setLineWidth(line)
            self._pdf.setLineJoin(1)
            self._pdf.setLineCap(0 if dash else 1)
            self._pdf.setDash(list(dash))


Drawing = Callable[[Canvas], None]
"""A function that draws a picture, with its bottom left corner at the origin."""


def _runs(row: str) -> Iterator[tuple[int, int]]:
    """Yields the start and the length of each run of dark modules in a row of a code."""
    start: int | None = None
    for index, module in enumerate(row + "0"):
        if module == "1" and start is None:
            start = index
        elif module == "0" and start is not None:
            yield start, index - start
            start = None


def text_width(text: str, size: float, font: str = SEMIBOLD, track: float = 0) -> float:
    """The width in mm of a line of text, including the additional space `track` after each letter."""
    load_fonts()
    return pdfmetrics.stringWidth(text, font, size) + track * max(len(text) - 1, 0)


def drawable(text: str, font: str = MEDIUM) -> str:
    """The text with only those letters that the font has. If the font lacks an accented letter, the plain letter takes
    its place; all other letters that the font lacks are left out."""
    load_fonts()
    known = pdfmetrics.getFont(font).face.charToGlyph  # type: ignore[attr-defined]  # a TTFont
    plain = (each if ord(each) in known else normalize("NFKD", each.translate(BARE_LETTERS)) for each in text)
    return "".join(letter for letter in "".join(plain) if ord(letter) in known and not combining(letter))


def wrapped_lines(text: str, size: float, width: float, font: str = MEDIUM) -> list[str]:
    """The lines of a text that is wrapped to `width`. A line may be wider only if it consists of a single word."""
    rows: list[str] = []
    for word in text.split():
        if rows and text_width(f"{rows[-1]} {word}", size, font) <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows


def fitting_size(text: str, size: float, width: float, font: str = BOLD) -> float:
    """The largest font size, at most `size`, at which the text is no wider than `width`."""
    return min(size, size * width / max(text_width(text, size, font), 1e-9))
