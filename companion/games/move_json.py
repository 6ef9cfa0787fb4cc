"""Reads and writes moves as JSON: one object on one line. The format is the same in the journal, the API, forms and
exports.

Law: pure. The keys "seat" ("house" or a number) and "move" determine the class of a move. If several classes share a
NAME, their Literal fields, such as `use`, tell them apart. All other values are read according to the types of the
class's fields.
"""

from __future__ import annotations

import json
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Final, Literal, NewType, Union, get_args, get_origin, get_type_hints

from companion.games.game import Game
from companion.games.rules import HOUSE, HouseMove, Json, Move, Seat
from companion.text.refusal_errors import BadJson, BadMove

MAX_FLOAT: Final = 1.7e308
"""The largest absolute value of a floating-point number. Larger values are reduced to it."""

MAX_BRACKETS: Final = 200
"""The maximum number of opening brackets in a line. With more, values might be nested too deeply to be written as JSON
again. Moves have far fewer."""


def dumps(value: Json) -> str:
    """A value as one line of JSON, in ASCII so that any terminal can show it."""
    return json.dumps(value, separators=(",", ":"))


def loads(line: str) -> Json:
    """The value that a line of JSON describes. Raises BadJson for invalid JSON, for NaN and Infinity, and for a line
    with more than MAX_BRACKETS opening brackets."""
    try:
        value = json.loads(line, parse_constant=_reject_constant, parse_float=_clamped_float)
    except (ValueError, RecursionError) as error:
        raise BadJson('This is not JSON; a move looks like {"seat":0,"move":"…"}.') from error
    if line.count("[") + line.count("{") > MAX_BRACKETS:
        raise BadJson("This is nested too deeply to be a move.")
    return value


def _reject_constant(constant: str) -> None:
    raise ValueError(constant)


def _clamped_float(text: str) -> float:
    """The number that a JSON text describes, limited to ±MAX_FLOAT. Otherwise Python would read 1e999 as infinity,
    which is not JSON."""
    return max(-MAX_FLOAT, min(MAX_FLOAT, float(text)))


def to_json(move: Move) -> dict[str, Json]:
    """A move as a JSON object."""
    values = {_key(f): _json_value(getattr(move, f.name)) for f in _own_fields(move)}
    return {"seat": move.seat, "move": move.NAME} | values


def write(move: Move) -> str:
    """A move as one line of JSON."""
    return dumps(to_json(move))


def read(game: Game[Any], seats: int, line: str) -> Move:
    """The move that a line of JSON describes. `seats` is the number of seats. Raises BadJson if the line is not JSON,
    and BadMove if it does not describe a move of the game."""
    return from_json(game, seats, loads(line))


def from_json(game: Game[Any], seats: int, value: Json) -> Move:
    """The move that a JSON object describes. `seats` is the number of seats. Raises BadMove, whose message says what is
    wrong, if the object does not describe a move of the game."""
    if not isinstance(value, dict):
        raise BadMove('A move is an object like {"seat":0,"move":"…"}.')
    name = value.get("move")
    if not isinstance(name, str):
        raise BadMove('A move needs "move", the name of the move.')
    is_house_move = _is_from_house(value, seats)
    named = [kind for kind in (*game.rules.phone_only_moves, *game.rules.moves) if name == kind.NAME]
    kinds = [kind for kind in named if issubclass(kind, HouseMove) == is_house_move]
    if not kinds:
        message = (
            _wrong_seat_message(name, is_house_move) if named else _unknown_move_message(game, name, is_house_move)
        )
        raise BadMove(message)
    kind = next((kind for kind in kinds if _literal_fields_match(kind, value)), kinds[0])
    if kinds[1:] and not _literal_fields_match(kind, value):
        raise BadMove(_ambiguity_message(name, kinds))
    reader = _Reader(game, seats)
    known = {_key(f): f for f in fields(kind)}
    for key in value:
        if key not in known and key != "move":
            raise BadMove(f"{name} has no {_quoted(key)}; its keys are {', '.join(('move', *known))}.")
    return kind(**reader.field_values(kind, value))


def _is_from_house(value: Mapping[str, Json], seats: int) -> bool:
    seat = value.get("seat")
    if seat == HOUSE:
        return True
    if type(seat) is not int or not 0 <= seat < seats:
        raise BadMove(f'"seat" must be "house" or 0 to {seats - 1}.')
    return False


def _unknown_move_message(game: Game[Any], name: str, is_house_move: bool) -> str:
    moves = dict.fromkeys(kind.NAME for kind in game.rules.moves if issubclass(kind, HouseMove) == is_house_move)
    whose = "the house’s" if is_house_move else "the seats’"
    return f"{game.title} has no move {_quoted(name)}; {whose} are {', '.join(moves)}."


def _quoted(value: Json) -> str:
    """A value as JSON, cut to 30 characters."""
    text = dumps(value)
    return text if len(text) <= 30 else f"{text[:29]}…"


def _name_list(names: Collection[str]) -> str:
    """The names, separated by commas. If there are more than ten, only the first three and the last."""
    listed = list(names)
    return ", ".join(listed if len(listed) <= 10 else [*listed[:3], "…", listed[-1]])


def _wrong_seat_message(name: str, is_house_move: bool) -> str:
    return f"{name} is not a move of the house." if is_house_move else f"{name} is a move of the house, not of a seat."


def _key(f: Field[Any]) -> str:
    """The key of a field in JSON: the field's name without a final underscore. The underscore is needed in names such
    as `from_`, because Python reserves `from`."""
    return f.name.removesuffix("_")


def _is_required(f: Field[Any]) -> bool:
    return f.default is MISSING and f.default_factory is MISSING


def _literal_fields_match(kind: type, value: Mapping[str, Json]) -> bool:
    """Whether the values in a JSON object are allowed for all Literal fields of a move class."""
    return all(value.get(name) in known for name, known in _literal_fields(kind).items())


@cache
def _literal_fields(kind: type) -> Mapping[str, tuple[Any, ...]]:
    """The Literal fields of a move class, except `seat`: each key with its allowed values. These fields distinguish the
    class from others with the same NAME."""
    hints = _field_types(kind)
    listed = [f for f in fields(kind) if f.name != "seat" and get_origin(hints[f.name]) is Literal]
    return {_key(f): get_args(hints[f.name]) for f in listed}


def _ambiguity_message(move: str, kinds: Sequence[type]) -> str:
    """The error message for a move without the field that distinguishes the classes with its NAME. The message lists
    the valid values of this field."""
    name = next(iter(_literal_fields(kinds[0])))
    known = dict.fromkeys(str(value) for kind in kinds for value in _literal_fields(kind).get(name, ()))
    return f'{move} needs "{name}", one of {", ".join(known)}.'


@cache
def _field_types(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _own_fields(move: Move) -> list[Field[Any]]:
    return [f for f in _present_fields(move, fields(move)) if f.name != "seat"]


def _present_fields(value: Any, known: Iterable[Field[Any]]) -> list[Field[Any]]:
    """The fields of a value that appear in its JSON. Left out are fields that are None and whose default is None."""
    return [f for f in known if not (f.default is None and getattr(value, f.name) is None)]


def _json_value(value: Any) -> Json:
    if isinstance(value, tuple):
        return [_json_value(item) for item in value]
    if is_dataclass(value):
        return {_key(f): _json_value(getattr(value, f.name)) for f in _present_fields(value, fields(value))}
    return value


class _Reader:
    """Converts JSON values to the types of the fields of moves."""

    def __init__(self, game: Game[Any], seats: int) -> None:
        self.game, self.seats = game, seats

    def field_values(self, kind: type, value: Mapping[str, Json]) -> dict[str, Any]:
        """Reads the fields of a dataclass from a JSON object. Returns the values by field name. Raises BadMove if a
        required field is missing."""
        present = (f for f in fields(kind) if _key(f) in value or _is_required(f))
        return {f.name: self._field_value(kind, f, value) for f in present}

    def _field_value(self, kind: type, f: Field[Any], value: Mapping[str, Json]) -> Any:
        key = _key(f)
        if key not in value:
            raise BadMove(f'"{key}" is missing.')
        return self.read(_field_types(kind)[f.name], value[key], key)

    def read(self, kind: Any, value: Json, key: str) -> Any:
        """The value of type `kind` that a JSON value describes. Raises BadMove, whose message names `key`, if the value
        has another type."""
        if kind is Seat:
            return self._seat(value, key)
        if isinstance(kind, NewType):
            return self._identifier(kind, value, key)
        origin = get_origin(kind)
        if origin in (Union, types.UnionType):
            return self._union_member(get_args(kind), value, key)
        if origin is tuple:
            return self._list(get_args(kind)[0], value, key)
        if origin is Literal:
            if not any(type(value) is type(known) and value == known for known in get_args(kind)):
                raise BadMove(f'"{key}" must be one of {", ".join(map(str, get_args(kind)))}.')
            return value
        if is_dataclass(kind) and isinstance(kind, type):
            return self._object(kind, value, key)
        if type(value) is not kind:
            raise BadMove(f'"{key}" must be {_TYPE_WORDS.get(kind, kind.__name__)}.')
        return value

    def _seat(self, value: Json, key: str) -> int:
        if type(value) is not int or not 0 <= value < self.seats:
            raise BadMove(f'"{key}" must be a seat, 0 to {self.seats - 1}.')
        return value

    def _identifier(self, kind: NewType, value: Json, key: str) -> str:
        if not isinstance(value, str) or value not in self.game.rules.identifiers[kind]:
            names = _name_list(self.game.rules.identifiers[kind])
            raise BadMove(f'"{key}" is {_quoted(value)}; it must be one of {names}.')
        return value

    def _list(self, kind: Any, value: Json, key: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise BadMove(f'"{key}" must be a list.')
        return tuple(self.read(kind, item, f"{key}[{number}]") for number, item in enumerate(value))

    def _object(self, kind: type, value: Json, key: str) -> Any:
        if not isinstance(value, dict):
            raise BadMove(f'"{key}" must be an object.')
        known = {_key(f): f for f in fields(kind)}
        if unknown := [name for name in value if name not in known]:
            raise BadMove(f'"{key}" has no {_quoted(unknown[0])}.')
        return kind(**self.field_values(kind, value))

    def _union_member(self, kinds: tuple[Any, ...], value: Json, key: str) -> Any:
        refusals = []
        for kind in sorted(kinds, key=is_dataclass, reverse=isinstance(value, dict)):
            if kind is type(None):
                if value is None:
                    return None
                continue
            try:
                return self.read(kind, value, key)
            except BadMove as refusal:
                refusals.append(refusal)
        raise refusals[0]  # the first is the most helpful: an object is tried as a dataclass first


_TYPE_WORDS = {int: "a whole number", bool: "true or false", str: "text"}
