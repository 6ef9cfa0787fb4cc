"""Which rule of the guidebook belongs to a position of Traffic Congestion."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rules import Viewer
from companion.games.traffic_congestion.rules import State

HELP: Final = Path(__file__).with_name("help.toml")


def topic(state: State, viewer: Viewer) -> str:
    """The key of the rule to look up now."""
    return "end" if state.turn is None else "turn"
