"""A base class for immutable positions that makes changed copies quickly.

Law: pure.
"""

from __future__ import annotations

from typing import Any, Self


class Immutable:
    """A base class for frozen dataclasses that are copied often. A subclass must have no cached properties, because
    copies would keep the old values."""

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed. This is ten times faster than `dataclasses.replace`, which would take most
        of the time in which a move is computed."""
        # `|` would make a dictionary that shares its keys with others, from which fields are read more slowly.
        fields = {**self.__dict__, **changes}
        other = object.__new__(type(self))
        object.__setattr__(other, "__dict__", fields)  # a frozen class allows no ordinary assignment
        return other
