"""Reads what a request brings: JSON of the right shape, or a refusal that says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from flask import request
from werkzeug.exceptions import UnsupportedMediaType

from companion.games import notation
from companion.games.rules import Json
from companion.text.player_names import clean_name
from web.refusals import bad_request

ID_LENGTH = 64


def json_body(*, empty: bool = False) -> dict[str, Json]:
    """The JSON object of the request; with `empty`, no body counts as an object without keys."""
    data = request.get_data()
    if not data and empty:
        return {}
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise bad_request("The body is no UTF-8.") from error
    value = notation.loads(text)
    if not isinstance(value, dict):
        raise bad_request("The body must be a JSON object.")
    return value


def version_in(body: Mapping[str, Json], *, needed: bool = False) -> int | None:
    """The version that a request is made on."""
    if body.get("version") is None and not needed:
        return None
    return _whole(body.get("version"), '"version" must be a whole number, the version that was looked at.')


def version_asked(query: Mapping[str, str]) -> int | None:
    """The same of an address's query."""
    text = query.get("version", "")
    if text and not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise bad_request('"version" must be a whole number, the version that was looked at.')
    return int(text) if text else None


def _whole(value: Json, otherwise: str) -> int:
    """A whole number; JSON has one kind of number only, so 1.0 is one."""
    if type(value) is int or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise bad_request(otherwise)


def request_id_in(body: Mapping[str, Json], *, needed: bool = False) -> str | None:
    """The name that makes a request act once."""
    value = body.get("id")
    if value is None and not needed:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= ID_LENGTH or not value.isascii() or not value.isprintable():
        raise bad_request(f'"id" must be a text of 1 to {ID_LENGTH} plain characters, another for every move.')
    return value


def seat_in(body: Mapping[str, Json]) -> int | None:
    """The number of a seat, or None."""
    seat = body.get("seat")
    return None if seat is None else _whole(seat, '"seat" must be a whole number, or left out to watch.')


def seats_in(body: Mapping[str, Json]) -> int | None:
    """How many play, or None."""
    seats = body.get("seats")
    return None if seats is None else _whole(seats, '"seats" must be a whole number.')


def only(body: Mapping[str, Json], *known: str) -> None:
    """Refuses keys that mean nothing."""
    for key in body:
        if key not in known:
            raise bad_request(f"{notation.dumps(key[:20])} means nothing here; there are {', '.join(known)}.")


def name_in(body: Mapping[str, Json]) -> str:
    """A person's name, fit to be shown."""
    return clean_name(text_in(body, "name"))


def text_in(body: Mapping[str, Json], key: str, default: str | None = "") -> str:
    """A text; `default` None: it must be there."""
    value = body.get(key, default)
    if not _is_text(value):
        raise bad_request(f'"{key}" must be a text.')
    return value


def _is_text(value: Json) -> TypeGuard[str]:
    """Half of a surrogate pair is none: it can't be written as UTF-8."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def truth_in(body: Mapping[str, Json], key: str, *, default: bool | None = None) -> bool:
    """True or false."""
    value = body.get(key, default)
    if not isinstance(value, bool):
        raise bad_request(f'"{key}" must be true or false.')
    return value


def texts_in(body: Mapping[str, Json], key: str) -> dict[str, str]:
    """An object of texts."""
    value: Any = body.get(key, {})
    if not isinstance(value, dict) or not all(_is_text(item) for pair in value.items() for item in pair):
        raise bad_request(f'"{key}" must be an object of texts.')
    return value


def names_in(body: Mapping[str, Json], key: str) -> tuple[str, ...]:
    """A list of names, fit to be shown."""
    value: Any = body.get(key, [])
    if not isinstance(value, list) or not all(map(_is_text, value)):
        raise bad_request(f'"{key}" must be a list of texts.')
    return tuple(map(clean_name, value))
