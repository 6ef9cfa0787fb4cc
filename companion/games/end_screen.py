"""What a game adds to the end screen: key figures about the game, and everybody's hand, face up.

Law: pure data.
"""

from __future__ import annotations

from typing import NamedTuple

from reportlab.lib.colors import Color

from companion.drawing.canvas import MUTED, PAPER
from companion.text.messages import TextLike


class KeyFigure(NamedTuple):
    """A figure that tells how a game went: a value, such as "14", and what it means, such as "Hints given"."""

    label: TextLike
    value: TextLike


class OpenCard(NamedTuple):
    """A card or a cube in a hand, drawn very small on the end screen. `emblem` is the name of a file in the game's
    folder `svg`; "" for no emblem. `text` is a short text, such as a rank; "" for no text. `name` is the text for
    screen readers. `fill` and `ink` are the colors of the background and of the text."""

    name: TextLike
    text: str = ""
    emblem: str = ""
    fill: Color = MUTED
    ink: Color = PAPER

    @property
    def style(self) -> str:
        """The colors as CSS."""
        return f"background:{_css(self.fill)};color:{_css(self.ink)}"


def _css(color: Color) -> str:
    return f"#{color.hexval()[2:]}"
