"""A prompt for one player's turn, and whose turn it is.

Law: pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.text.messages import Language, Text, TextLike, _


@dataclass(frozen=True, slots=True)
class TurnPrompt(Text):
    """What one player is to do on this turn. Written out, whose turn it is comes first: "Your turn: 3 actions left."
    Where a heading says that already, `instruction` is enough."""

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
