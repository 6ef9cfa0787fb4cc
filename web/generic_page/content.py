"""The generic page: the position in players' names, words and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from companion.games.rules import Json, Seat
from companion.games.view import View
from companion.text.translation import _

TURN_AND_END = ("turn", "over", "result")
"""What the banner says already."""
SEAT_KEYS = frozenset(
    ("seat", "player", "players", "leader", "dealer", "starter", "owner", "target", "to", "by", "winner", "winners")
)
"""Keys under which whole numbers are seats, where no type says so."""


@dataclass(frozen=True)
class Items:
    """Several values; `none` is what stands for an empty list."""

    items: tuple[Value, ...]
    none: str


@dataclass(frozen=True)
class Rows:
    """Values with a title each. `by_seat`: the titles are players' names."""

    rows: tuple[tuple[str, Value], ...]
    by_seat: bool


Value = str | Items | Rows


@dataclass(frozen=True)
class GenericContent:
    """What the state holds, by the keys of its JSON."""

    tiles: tuple[tuple[str, str, Value], ...]
    """Of each: key, title, value."""


def content(view: View) -> GenericContent:
    """The state as this viewer knows it."""
    reader = _Reader(view.names)
    position: type = type(view.position)
    typed = _seat_fields(position)
    shown = {key: value for key, value in view.state.items() if key not in TURN_AND_END}
    return GenericContent(
        tuple((key, _title(key), reader.tile(key, value, key in typed)) for key, value in shown.items())
    )


@dataclass(frozen=True)
class _Reader:
    names: Sequence[str]

    def tile(self, key: str, value: Json, is_seat: bool) -> Value:
        """What is at the top of the state: there a list as long as the table has seats has one entry for each."""
        if isinstance(value, list) and len(value) == len(self.names) and not (is_seat or key in SEAT_KEYS):
            return Rows(tuple((name, self.value(one)) for name, one in zip(self.names, value, strict=True)), True)
        return self.value(value, is_seat or key in SEAT_KEYS)

    def value(self, value: Json, is_seat: bool = False) -> Value:
        match value:
            case None:
                return _("none")
            case bool():
                return _("yes") if value else _("no")
            case int() if is_seat and 0 <= value < len(self.names):
                return self.names[value]
            case list():
                return Items(tuple(self.value(one, is_seat) for one in value), _("none"))
            case dict():
                return self._rows(value)
            case _:
                return str(value)

    def _rows(self, value: Mapping[str, Json]) -> Value:
        if not value:
            return Items((), _("none"))
        if set(value) == {str(seat) for seat in range(len(self.names))}:
            return Rows(tuple((name, self.value(value[str(seat)])) for seat, name in enumerate(self.names)), True)
        return Rows(tuple((_title(key), self.value(one, key in SEAT_KEYS)) for key, one in value.items()), False)


def _title(key: str) -> str:
    return key.replace("_", " ")


def _seat_fields(position: type) -> frozenset[str]:
    """The fields of a typed position whose whole numbers are seats."""
    if not is_dataclass(position):
        return frozenset()
    hints = get_type_hints(position)
    return frozenset(one.name for one in fields(position) if _holds_seats(hints[one.name]))


def _holds_seats(hint: Any) -> bool:
    """Whether a type is Seat, or a list or union of such; not where seats are only the keys."""
    if hint is Seat:
        return True
    inner = get_args(hint)
    origin = get_origin(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner = inner[1:]
    return any(map(_holds_seats, inner))
