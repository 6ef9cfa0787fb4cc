"""Which rule of the guidebook belongs to a position of Commute."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.commute.rules import State
from companion.games.rules import Viewer

HELP: Final = Path(__file__).with_name("help.toml")


def topic(state: State, viewer: Viewer) -> str:
    """The key of the rule to look up now."""
    if state.over:
        return "end"
    if state.uh_oh or state.stage == "uh_oh":
        return "uh-oh"
    if state.bump:
        return "bump"
    return "travel" if state.stage == "travel" else "deal"
