"""How a game of Systems Failing ended: the result as a sentence, the figures that tell how it went, and both pools.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.end_screen import KeyFigure, OpenCard
from companion.games.rules import Move, Names
from companion.games.systems_failing.emblems import RESOURCES
from companion.games.systems_failing.moves import Repair
from companion.games.systems_failing.position import Position
from companion.text.messages import Number, TextLike, _


def ending(position: Position) -> TextLike:
    """The sentence about the result of a finished game."""
    match position.end_cause:
        case "escape":
            return _("All six escape sequences are running. You escape, and you win!")
        case "stability":
            return _("The ship’s systems have failed for good. You’ve lost.")
        case "damage":
            return _("The core explodes. You’ve lost.")
    return ""


def key_figures(steps: Sequence[tuple[Position, Move, Position]], names: Names) -> Iterator[KeyFigure]:
    """Yields three figures: the number of rounds played, the number of disasters repaired, and the number of escape
    sequences repaired."""
    end = steps[-1][2]
    repairs = sum(isinstance(move, Repair) for _b, move, _a in steps)
    escapes = len(end.repaired_escapes)
    yield KeyFigure(_("Rounds"), Number(end.round))
    yield KeyFigure(_("Disasters repaired"), Number(repairs - escapes))
    yield KeyFigure(_("Escape"), _("{n} of {count}", n=escapes, count=len(end.catalog.escapes)))


def open_hands(position: Position) -> tuple[tuple[OpenCard, ...], ...]:
    """The cubes in each pool."""
    return tuple(
        tuple(_open_cube(color) for color, count in pool.items() for _ in range(count)) for pool in position.pools
    )


def _open_cube(color: str) -> OpenCard:
    resource = RESOURCES[color]
    return OpenCard(_(color), emblem=f"resource-{color}", fill=resource.color, ink=resource.ink)
