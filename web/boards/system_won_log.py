"""What the log on System WON's pages keeps of what was said.

A table may want its phones to remember nothing. Then the log is not to be their memory either: until the game is over
it keeps the latest specification, for whoever has not read it yet, and of those before it only that they were given;
of one taken back or given again, only that.
Programs that follow the events are told everything, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.games.rules import Json
from companion.games.system_won.moves import Specify, SpecifyTwo
from companion.match.view import LogEntry, View
from companion.text.translation import _


def remembered(view: View, log: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """The log as far as this table wants it remembered."""
    said = [told.version for told in log if _specifies(told.moves[0])]
    if view.options.get("aids") != "none" or view.turn is None or not said:
        return tuple(log)
    fades = {told.version for told in log if told.version in said and (told.kind != "move" or told.version != said[-1])}
    return tuple(_faded(told, view.names) if told.version in fades else told for told in log)


def _specifies(move: dict[str, Json]) -> bool:
    return move["move"] == Specify.NAME or move.get("use") == SpecifyTwo.use


def _faded(told: LogEntry, names: Sequence[str]) -> LogEntry:
    """A specification without what it said. Nothing happens by itself after one, so that it has one sentence only."""
    return replace(told, words=(_in_short(told, names),))


def _in_short(told: LogEntry, names: Sequence[str]) -> str:
    who, move = names[told.seat] if told.seat is not None else _("The table"), told.moves[0]
    match told.kind:
        case "undo":
            return _("{name} takes a specification back.", name=who)
        case "redo":
            return _("{name} gives a specification again.", name=who)
    speaker = names[move["seat"]]
    if "target" in move:
        return _("{name} specifies something of {other}’s hand.", name=speaker, other=names[move["target"]])
    return _("{name} specifies two things for free.", name=speaker)
