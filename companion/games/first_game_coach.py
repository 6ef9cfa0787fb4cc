"""The steps of a guided first game: short texts that point at an element of the page until somebody does what they say.

Law: pure data.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.rules import Move

ANY_MOVE = "*"
"""Stands for every move, in `CoachStep.move_names`."""


@dataclass(frozen=True)
class CoachStep:
    """A step of a guided first game. It shows on the seat's turn, while its target is visible.

    `target`: the CSS selector of the element that it points at, the first visible one if there are several. `text` is
    marked with `gettext_noop`. The step is done when the seat makes one of `moves`, or when somebody taps an element
    that matches the selector `tap`. A move that belongs to a later step also completes the steps before that one.
    """

    target: str
    text: str
    moves: tuple[type[Move], ...] = ()
    tap: str = ""

    @property
    def move_names(self) -> str:
        """The names of the moves that complete the step, with spaces in between; "*" for any move."""
        return " ".join(ANY_MOVE if move is Move else move.NAME for move in self.moves)
