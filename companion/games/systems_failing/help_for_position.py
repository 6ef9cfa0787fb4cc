"""Finds the guidebook's rule that helps in a position of Systems Failing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rules import Viewer
from companion.games.systems_failing.position import Position

HELP_FILE: Final = Path(__file__).with_name("help.toml")
PHASE_TOPICS: Final = {
    "setup": "setup",
    "actions": "actions",
    "stock_up": "stock",
    "advance": "move",
    "appear": "appear",
}


def help_topic(position: Position, viewer: Viewer) -> str:
    """The key, in `help.toml`, of the rule that explains what is going on in this position."""
    if position.is_over:
        return "end"
    if position.phase == "actions" and position.draws_left:
        return "scavenge"
    return "surplus" if position.phase == "actions" and position.cubes_to_return else PHASE_TOPICS[position.phase]
