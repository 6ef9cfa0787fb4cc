"""What the games' templates are given besides the view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.games.rules import Move
from companion.games.view import LogEntry, View
from web.boards import commute, generic, system_won, system_won_log, systems_failing, traffic_congestion

OWN_BUTTONS: Mapping[str, tuple[type[Move], ...]] = {
    "commute": commute.OWN_BUTTONS,
    "system-won": system_won.OWN_BUTTONS,
    "traffic-congestion": traffic_congestion.OWN_BUTTONS,
}
"""The moves whose buttons stand on the game's own board, so that the dock need not repeat them."""

BOARDS: Mapping[str, Callable[[View], Any]] = {
    "commute": commute.board,
    "systems-failing": systems_failing.board,
    "system-won": system_won.board,
    "traffic-congestion": traffic_congestion.board,
}


def board(view: View) -> Any:
    """What the template of the view's game draws from; the generic one for a game without a board of its own."""
    return BOARDS.get(view.game.name, generic.board)(view)


LOGS: Mapping[str, Callable[[View, Sequence[LogEntry]], tuple[LogEntry, ...]]] = {
    "system-won": system_won_log.shortened_log
}
"""What the pages keep of the log, where a table may want its phones to forget."""


def kept(view: View, log: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """The log as the pages of this game show it."""
    return LOGS[view.game.name](view, log) if view.game.name in LOGS else tuple(log)
