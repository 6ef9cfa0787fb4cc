"""Where a piece can walk.

Law: pure. "Players may move their piece in any direction by the number of spaces shown on the card, but cannot double
back on the path they are on." Pieces don't block the way, so walks depend on the board, the goal and the closed lines
alone, and are worked out once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from companion.games.commute.board import Board
from companion.games.commute.deck import HIGHEST

Walks = tuple[tuple[str, ...], ...]
"""Where walks of 1 step, 2 steps, … HIGHEST steps end, each in the board's order."""


@lru_cache(maxsize=8192)
def walks(board: Board, goal: str, closed: frozenset[str], start: str) -> Walks:
    """Where walks from a space end, without turning back along the edge just used.

    "Players may play a card with a higher number than the number of spaces they have left": entering the goal ends a
    walk. Where no walk is long enough and none enters the goal, the longest ones count; where there is none at all, the
    start.
    """
    ways = _ways(board, goal, closed)
    ends: set[tuple[str, str]] = {(start, "")}
    home, found = False, list[tuple[str, ...]]()
    longest: tuple[str, ...] = (start,)
    for _ in range(HIGHEST):
        ends = {(there, here) for here, before in ends if here != goal for there in ways[here] if there != before}
        spaces = {space for space, _ in ends}
        home = home or goal in spaces
        if spaces or home:
            longest = tuple(space for space in board.spaces if space in spaces or (home and space == goal))
        found.append(longest)
    return tuple(found)


def stuck(board: Board, goal: str, closed: frozenset[str], start: str) -> bool:
    """Whether a piece can't move at all."""
    return not _ways(board, goal, closed)[start]


@lru_cache(maxsize=256)
def _ways(board: Board, goal: str, closed: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """The spaces that may be entered from each: no house and no workplace but the goal, no closed metro."""
    barred = board.ends - {goal}
    return {
        here: tuple(
            there for there in beside if there not in barred and not (closed and board.metro(here, there) in closed)
        )
        for here, beside in board.neighbours.items()
    }
