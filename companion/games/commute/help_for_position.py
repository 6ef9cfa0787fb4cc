"""Finds the guidebook's rule that helps in a position of Commute."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.commute.position import Position
from companion.games.rules import Viewer

HELP_FILE: Final = Path(__file__).with_name("help.toml")


def help_topic(position: Position, viewer: Viewer) -> str:
    """The key, in `help.toml`, of the rule that players are most likely to look up in this position."""
    if position.is_over:
        return "end"
    if position.uh_oh.card or position.stage == "uh_oh":
        return "uh-oh"
    if position.bump:
        return "bump"
    return "travel" if position.stage == "travel" else "deal"
