"""What has been said about a hidden card.

Law: pure. Nothing is inferred: a mark holds what a specification said of this very card, pointing at it or not.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from companion.games.system_won.catalog import RANKS, Card

Said = str | int
"""What a specification names: a colour or a rank."""


class Mark(NamedTuple):
    """`color` and `rank`: a specification pointed at the card. `not_…`: one named it and did not."""

    color: str | None = None
    rank: int | None = None
    not_colors: frozenset[str] = frozenset()
    not_ranks: frozenset[int] = frozenset()

    def allows(self, card: Card) -> bool:
        """Whether a card of this face could bear the mark."""
        return (
            self.color in (None, card.color)
            and self.rank in (None, card.rank)
            and card.color not in self.not_colors
            and card.rank not in self.not_ranks
        )

    def shown(self, colors: tuple[str, ...]) -> dict[str, Any]:
        """The mark as JSON."""
        return {
            "color": self.color,
            "rank": self.rank,
            "not_colors": [color for color in colors if color in self.not_colors] if self.not_colors else [],
            "not_ranks": [rank for rank in RANKS if rank in self.not_ranks] if self.not_ranks else [],
        }


BLANK = Mark()


@cache
def pointed_at(mark: Mark, said: Said) -> Mark:
    """The mark after a specification that pointed at the card. No face bears a red and a blue one."""
    if isinstance(said, str):
        return passed_over(mark, mark.color) if mark.color not in (None, said) else mark._replace(color=said)
    return passed_over(mark, mark.rank) if mark.rank not in (None, said) else mark._replace(rank=said)


@cache
def passed_over(mark: Mark, said: Said) -> Mark:
    """The mark after a specification that did not."""
    if isinstance(said, str):
        return mark._replace(not_colors=mark.not_colors | {said})
    return mark._replace(not_ranks=mark.not_ranks | {said})


class Held(NamedTuple):
    """A card in a hand; its face is `?` while the book does not know it."""

    face: str
    mark: Mark = BLANK
    number: int = -1
    """Which of all cards dealt in the game it was, from 0: the camera may remember which copy it read then."""


UNKNOWN = "?"
Hand = tuple[Held, ...]
