"""A canvas that saves ink: it draws dark and colored areas pale, with an outline, and light text dark.

Codes are black in every print, because the camera reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import INK, MUTED, Canvas

AREA_STRENGTH = 0.14
"""How strongly the color of a dark or colored area is drawn, from 0 (white) to 1 (in full)."""
LINE_STRENGTH = 0.4
"""How strongly the color of a thick line is drawn, from 0 to 1. This is more than for areas, because lines get no
outline."""
THICK_MM = 1.0
LIGHT = 0.9
"""Areas and lines with at least this luminance are drawn as they are."""
LIGHT_TEXT, VERY_LIGHT_TEXT = 0.45, 0.8
"""The least luminances of light and of very light text. Both would be hard to read on a pale area, so light text is
drawn in gray, and very light text in black."""


class LowInkCanvas(Canvas):
    """A canvas that saves ink, except inside `full_ink`."""

    def __init__(self, pdf: PdfCanvas) -> None:
        super().__init__(pdf)
        self._saves_ink = True

    @contextmanager
    def full_ink(self) -> Iterator[None]:
        """See `Canvas.full_ink`."""
        before, self._saves_ink = self._saves_ink, False
        yield
        self._saves_ink = before

    def _paint(self, fill: Color | None, stroke: Color | None) -> tuple[Color | None, Color | None]:
        if not self._saves_ink or fill is None or luminance(fill) >= LIGHT:
            return fill, stroke
        return pale(fill, AREA_STRENGTH), stroke if stroke is not None and luminance(stroke) < LIGHT else fill

    def _line_color(self, color: Color, line: float) -> Color:
        is_thin = line < THICK_MM or luminance(color) >= LIGHT
        return color if is_thin or not self._saves_ink else pale(color, LINE_STRENGTH)

    def _text_color(self, color: Color) -> Color:
        if not self._saves_ink or luminance(color) < LIGHT_TEXT:
            return color
        return INK if luminance(color) >= VERY_LIGHT_TEXT else MUTED


def luminance(color: Color) -> float:
    """How light a color is, from 0 for black to 1 for white (the weights of ITU-R BT.709)."""
    return float(0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue)


def pale(color: Color, strength: float) -> Color:
    """A pale tint of a color. `strength`: from 0 (white) to 1 (the color itself)."""
    return Color(*(1 - strength * (1 - part) for part in (color.red, color.green, color.blue)))
