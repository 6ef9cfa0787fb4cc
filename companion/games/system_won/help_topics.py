"""Which rule of the guidebook belongs to a position of System WON."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rules import HOUSE, Viewer
from companion.games.system_won.rules import State

HELP: Final = Path(__file__).with_name("help.toml")


def topic(state: State, viewer: Viewer) -> str:
    """The key of the rule to look up now."""
    if state.over:
        return "score"
    if state.turn == HOUSE:
        return "draw"
    return "last-round" if state.turns_left is not None else "turn"
