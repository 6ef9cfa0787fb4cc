"""Shortens the log on System WON's pages if the players have chosen that phones remember nothing.

The full log would remember the hints for them. Until the game is over, therefore, only the latest hint is shown with
its content, for players who have not read it yet. Earlier hints and hints that were undone or redone are shown without
their content. Programs that follow the events receive everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.games.rules import Names
from companion.games.system_won.moves import Specify, SpecifyTwo
from companion.games.view import LogEntry, View
from companion.text.messages import Text, _


def may_look_back(view: View) -> bool:
    """Whether phones may show earlier parts of the game. They always may after the end. During the game, they may
    unless the group has chosen that phones remember nothing."""
    return view.options.get("aids") != "none" or view.turn is None


def shortened_log(view: View, log: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """The log as the pages show it. If the players have chosen that phones remember nothing, and until the game is
    over, all hints except the latest are shown without their content. Otherwise the log is complete."""
    hints = [entry for entry in log if isinstance(entry.moves[0], Specify | SpecifyTwo)]
    if may_look_back(view) or not hints:
        return tuple(log)
    shortened = {entry.version for entry in hints if entry.kind != "move" or entry is not hints[-1]}
    return tuple(_without_content(entry, view.names) if entry.version in shortened else entry for entry in log)


def _without_content(entry: LogEntry, names: Names) -> LogEntry:
    """The log entry of a hint, with a sentence that does not reveal the content of the hint. The sentence replaces all
    others, because nothing else happens in the same act."""
    return replace(entry, words=(_summary_text(entry, names),))


def _summary_text(entry: LogEntry, names: Names) -> Text:
    who, move = names[entry.seat] if entry.seat is not None else _("The table"), entry.moves[0]
    match entry.kind:
        case "undo":
            return _("{name} undoes a hint.", name=who)
        case "redo":
            return _("{name} redoes a hint.", name=who)
    speaker = names[int(move.seat)]
    if isinstance(move, Specify):
        return _("{name} gives a hint about {other}’s hand.", name=speaker, other=names[move.target])
    return _("{name} gives two hints for free.", name=speaker)
