"""Finds the guidebook's rule that helps in a position of Traffic Congestion."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rules import Viewer
from companion.games.traffic_congestion.position import Position

HELP_FILE: Final = Path(__file__).with_name("help.toml")
"""The file that contains the guidebook."""


def help_topic(position: Position, viewer: Viewer) -> str:
    """The key of the guidebook's rule for a position: "end" if the game is over, otherwise "turn"."""
    return "end" if position.is_over else "turn"
