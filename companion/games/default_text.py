"""The default texts of games that have none of their own: log lines and button labels, made from the names and fields
of moves, and the number of moves as the only key figure.

Law: pure. Only what the viewer may know of a move is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from companion.games.end_screen import KeyFigure
from companion.games.rules import HOUSE, Move, Names, Viewer
from companion.text.messages import Number, TextLike, _, joined


def log_line(before: Any, move: Move, after: Any, viewer: Viewer, names: Names) -> TextLike:
    """The log line of a move, with the player, the name of the move and its values: "Ann: take, count 3."."""
    known = move.as_known_to(viewer, before)
    name = _as_words(known.NAME)
    player = name.capitalize() if known.seat == HOUSE else joined(": ", (names[int(known.seat)], name))
    return joined("", (joined(", ", (player, *_value_texts(known, names))), "."))


def label(state: Any, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The path to a move through the buttons: the name of the move, then a button for each value, such as ("Take",
    "count 3")."""
    known = move.as_known_to(viewer, state)
    return (_as_words(known.NAME).capitalize(), *_value_texts(known, names))


def key_figures(steps: Sequence[tuple[Any, Move, Any]], names: Names) -> Iterator[KeyFigure]:
    """Yields the number of the players' moves."""
    yield KeyFigure(_("Moves"), Number(sum(move.seat != HOUSE for _before, move, _after in steps)))


def _value_texts(move: Move, names: Names) -> list[TextLike]:
    """One text for each field of a move that has a value, except `seat`: the name and value of the field, such as
    "count 3". Seats are shown as players' names."""
    pairs = [(field.name, field.type, getattr(move, field.name)) for field in fields(move) if field.name != "seat"]
    return [
        joined(" ", (_as_words(name), _value_text(value, str(kind), names)))
        for name, kind, value in pairs
        if value is not None
    ]


def _value_text(value: Any, kind: str, names: Names) -> TextLike:
    if kind.startswith("Seat") and isinstance(value, int):
        return names[value]
    if isinstance(value, tuple):
        return joined(" ", (_value_text(item, "", names) for item in value))
    if is_dataclass(value):
        return _as_words(" ".join(str(getattr(value, field.name)) for field in fields(value)))
    return _as_words(str(value))


def _as_words(identifier: str) -> str:
    return identifier.replace("_", " ")
