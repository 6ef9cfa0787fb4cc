"""Changed copies of immutable positions.

Law: pure.
"""

from __future__ import annotations

from typing import Any, Self


class Immutable:
    """A frozen dataclass without cached properties, of which a game makes many changed copies."""

    def replace(self, **changes: Any) -> Self:
        """Like `dataclasses.replace`, at a tenth of its cost, which would be most of the cost of a move."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **changes)
        return other
