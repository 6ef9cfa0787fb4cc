"""Moves the labels of stops on a phone's map apart, so that none covers another.

Law: pure. Lengths are in the unit in which marks and labels are drawn, as in `pawn_places`. The places are found for
the low map of a short phone. Labels that are apart on a low map are apart on a higher one, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from companion.games.commute.board import Board
from companion.games.commute.page.pawn_places import PHONE_SCALE, Point

Frame = tuple[int, int, int, int]
"""The left edge, the top edge, the width and the height of the map, in units of the board file."""
LABEL_SIZE: Final = (38.0, 26.0)
"""The width and height of a label with two digits."""
REACH: Final = 1.6
"""Labels of spaces that are at least this many label sizes apart never meet."""
LOWEST_ASPECT: Final = 1.3
"""The width of the map divided by its height on a short phone."""
OCCUPIED_DROP: Final = 11.0
"""How far below its space the label of an occupied space is, so that it covers less of the piece there."""
SPARE: Final = 0.3
"""The gap between two labels that were pushed apart. With a gap, fewer pushes are needed."""
MAX_ROUNDS: Final = 80
"""The maximum number of times that all labels are compared. Fewer than half of them are needed."""


@dataclass(frozen=True)
class StopPlace:
    """How far a label is to the right of its space, and how far below it."""

    right: float
    down: float

    def __str__(self) -> str:
        """The place as CSS custom properties."""
        return f"--right:{self.right:.1f};--down:{self.down:.1f}"


@lru_cache(maxsize=256)
def stop_places(
    board: Board, frame: Frame, stops: tuple[str, ...], occupied: frozenset[str]
) -> Mapping[str, StopPlace]:
    """The place of each stop's label. `occupied`: the spaces where a piece stands."""
    centers = _centers(board, frame)
    labels = {id: [centers[id][0], centers[id][1] + OCCUPIED_DROP * (id in occupied)] for id in stops}
    pairs = [(labels[one], labels[other]) for one, other in _neighbors(board, frame) if {one, other} <= labels.keys()]
    for _round in range(MAX_ROUNDS):
        if not sum(_push_apart(one, other) for one, other in pairs):
            break
    return {id: StopPlace(x - centers[id][0], y - centers[id][1]) for id, (x, y) in labels.items()}


@lru_cache(maxsize=8)
def _centers(board: Board, frame: Frame) -> Mapping[str, Point]:
    """The center of each space on the map of a short phone."""
    left, top, width, height = frame
    down = width / height / LOWEST_ASPECT
    return {
        id: ((space.xy[0] - left) / PHONE_SCALE, (space.xy[1] - top) * down / PHONE_SCALE)
        for id, space in board.spaces.items()
    }


@lru_cache(maxsize=8)
def _neighbors(board: Board, frame: Frame) -> tuple[tuple[str, str], ...]:
    """The pairs of spaces whose labels may meet."""
    centers = _centers(board, frame)
    return tuple(
        (one, other)
        for one, other in combinations(centers, 2)
        if all(abs(centers[one][axis] - centers[other][axis]) < REACH * LABEL_SIZE[axis] for axis in (0, 1))
    )


def _push_apart(one: list[float], other: list[float]) -> bool:
    """Moves two labels apart if they overlap, both by the same distance, sideways or vertically, whichever is shorter.
    Returns whether they overlapped."""
    across, down = LABEL_SIZE[0] - abs(one[0] - other[0]), LABEL_SIZE[1] - abs(one[1] - other[1])
    if across <= 0 or down <= 0:
        return False
    overlap, axis = min((across, 0), (down, 1))
    first, last = (one, other) if one[axis] <= other[axis] else (other, one)
    first[axis] -= (overlap + SPARE) / 2
    last[axis] += (overlap + SPARE) / 2
    return True
