"""The printed components of a game: the size of each, and the place of the code on each of its sides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import Canvas
from companion.games.game import Game
from companion.printing.printable_components import printables


@dataclass(frozen=True)
class PrintedCode:
    """A code on one side of a component: its id, its center relative to the component's center (mm, x to the right, y
    down), and the length of its side (mm)."""

    id: str
    dx: float
    dy: float
    side: float


@dataclass(frozen=True)
class PrintedComponent:
    """A component to cut out. `id` is the code on its front; `back` and `front` are None for a side without a code."""

    id: str
    width: float
    height: float
    front: PrintedCode | None
    back: PrintedCode | None

    @cached_property
    def diagonal(self) -> float:
        """The diameter of the circle around the component, mm."""
        return math.hypot(self.width, self.height)


class _CodeRecorder(Canvas):
    """A canvas that remembers the codes that are drawn on it."""

    def __init__(self) -> None:
        super().__init__(PdfCanvas(BytesIO()))
        self.codes: list[tuple[str, float, float, float]] = []

    def code(self, id: str, x: float, y: float, code_mm: float) -> None:
        self.codes.append((id, x, y, code_mm))


def printed_components(game: Game[Any]) -> Mapping[str, PrintedComponent]:
    """Every component of a game that has a code, by the code on its front. Drawing them takes a second."""
    found: dict[str, PrintedComponent] = {}
    for printable in printables(game):
        sides = []
        for draw in (printable.front, printable.back):
            recorder = _CodeRecorder()
            draw(recorder)
            sides.append(_printed_code(recorder, printable.size))
        if sides[0] is not None:
            found[sides[0].id] = PrintedComponent(sides[0].id, *printable.size, sides[0], sides[1])
    return found


def _printed_code(recorder: _CodeRecorder, size: tuple[float, float]) -> PrintedCode | None:
    if not recorder.codes:
        return None
    ((id, x, y, side),) = recorder.codes
    return PrintedCode(id, x - size[0] / 2, size[1] / 2 - y, side)
