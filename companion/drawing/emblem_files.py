"""Emblems: small drawings in SVG files in the games' folders, for print and for the web.

An emblem is drawn so that the origin of its file lies at the origin of the canvas. Most emblems are centered on that
origin. Black and unspecified colors are drawn in the ink color, and white in the ground color. Any other color is
printed as it is in the file, unless it is replaced. On paper, line joins and line ends are round.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import svgelements as svg
from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import INK, PAPER, Canvas, PathStep, Point, Subpath

FILE_SIZE = 24
"""The width and height of an emblem in its file, in the file's units. Icon sets commonly use this size."""
BLACK, WHITE = "#000000", "#ffffff"
"""The colors in an SVG file that are drawn in the ink color and in the ground color."""


@dataclass(frozen=True)
class Shape:
    """One shape of an emblem. The y axis points up. `fill` and `stroke` are "#rrggbb"; None means no filling or no
    outline. `line` is the width of the outline."""

    id: str
    subpaths: tuple[Subpath, ...]
    fill: str | None
    stroke: str | None
    line: float


@dataclass(frozen=True)
class Emblem:
    """The shapes of the drawing in an SVG file."""

    path: Path
    shapes: tuple[Shape, ...]

    def draw(
        self,
        canvas: Canvas,
        ink: Color = INK,
        ground: Color = PAPER,
        *,
        colors: Mapping[str, Color] | None = None,
        hidden: Collection[str] = (),
    ) -> None:
        """Draws the emblem with the origin of its file at the origin of the canvas, one millimeter for each unit of the
        file. `colors` maps colors of the file to the colors that replace them. Shapes with an id in `hidden` are left
        out."""
        inks = {BLACK: ink, WHITE: ground, **(colors or {})}
        for shape in self.shapes:
            if shape.id not in hidden:
                fill, stroke = (color and inks.get(color, HexColor(color)) for color in (shape.fill, shape.stroke))
                canvas.path(shape.subpaths, fill=fill or None, stroke=stroke or None, line=shape.line)

    def symbol(self, id: str, fill: str = "") -> str:
        """The emblem as the source of an SVG <symbol> element. Without `fill`, the style sheet of the page decides the
        color."""
        root = ElementTree.parse(self.path).getroot()
        symbol = ElementTree.Element("symbol", {"id": id, **root.attrib, **({"fill": fill} if fill else {})})
        symbol.extend(root)
        for element in symbol.iter():
            element.tag = element.tag.rpartition("}")[2]  # the page's own <svg> declares the namespace
            element.tail = element.text = None
        return re.sub(r"\s*\n\s*", " ", ElementTree.tostring(symbol, "unicode"))


@cache
def load_emblem(path: Path) -> Emblem:
    """The emblem in an SVG file. Each file is read only once."""
    drawing = svg.SVG.parse(path, color=BLACK)
    to_file = ~svg.Matrix(drawing.viewbox_transform)
    shapes = (element * to_file for element in drawing.elements() if isinstance(element, svg.Shape))
    return Emblem(path, tuple(map(_shape, shapes)))


def _shape(element: svg.Shape) -> Shape:
    outline = svg.Path(element).reify()
    outline.approximate_arcs_with_cubics()
    line = outline.stroke_width if element.stroke is not None else 0.0
    return Shape(
        element.id or "",
        tuple(_subpaths(outline)),
        _color_of(element.fill, BLACK),
        _color_of(element.stroke, None),
        line,
    )


def _color_of(color: svg.Color | None, default: str | None) -> str | None:
    """A color of the file as "#rrggbb"; `default` if the file specifies no color, None if the file says "none"."""
    if color is None:
        return default
    return None if color.value is None else str(color.hexrgb)


def _subpaths(outline: svg.Path) -> Iterator[Subpath]:
    for subpath in outline.as_subpaths():
        move, *segments = svg.Path(subpath)
        steps = tuple(_step(segment) for segment in segments if not isinstance(segment, svg.Close))
        yield Subpath(_point(move.end), steps, isinstance(segments[-1], svg.Close))


def _step(segment: svg.PathSegment) -> PathStep:
    match segment:
        case svg.CubicBezier():
            return (_point(segment.control1), _point(segment.control2), _point(segment.end))
        case svg.QuadraticBezier():
            handles = (end + (segment.control - end) * (2 / 3) for end in (segment.start, segment.end))
            first, second = map(_point, handles)
            return (first, second, _point(segment.end))
        case _:
            return (_point(segment.end),)


def _point(point: svg.Point) -> Point:
    return (point.x, -point.y)
