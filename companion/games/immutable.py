"""A base class for immutable positions that are copied often, with some fields changed.

Law: pure.
"""

from __future__ import annotations

from typing import Any, Self

from msgspec import Struct, structs


class Immutable(Struct, frozen=True):
    """A base class for positions. Objects are made, copied and read several times faster than those of dataclasses."""

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return structs.replace(self, **changes)
