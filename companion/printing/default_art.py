"""The default art, for games without art of their own: cards with name, title and code; a mat with named zones."""

from __future__ import annotations

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, TINT, Canvas, fitting_size, with_quiet_zone
from companion.tabletop.components import Component
from companion.tabletop.mat import Mat

CARD_SIZE_MM = (63.0, 88.0)
MARGIN_MM = 3.0
HEADING_MM = 24.0
"""The height of the heading above the code."""


class DefaultArt:
    """The art of a game that has no art of its own (see `Art`): draws cards of poker size with a large code."""

    def __init__(self, title: str, mat: Mat | None) -> None:
        self._title = title
        self._mat = mat

    def extras(self) -> tuple[Component, ...]:
        return ()

    def size(self, component: Component) -> tuple[float, float]:
        return CARD_SIZE_MM

    def largest_code(self, component: Component) -> float:
        return (CARD_SIZE_MM[0] - 2 * MARGIN_MM) / with_quiet_zone(1.0)

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        _draw_coded_side(canvas, component.id, component.name, component.title, code_mm)

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        if component.reverse:
            _draw_coded_side(canvas, component.reverse, component.name, f"{component.title}, turned over", code_mm)
            return
        width, height = CARD_SIZE_MM
        canvas.box(MARGIN_MM, MARGIN_MM, width - 2 * MARGIN_MM, height - 2 * MARGIN_MM, fill=TINT, radius=3)
        canvas.box(
            2 * MARGIN_MM, 2 * MARGIN_MM, width - 4 * MARGIN_MM, height - 4 * MARGIN_MM, stroke=INK, line=0.5, radius=2
        )
        size = fitting_size(self._title, 7, width - 6 * MARGIN_MM)
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


def _draw_coded_side(canvas: Canvas, code: str, name: str, title: str, code_mm: float) -> None:
    """Draws the side of a card that has a code, with the name and the title above it."""
    width, height = CARD_SIZE_MM
    inner = width - 4 * MARGIN_MM
    canvas.box(MARGIN_MM, MARGIN_MM, width - 2 * MARGIN_MM, height - 2 * MARGIN_MM, stroke=FAINT, line=0.4, radius=3)
    canvas.text(2 * MARGIN_MM, height - 14, name, fitting_size(name, 9, inner), font=BOLD)
    canvas.text(2 * MARGIN_MM, height - 20, title, fitting_size(title, 4.2, inner), color=MUTED)
    canvas.code(code, width / 2, (height - HEADING_MM) / 2 + 1, code_mm)
