"""Reads the JSON body of a request."""

from __future__ import annotations

from flask import request
from werkzeug.exceptions import UnsupportedMediaType

from companion.games import notation
from companion.games.rules import Json
from web.error_responses import bad_request


def json_body(*, empty: bool = False) -> dict[str, Json]:
    """The JSON object in the request's body. With `empty`, a missing body counts as an object without keys. Raises
    RequestError, BadJson, UnsupportedMediaType."""
    data = request.get_data()
    if not data and empty:
        return {}
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise bad_request("The body is not UTF-8.") from error
    value = notation.loads(text)
    if not isinstance(value, dict):
        raise bad_request("The body must be a JSON object.")
    return value
