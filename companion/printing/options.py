"""The choices for printing a game, and a description of the printed file.

Law: pure, and nothing here draws, so that web pages can use it without loading the drawing code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Sides = Literal["paired", "both", "one"]
"""How sheets are printed. "paired": every front is followed by its back, blank backs included, so that the whole file
can go through a printer at once. "both": components with a printed back on both sides, everything else on one side.
"one": everything on one side; a back is printed only if people or the camera need it."""
PaperSize = Literal["a4", "letter"]
SMALL_SCALE = 0.7
"""The size of small cards in relation to others. Cards of poker size then fit sleeves for 44 × 68 mm."""
Pages = tuple[int, int]
"""A range of pages of a file: its first and its last page, counted from 1."""


@dataclass(frozen=True)
class PrintOptions:
    """The choices for a print. `code_mm`: the side length of the codes on cards; None for the usual one. `low_ink`:
    whether pale areas with outlines take the place of dark ones. `small`: whether cards are printed smaller if a camera
    above the mat can still read them."""

    paper: PaperSize = "a4"
    code_mm: float | None = None
    sides: Sides = "paired"
    low_ink: bool = False
    small: bool = False


@dataclass(frozen=True)
class Contents:
    """The contents of a printed file: the number of its pages and of the sheets of paper that they take, and how to
    print them.

    `both_sides` are the pages to print on both sides, and `one_side` are those to print on one side. `glued`: pages
    that come in pairs, a front and then its back, which is to be glued behind the front. `mat`: the pages of the
    mat. `sleeved`: whether cards whose fronts must stay hidden are printed without backs, so that they need opaque
    sleeves."""

    pages: int
    sheets: int
    both_sides: Pages | None = None
    one_side: Pages | None = None
    glued: Pages | None = None
    mat: Pages | None = None
    sleeved: bool = False
    smallest_code_mm: float = 0.0
    """The side length of the smallest code on a component; 0 if there are no codes."""
    card_mm: tuple[float, float] = (0.0, 0.0)
    """The width and the height of most cards; zeros if there are none."""
