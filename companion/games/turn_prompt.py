"""The prompt for a player's turn, which says whose turn it is and what that player must do.

Law: pure.
"""

from __future__ import annotations

from msgspec import Struct

from companion.text.messages import Language, Text, TextLike, _


class TurnPrompt(Struct, Text, frozen=True):
    """The prompt for a player's turn. `owner` says whose turn it is, and `instruction` says what that player must do.
    The rendered prompt contains both: "Your turn: 3 actions left." A page whose heading already says whose turn it is
    shows only `instruction`."""

    owner: Text
    instruction: TextLike

    def render(self, language: Language) -> str:
        return language.render(_("{owner}: {instruction}", owner=self.owner, instruction=self.instruction))


def own_turn(instruction: TextLike) -> TurnPrompt:
    """The prompt for the viewer's own turn."""
    return TurnPrompt(_("Your turn"), instruction)


def turn_of(name: TextLike, instruction: TextLike) -> TurnPrompt:
    """The prompt for the turn of another player."""
    return TurnPrompt(_("{name}’s turn", name=name), instruction)
