"""The mat of Commute: a board drawn to size, with a place around each space, and the piles at its sides.

Law: pure data, millimetres. 16:9, so that it fills a picture; 730 x 411 mm, so that eight sheets of A4 or Letter make
it.

A camera of 1920 pixels that sees the mat and a hand's breadth gives a millimetre 2.5 pixels: 3.0 a module to the cards'
codes of 25 mm, 2.6 to the pieces' of 22 mm. A larger mat would not do better: spaces and pieces would grow as the
pixels do.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from companion.games.commute.board import APART, Board, Space
from companion.tabletop.mat import Corner, Mat, Point, Zone, rectangle

SIZE: Final = (730.0, 411.0)
CODE_MM: Final = 25.0
INSET: Final = 22.0
"""From the mat's edges to the middle of a corner code, mm: the code, its quiet zone and a little paper."""

STREETS: Final = (104.0, 20.0, 522.0, 371.0)
"""Left, top, width and height of the part in which the middles of the spaces lie, mm."""
STAND: Final = APART / 2
"""From a space's middle to where its own ground ends, mm: room for a piece."""
REACH: Final = 22.0
"""So far from a space's middle a piece still stands on it, if no other space is nearer, mm."""
SQUARE: Final = 54.0
"""The same of the workplace, where all may stand at once."""
SIDES: Final = 24
"""Corners of the outline around a space, before its neighbours take their share."""

SLOT: Final = (70.0, 96.0)
"""A place for a pile of cards, mm."""
SLOTS: Final = ((8.0, 652.0), (53.0, 157.0, 261.0))
"""The left edges of the two columns of piles, and the top edges of their rows, mm."""

DECK, DISCARD, SHOW, UH_OH_DECK, UH_OH = "deck", "discard", "show", "uh-oh-deck", "uh-oh"


@lru_cache(maxsize=8)
def mat_of(board: Board) -> Mat:
    """The mat of a board."""
    spaces = (Zone(space.id, title(board, space.id), _around(board, space), "any") for space in board.spaces.values())
    return Mat(SIZE, _corners(), (*_piles(), *spaces))


def title(board: Board, space: str) -> str:
    """A space as people call it: "space s12", "house A"."""
    if space == board.work:
        return "the workplace"
    return f"house {letter(board, space)}" if space in board.houses else f"space {space}"


def letter(board: Board, house: str) -> str:
    """A house's letter."""
    return chr(ord("A") + board.houses.index(house))


# Where spaces lie -------------------------------------------------------------------------------------


def scale(board: Board) -> float:
    """Millimetres on the mat for a unit of the board's drawing."""
    _, (width, height) = _extent(board)
    return min(STREETS[2] / max(width, APART), STREETS[3] / max(height, APART))


def middle(board: Board, space: str) -> Point:
    """The middle of a space on the mat; the board lies in the middle of the streets' part."""
    (x, y), by = board.spaces[space].xy, scale(board)
    (left, top), (width, height) = _extent(board)
    return (
        STREETS[0] + STREETS[2] / 2 + (x - left - width / 2) * by,
        STREETS[1] + STREETS[3] / 2 + (y - top - height / 2) * by,
    )


def _extent(board: Board) -> tuple[Point, Point]:
    """The least corner and the size of what the spaces take up in the drawing, the workplace's square included."""
    (x, y), room = board.spaces[board.work].xy, SQUARE - STAND
    square = ((x - room, y - room), (x + room, y + room))
    across, down = zip(*square, *(space.xy for space in board.spaces.values()), strict=True)
    return (min(across), min(down)), (max(across) - min(across), max(down) - min(down))


def _around(board: Board, space: Space) -> tuple[Point, ...]:
    """A space's outline: what is nearer to it than to any other, and not too far; the workplace takes all but the
    others' own ground."""
    x, y = middle(board, space.id)
    reach = SQUARE if space.id == board.work else REACH
    turns = (2 * math.pi * (side + 0.5) / SIDES for side in range(SIDES))
    outline = [(x + reach * math.cos(turn), y + reach * math.sin(turn)) for turn in turns]
    for other in board.spaces:
        there = middle(board, other)
        if other != space.id and (apart := math.dist((x, y), there)) < reach + REACH + STAND:
            outline = _nearer(outline, (x, y), there, _share(board, space.id, other, apart))
    return tuple((round(a, 1), round(b, 1)) for a, b in outline)


def _share(board: Board, space: str, other: str, apart: float) -> float:
    """How far a space's ground goes towards another's middle."""
    if space == board.work:
        return max(apart / 2, apart - STAND)
    return min(apart / 2, STAND) if other == board.work else apart / 2


def _nearer(outline: list[Point], here: Point, there: Point, share: float) -> list[Point]:
    """The part of a convex outline that lies no further than `share` in the direction from here to there."""
    apart = math.dist(here, there)
    towards = ((there[0] - here[0]) / apart, (there[1] - here[1]) / apart)
    beyond = [(x - here[0]) * towards[0] + (y - here[1]) * towards[1] - share for x, y in outline]
    kept: list[Point] = []
    for number, (one, past) in enumerate(zip(outline, beyond, strict=True)):
        before, was = outline[number - 1], beyond[number - 1]
        if (past > 0) != (was > 0):
            part = was / (was - past)
            kept.append((before[0] + part * (one[0] - before[0]), before[1] + part * (one[1] - before[1])))
        if past <= 0:
            kept.append(one)
    return kept


# Piles and corners ------------------------------------------------------------------------------------


def _piles() -> tuple[Zone, ...]:
    return (
        _pile(DECK, "Deck", 0, 0),
        _pile(DISCARD, "Discards", 0, 1),
        _pile(SHOW, "Show the camera", 0, 2, secret=True),
        _pile(UH_OH_DECK, "“Uh-Oh!” deck", 1, 0),
        _pile(UH_OH, "“Uh-Oh!” cards", 1, 1),
    )


def _pile(name: str, title: str, column: int, row: int, *, secret: bool = False) -> Zone:
    return Zone(name, title, rectangle(SLOTS[0][column], SLOTS[1][row], *SLOT), "pile", secret)


def _corners() -> tuple[Corner, Corner, Corner, Corner]:
    right, bottom = SIZE[0] - INSET, SIZE[1] - INSET
    return (
        Corner("MAT-CM-1", (INSET, INSET), CODE_MM),
        Corner("MAT-CM-2", (right, INSET), CODE_MM),
        Corner("MAT-CM-3", (right, bottom), CODE_MM),
        Corner("MAT-CM-4", (INSET, bottom), CODE_MM),
    )
