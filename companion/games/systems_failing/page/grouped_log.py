"""Groups the log on the pages of Systems Failing: the disasters that appear in one round share an entry.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.games.systems_failing.moves import Reveal
from companion.games.view import LogEntry


def grouped_log(log: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """The log with one entry for all cards that were revealed one after the other. The entry has the version and the
    time of the last of these acts."""
    grouped: list[LogEntry] = []
    for entry in log:
        if grouped and _is_reveal(grouped[-1]) and _is_reveal(entry):
            last = grouped.pop()
            entry = replace(entry, moves=last.moves + entry.moves, words=last.words + entry.words)
        grouped.append(entry)
    return tuple(grouped)


def _is_reveal(entry: LogEntry) -> bool:
    return entry.kind == "move" and all(isinstance(move, Reveal) for move in entry.moves)
