"""Finds the guidebook's rule that helps in a position of System WON.

Law: pure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rules import HOUSE, Viewer
from companion.games.system_won.position import Position

HELP_FILE: Final = Path(__file__).with_name("help.toml")


def help_topic(position: Position, viewer: Viewer) -> str:
    """The key of the guidebook's rule that players are most likely to look up in this position."""
    if position.is_over:
        return "score"
    if position.turn == HOUSE:
        return "draw"
    return "last-round" if position.turns_left is not None else "turn"
