"""The tips that players see in their first game. A tip is a short text that points at an element of the page. It stays
until the player does what it says.

Law: pure data.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.rules import Move

ANY_MOVE = "*"
"""In `FirstGameTip.move_names`, matches every move."""


@dataclass(frozen=True)
class FirstGameTip:
    """A tip for a player's first game. The phone of a seat shows it on that seat's turn, while the target is visible.

    `target`: the CSS selector of the element that the tip points at; if several elements match, the first visible one.
    `text` must be marked with `gettext_noop`. The tip is completed when the seat makes one of `moves`, or when the
    player taps an element that matches the selector `tap`. A move that completes a later tip also completes the tips
    before it.
    """

    target: str
    text: str
    moves: tuple[type[Move], ...] = ()
    tap: str = ""

    @property
    def move_names(self) -> str:
        """The names of the moves that complete the tip, separated by spaces; "*" for any move."""
        return " ".join(ANY_MOVE if move is Move else move.NAME for move in self.moves)
