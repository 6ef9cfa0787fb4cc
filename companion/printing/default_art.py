"""Plain prints for a game that has no art of its own: name, title and code; zones as named frames."""

from __future__ import annotations

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, TINT, Canvas, fit, with_quiet
from companion.tabletop.components import Component
from companion.tabletop.mat import Mat

CARD = (63.0, 88.0)
MARGIN = 3.0
HEAD = 24.0
"""Height of the part above the code, mm."""


class PlainArt:
    """Cards of poker size with a large code; implements the `Art` protocol."""

    def __init__(self, title: str, mat: Mat | None) -> None:
        self._title = title
        self._mat = mat

    def extras(self) -> tuple[Component, ...]:
        return ()

    def size(self, thing: Component) -> tuple[float, float]:
        return CARD

    def largest_code(self, thing: Component) -> float:
        return (CARD[0] - 2 * MARGIN) / with_quiet(1.0)

    def face(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        _coded(canvas, thing.id, thing.name, thing.title, code_mm)

    def back(self, canvas: Canvas, thing: Component, code_mm: float) -> None:
        if thing.reverse:
            _coded(canvas, thing.reverse, thing.name, f"{thing.title}, turned over", code_mm)
            return
        width, height = CARD
        canvas.box(MARGIN, MARGIN, width - 2 * MARGIN, height - 2 * MARGIN, fill=TINT, radius=3)
        canvas.box(2 * MARGIN, 2 * MARGIN, width - 4 * MARGIN, height - 4 * MARGIN, stroke=INK, line=0.5, radius=2)
        size = fit(self._title, 7, width - 6 * MARGIN)
        canvas.text(width / 2, height / 2 - size / 3, self._title, size, font=BOLD, align="center")

    def mat(self, canvas: Canvas) -> None:
        if self._mat is None:
            return
        width, height = self._mat.size
        canvas.box(0, 0, width, height, stroke=FAINT)
        for zone in self._mat.zones:
            points = [(x, height - y) for x, y in zone.polygon]
            left, top = min(x for x, _ in points), max(y for _, y in points)
            canvas.shape(points, fill=TINT, stroke=FAINT, line=0.4)
            canvas.text(left, top + 2, zone.title, 5, color=MUTED)


def _coded(canvas: Canvas, code: str, name: str, title: str, code_mm: float) -> None:
    """A side with a code."""
    width, height = CARD
    inner = width - 4 * MARGIN
    canvas.box(MARGIN, MARGIN, width - 2 * MARGIN, height - 2 * MARGIN, stroke=FAINT, line=0.4, radius=3)
    canvas.text(2 * MARGIN, height - 14, name, fit(name, 9, inner), font=BOLD)
    canvas.text(2 * MARGIN, height - 20, title, fit(title, 4.2, inner), color=MUTED)
    canvas.code(code, width / 2, (height - HEAD) / 2 + 1, code_mm)
