"""The codes, two-sided components and mats that the camera has to recognize, and how large codes usually are.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from companion.games import GAMES
from companion.tabletop.mat import Mat


def component_codes(games: Iterable[str] = GAMES) -> frozenset[str]:
    """The codes of all components of these games."""
    return frozenset(code for game in games for code in GAMES[game].physical.components.kinds)


def other_sides(games: Iterable[str] = GAMES) -> dict[str, str]:
    """Maps the code on each side of a two-sided component to the code on the component's other side."""
    return {code: other for game in games for code, other in GAMES[game].physical.components.other_side.items()}


def mats_by_game(games: Iterable[str] = GAMES) -> dict[str, Mat]:
    """The mat of each game that has one."""
    return {game: mat for game in games if (mat := GAMES[game].physical.components.mat) is not None}


def usual_code_sizes(games: Iterable[str] = GAMES) -> dict[str, float]:
    """The side length in mm that each code of these games' components has in the usual print."""
    return {
        code: outline.code_mm for game in games for code, outline in GAMES[game].physical.components.outlines.items()
    }


def code_reaches(games: Iterable[str] = GAMES) -> dict[str, float]:
    """For the code of each of these games' components, the distance from its center to the farthest corner of the
    component in the usual print, in sides of the code."""
    return {
        code: outline.reach / outline.code_mm
        for game in games
        for code, outline in GAMES[game].physical.components.outlines.items()
    }


def known_codes() -> frozenset[str]:
    """Every code that is printed for any game, including the codes at the corners of the mats."""
    return component_codes() | {corner.id for mat in mats_by_game().values() for corner in mat.corners}
