"""The rows of a log: its entries, with what their place in the log adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from companion.games.view import LogEntry
from companion.text.messages import TextLike


class LogRow(NamedTuple):
    """A row of a log. `key` is unique in the log. `whose`: the player in the heading of the turn that begins with this
    row; "" if there is no heading. `is_apart`: whether a line sets the row apart from the one above. `at`: when the act
    was stored; "" if the row does not show it. `step`: the step of the replay that the row links to, if any."""

    key: str
    version: int
    kind: str
    words: tuple[TextLike, ...]
    is_own: bool
    whose: TextLike
    is_apart: bool
    at: str
    step: int | None


def log_rows(
    lines: Sequence[LogEntry],
    seat: int | None,
    names: Sequence[TextLike],
    heads_every_turn: bool,
    steps: Mapping[int, int],
) -> list[LogRow]:
    """The rows of a log. `lines`: the entries, the latest first. `seat`: whose phone shows the log. `names`: the
    players' names, for the headings of turns. Without `names`, there are neither headings nor times.
    `heads_every_turn`: whether a turn of one act has a heading too. `steps`: see `View.replay_steps`."""
    rows, had_head = [], False
    for number, entry in enumerate(lines):
        is_new_turn = bool(names) and (number == 0 or lines[number - 1].turn != entry.turn)
        has_head = heads_every_turn or (number + 1 < len(lines) and lines[number + 1].turn == entry.turn)
        whose = names[entry.turn] if is_new_turn and has_head and isinstance(entry.turn, int) else ""
        is_apart = is_new_turn and (whose != "" or had_head)
        if is_new_turn:
            had_head = whose != ""
        rows.append(
            LogRow(
                f"{'n' if entry.kind == 'notice' else 'v'}{entry.version}",
                entry.version,
                entry.kind,
                entry.words,
                entry.seat is not None and entry.seat == seat,
                whose,
                is_apart,
                entry.at if names else "",
                steps.get(entry.version),
            )
        )
    return rows
