"""A move that people have begun on the table: some of its components are in their new places, others are not yet.

Law: pure data.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.text.messages import TextLike


@dataclass(frozen=True)
class BegunMove:
    """A move that the table shows only in part. It is neither a complete move nor an error.

    `seat`: the seat whose move it is. `codes`: the codes of the components that are part of the move. `next_step`: a
    sentence that says how to complete the move and how to take it back; it reveals no hidden information. `places`: the
    places whose contents the move changes. A difference in one of these places is not an error while the move is
    incomplete."""

    seat: int
    codes: frozenset[str]
    next_step: TextLike
    places: frozenset[str] = frozenset()
