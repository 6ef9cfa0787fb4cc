"""A move that people have begun on the table: some of its components are in their new places, others are not yet.

Law: pure data.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.text.messages import TextLike


@dataclass(frozen=True)
class BegunMove:
    """What the table shows of a move, and what is missing. It is neither a move nor an error.

    `codes`: the components that are part of it. `next_step`: a sentence that says how to complete it and how to take it
    back; it depends on nothing that anybody may not know. `places`: the places of which the move changes the contents,
    so that nothing there is wrong yet."""

    codes: frozenset[str]
    next_step: TextLike
    places: frozenset[str] = frozenset()
