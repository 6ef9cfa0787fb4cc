"""A base class for immutable positions that makes changed copies quickly.

Law: pure.
"""

from __future__ import annotations

from typing import Any, Self


class Immutable:
    """A base class for frozen dataclasses that are copied often. Such a class must have no cached properties, because a
    copy would keep their old values."""

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed. This is ten times faster than `dataclasses.replace`, which would take up
        most of the time needed to compute a move."""
        other = object.__new__(type(self))
        object.__setattr__(other, "__dict__", self.__dict__ | changes)  # a frozen class allows no ordinary assignment
        return other
