"""The guidebook's rule for each position of Traffic Congestion."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rules import Viewer
from companion.games.traffic_congestion.position import Position

HELP: Final = Path(__file__).with_name("help.toml")


def help_topic(position: Position, viewer: Viewer) -> str:
    """The key of the rule."""
    return "end" if position.is_over else "turn"
