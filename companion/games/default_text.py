"""Log lines and button labels for a game that has no text of its own, made from its moves' names and fields.

Law: pure. Only what the viewer may know of a move is used.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from companion.games.rules import HOUSE, Move, Names, State, Viewer


def log_line(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """The player, the move and its values: "Ann: take, count 3"."""
    known = move.as_known_to(viewer, before)
    player = known.NAME.capitalize() if known.seat == HOUSE else f"{names[int(known.seat)]}: {known.NAME}"
    return ", ".join((player, *_values(known, names))).replace("_", " ")


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The move's name, then a button for each value: ("Take", "count 3")."""
    known = move.as_known_to(viewer, state)
    return (known.NAME.replace("_", " ").capitalize(), *(value.replace("_", " ") for value in _values(known, names)))


def _values(move: Move, names: Names) -> list[str]:
    """Each field but the mover's seat, as "name value"; seats by the players' names."""
    pairs = [(field.name, field.type, getattr(move, field.name)) for field in fields(move) if field.name != "seat"]
    return [f"{name} {_text(value, str(kind), names)}" for name, kind, value in pairs if value is not None]


def _text(value: Any, kind: str, names: Names) -> str:
    if kind.startswith("Seat") and isinstance(value, int):
        return names[value]
    if isinstance(value, tuple):
        return " ".join(_text(item, "", names) for item in value)
    if is_dataclass(value):
        return " ".join(str(getattr(value, field.name)) for field in fields(value))
    return str(value)
