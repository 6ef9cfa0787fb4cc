"""The JSON bodies of requests and answers."""

from __future__ import annotations

import msgspec
from flask import Response, current_app, request
from werkzeug.exceptions import UnsupportedMediaType

from companion.games import move_json
from companion.games.rules import Json
from web.error_responses import bad_request


def json_body(*, empty: bool = False) -> dict[str, Json]:
    """The JSON object in the request's body. With `empty`, a missing body counts as an object without keys. Raises
    UnsupportedMediaType if the request's content type is not JSON, BadJson or RequestError if the body is not a JSON
    object."""
    data = request.get_data()
    if not data and empty:
        return {}
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise bad_request("The body is not UTF-8.") from error
    value = move_json.loads(text)
    if not isinstance(value, dict):
        raise bad_request("The body must be a JSON object.")
    return value


def json_response(value: Json, status: int = 200) -> Response:
    """A JSON response, with the keys in the order of `value`."""
    value = msgspec.to_builtins(value) if isinstance(value, msgspec.Struct) else value
    return Response(current_app.json.dumps(value) + "\n", status, mimetype="application/json")
