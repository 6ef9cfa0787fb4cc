"""How a game ended.

Law: pure data.
"""

from __future__ import annotations

from typing import NamedTuple


class Ending(NamedTuple):
    """How a game ended. `won`: whether all players won together; None if they played against each other. `winners`: the
    seats that won; empty if all players win or lose together. `rating`: the rating of the players' common score, in
    stars; None in games without a rating."""

    won: bool | None
    winners: tuple[int, ...] = ()
    rating: int | None = None
