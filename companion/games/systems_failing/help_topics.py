"""Which rule of the guidebook belongs to a position of Systems Failing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rules import Viewer
from companion.games.systems_failing.rules import State

HELP: Final = Path(__file__).with_name("help.toml")
PHASES: Final = {"setup": "setup", "actions": "actions", "stock_up": "stock", "advance": "move", "appear": "appear"}


def topic(state: State, viewer: Viewer) -> str:
    """The key of the rule to look up now."""
    if state.result:
        return "end"
    if state.phase == "actions" and state.to_draw:
        return "scavenge"
    return "surplus" if state.phase == "actions" and state.must_return else PHASES[state.phase]
