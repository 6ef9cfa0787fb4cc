"""What the games on the shelf have for the camera to recognize: codes, other sides and mats.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from companion.games import GAMES
from companion.tabletop.mat import Mat


def component_codes(games: Iterable[str] = GAMES) -> frozenset[str]:
    """The codes of the games' components."""
    return frozenset(code for game in games for code in GAMES[game].physical.components.kinds)


def other_sides(games: Iterable[str] = GAMES) -> dict[str, str]:
    """The code on the other side, for components that have two."""
    return {code: other for game in games for code, other in GAMES[game].physical.components.other_side.items()}


def mats_by_game(games: Iterable[str] = GAMES) -> dict[str, Mat]:
    """The mat of each game that has one."""
    return {game: mat for game in games if (mat := GAMES[game].physical.components.mat) is not None}


def known_codes() -> frozenset[str]:
    """Every code that is printed, including those at the corners of the mats."""
    return component_codes() | {corner.id for mat in mats_by_game().values() for corner in mat.corners}
