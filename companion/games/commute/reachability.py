"""The spaces that a piece can reach with each card.

Law: pure. A walk has as many steps as the card's value. It may begin in any direction, but never turns back along the
edge that it has just used. Pieces don't block the way. So walks depend only on the board, the goal, the closed lines
and the start, and are cached.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from companion.games.commute.board import Board
from companion.games.commute.suits_and_ranks import HIGHEST_VALUE

WalkEnds = tuple[tuple[str, ...], ...]
"""The spaces where walks can end, in the board's order: one tuple for walks of 1 step, one for walks of 2 steps, and so
on up to HIGHEST_VALUE steps."""


@lru_cache(maxsize=8192)
def walk_ends(board: Board, goal: str, closed: frozenset[str], start: str) -> WalkEnds:
    """The spaces where a walk from `start` can end, for each number of steps from 1 to HIGHEST_VALUE. A walk never
    turns back along the edge that it has just used.

    A walk ends as soon as it enters the goal, even if steps are left. If every walk gets stuck before its last step,
    the ends of the longest walks are returned. If no step is possible at all, `start` is the only end.
    """
    exits = _exits(board, goal, closed)
    ends: set[tuple[str, str]] = {(start, "")}  # the ends of walks so far, each with the space before it
    reaches_goal, found = False, list[tuple[str, ...]]()
    longest: tuple[str, ...] = (start,)
    for _ in range(HIGHEST_VALUE):
        ends = {(there, here) for here, before in ends if here != goal for there in exits[here] if there != before}
        spaces = {space for space, _ in ends}
        reaches_goal = reaches_goal or goal in spaces
        if spaces or reaches_goal:
            longest = tuple(space for space in board.spaces if space in spaces or (reaches_goal and space == goal))
        found.append(longest)
    return tuple(found)


def is_stuck(board: Board, goal: str, closed: frozenset[str], start: str) -> bool:
    """Whether a piece on the space `start` can't move at all."""
    return not _exits(board, goal, closed)[start]


@lru_cache(maxsize=256)
def _exits(board: Board, goal: str, closed: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Maps each space to the spaces that a piece may enter from there. A piece may not enter a house or the workplace
    unless it is the goal, and may not move along a closed metro line."""
    barred = board.ends - {goal}
    return {
        here: tuple(
            there for there in beside if there not in barred and not (closed and board.metro(here, there) in closed)
        )
        for here, beside in board.neighbors.items()
    }
