"""The content of the generic page: the position's JSON, with players' names in place of seat numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from companion.games.rules import Json, Names, Seat
from companion.games.view import View
from companion.text.messages import Text, TextLike, _

BANNER_KEYS = ("turn", "over", "result")
"""Keys that the page leaves out, because its banner already says whose turn it is or how the game ended."""
SEAT_KEYS = frozenset(
    ("seat", "player", "players", "leader", "dealer", "starter", "owner", "target", "to", "by", "winner", "winners")
)
"""Keys whose whole numbers are seats, even where the types of the position don't say so."""


@dataclass(frozen=True)
class ItemList:
    """A list of values. `empty_text` is shown in place of an empty list."""

    items: tuple[ContentValue, ...]
    empty_text: Text


@dataclass(frozen=True)
class TitledRows:
    """Rows that consist of a title and a value. `by_seat`: whether the titles are the players' names."""

    rows: tuple[tuple[TextLike, ContentValue], ...]
    by_seat: bool


ContentValue = TextLike | ItemList | TitledRows


@dataclass(frozen=True)
class GenericContent:
    """The content of a generic page: one tile for each key of the position's JSON."""

    tiles: tuple[tuple[str, str, ContentValue], ...]
    """The key, the title and the value of each tile."""


def content(view: View) -> GenericContent:
    """The content of a generic page, made from the position as the viewer knows it."""
    reader = _ValueReader(view.names)
    position: type = type(view.position)
    seat_fields = _seat_fields(position)
    hidden = BANNER_KEYS if view.ending else (*BANNER_KEYS, "winners")
    values = {key: value for key, value in view.state.items() if key not in hidden}
    return GenericContent(
        tuple((key, _title(key), reader.tile(key, value, key in seat_fields)) for key, value in values.items())
    )


@dataclass(frozen=True)
class _ValueReader:
    """Converts the values of a position's JSON to values for the page."""

    names: Names

    def tile(self, key: str, value: Json, is_seat: bool) -> ContentValue:
        """The value of a tile. A list with one item for each seat becomes rows titled with the players' names.
        `is_seat`: whether the numbers in the value are seats; each of them becomes the player's name."""
        if isinstance(value, list) and len(value) == len(self.names) and not (is_seat or key in SEAT_KEYS):
            return TitledRows(
                tuple((name, self.value(item)) for name, item in zip(self.names, value, strict=True)), True
            )
        return self.value(value, is_seat or key in SEAT_KEYS)

    def value(self, value: Json, is_seat: bool = False) -> ContentValue:
        match value:
            case None:
                return _("none")
            case bool():
                return _("yes") if value else _("no")
            case int() if is_seat and 0 <= value < len(self.names):
                return self.names[value]
            case list():
                return ItemList(tuple(self.value(item, is_seat) for item in value), _("none"))
            case dict():
                return self._rows(value)
            case _:
                return str(value)

    def _rows(self, value: Mapping[str, Json]) -> ContentValue:
        if not value:
            return ItemList((), _("none"))
        if set(value) == {str(seat) for seat in range(len(self.names))}:
            return TitledRows(tuple((name, self.value(value[str(seat)])) for seat, name in enumerate(self.names)), True)
        return TitledRows(
            tuple((_title(key), self.value(item, key in SEAT_KEYS)) for key, item in value.items()), False
        )


def _title(key: str) -> str:
    return key.replace("_", " ")


def _seat_fields(position: type) -> frozenset[str]:
    """The names of the fields of a position that contain seats, according to their types; empty if the position has no
    types."""
    if not is_dataclass(position):
        return frozenset()
    hints = get_type_hints(position)
    return frozenset(item.name for item in fields(position) if _holds_seats(hints[item.name]))


def _holds_seats(hint: Any) -> bool:
    """Whether a type is Seat, or a list or union that contains Seat. For mappings only the type of their values
    counts."""
    if hint is Seat:
        return True
    inner = get_args(hint)
    origin = get_origin(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner = inner[1:]
    return any(map(_holds_seats, inner))
