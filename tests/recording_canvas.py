"""Records the words and codes that a print drawing contains, and checks that they are inside the component's face and
don't overlap."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from itertools import combinations

from reportlab.lib.colors import Color
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import CAP_HEIGHT, INK, SEMIBOLD, Align, Canvas, Drawing, text_width, with_quiet_zone

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, mm."""


@dataclass
class Drawn:
    """The words and codes in a drawing, with their boxes in mm."""

    texts: list[tuple[str, Box]] = field(default_factory=list)
    codes: list[tuple[str, Box]] = field(default_factory=list)


class RecordingCanvas(Canvas):
    """A canvas that records the boxes of words and of codes with their quiet zones."""

    def __init__(self, pdf: PdfCanvas) -> None:
        super().__init__(pdf)
        self._page = pdf
        self.drawn = Drawn()

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        font: str = SEMIBOLD,
        color: Color = INK,
        align: Align = "left",
        track: float = 0,
    ) -> None:
        width = text_width(words, size, font, track)
        left = x - {"left": 0.0, "center": width / 2, "right": width}[align]
        below = 0.2 * size if set(words) & set("gjpqy,") else 0.0
        self.drawn.texts.append((words, self._box(left, y - below, left + width, y + CAP_HEIGHT * size)))

    def code(self, id: str, x: float, y: float, code_mm: float) -> None:
        half = with_quiet_zone(code_mm) / 2
        self.drawn.codes.append((id, self._box(x - half, y - half, x + half, y + half)))

    def stamp(self, name: str, size: tuple[float, float], draw: Drawing) -> None:
        draw(self)

    def _box(self, left: float, bottom: float, right: float, top: float) -> Box:
        points = [self._page.absolutePosition(x, y) for x in (left, right) for y in (bottom, top)]
        across, up = zip(*points, strict=True)
        return min(across) / mm, min(up) / mm, max(across) / mm, max(up) / mm


def drawn(draw: Drawing) -> Drawn:
    spy = RecordingCanvas(PdfCanvas(BytesIO()))
    draw(spy)
    return spy.drawn


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def within(inner: Box, outer: Box) -> bool:
    room = 0.01
    return all(a >= b - room for a, b in zip(inner[:2], outer[:2], strict=True)) and all(
        a <= b + room for a, b in zip(inner[2:], outer[2:], strict=True)
    )


def assert_tidy(found: Drawn, face: Box) -> None:
    """Checks that all words and codes are inside `face` and that none overlaps another."""
    everything = [*found.texts, *found.codes]
    for words, box in everything:
        assert within(box, face), (words, box)
    for (words, box), (others, other) in combinations(everything, 2):
        assert apart(box, other), (words, others)
