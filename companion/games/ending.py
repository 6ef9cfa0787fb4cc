"""How a game ended, read from the JSON of its last position.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self


class Ending(NamedTuple):
    """How a game ended. `won`: whether all players won together; None if they played against each other. `winners`: the
    seats that won; empty if all players win or lose together. `rating`: the rating of the players' common score, in
    stars; None in games without a rating."""

    won: bool | None
    winners: tuple[int, ...]
    rating: int | None = None

    @classmethod
    def from_json(cls, position: Mapping[str, Any]) -> Self:
        """Reads how a game ended from the JSON of its last position."""
        result = position.get("result")
        source = result if isinstance(result, dict) else position
        winner = source.get("winner")
        winners = tuple(source.get("winners", () if winner is None else (winner,)))
        return cls(source.get("won"), winners, source.get("rating"))


def default_outcome(position: Any) -> dict[str, bool | float | str]:
    """The figures of a finished game, for games that define none: who won or, if all play together, whether they
    won."""
    state = position.to_json()
    ending = Ending.from_json(state)
    if "result" in state:
        return {"won": bool(ending.won)}
    return {"winner": " and ".join(f"seat {seat}" for seat in ending.winners) or "nobody"}
