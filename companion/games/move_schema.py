"""Builds types that describe the JSON of a game's moves, from the dataclasses in the game's `moves.py`. JSON Schema is
generated from these types."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, defstruct

from companion.games.game import Game
from companion.games.rules import HOUSE, UNSEEN, HouseMove, Move, Seat

SEAT_NUMBER = Annotated[int, Meta(ge=0)]

Identifiers = Mapping[Any, Collection[str]]
"""Maps each NewType in the fields of moves to its valid values. If a NewType has none, any text is valid."""


def move_records(game: Game[Any]) -> Iterator[type[Struct]]:
    """Yields a msgspec type for the JSON of each kind of move, named like "SystemsFailingDraw". For a field that
    contains an identifier, such as a card id, the type lists the valid identifiers. In a game with boards, it allows
    any text instead, because boards that people draw themselves have identifiers of their own."""
    identifiers = {} if game.rules.boards else game.rules.identifiers
    prefix = "".join(map(str.capitalize, game.name.split("-")))
    for kind in dict.fromkeys((*game.rules.moves, *game.rules.phone_only_moves)):
        yield _record(kind, identifiers, prefix)


def _record(kind: type, identifiers: Identifiers, prefix: str) -> type[Struct]:
    hints = get_type_hints(kind)
    if issubclass(kind, Move) and kind.as_known_to is not Move.as_known_to:
        identifiers = {name: (*known, UNSEEN) for name, known in identifiers.items()}
    own_fields = [field for field in fields(kind) if field.name != "seat" or not issubclass(kind, Move)]
    own_types = [
        (field.name.removesuffix("_"), _json_type(hints[field.name], identifiers, prefix))
        + (() if field.default is MISSING else (field.default,))
        for field in own_fields
    ]
    common_types = _seat_and_move_fields(kind) if issubclass(kind, Move) else []
    namespace = {"__doc__": kind.__doc__}
    return defstruct(f"{prefix}{kind.__name__}", [*common_types, *own_types], namespace=namespace, kw_only=True)  # type: ignore[list-item]


def _seat_and_move_fields(kind: type[Move]) -> list[tuple[str, Any]]:
    seat: Any = Literal[HOUSE] if issubclass(kind, HouseMove) else SEAT_NUMBER
    return [("seat", seat), ("move", Literal[kind.NAME])]


def _json_type(hint: Any, identifiers: Identifiers, prefix: str) -> Any:
    """The type of a field's value in JSON. `hint` is the field's type in Python."""
    if hint is Seat:
        return SEAT_NUMBER
    if isinstance(hint, NewType):
        return Literal[tuple(dict.fromkeys(identifiers[hint]))] if identifiers.get(hint) else str
    inner = tuple(_json_type(arg, identifiers, prefix) for arg in get_args(hint) if arg is not ...)
    if get_origin(hint) in (Union, types.UnionType):
        return Union[inner]  # noqa: UP007  # the types are known only here
    if get_origin(hint) is tuple:
        return list[inner[0]]  # type: ignore[valid-type]
    return _record(hint, identifiers, prefix) if is_dataclass(hint) and isinstance(hint, type) else hint
