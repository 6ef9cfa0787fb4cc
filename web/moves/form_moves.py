"""Moves from forms: the value of a button is a move, and the form's other fields complete it.

A field's name says what it adds: `list:slots` appends a whole number to the list `slots`, `texts:cards` appends a text,
`text:card` sets a text, `json:hints.0` sets a JSON value at a path. Empty fields add nothing. `static/actions.js`
follows the same rules when it sends the form.
"""

from __future__ import annotations

from typing import Any

from werkzeug.datastructures import MultiDict

from companion.games import move_json
from companion.games.rules import Json
from companion.text.messages import Text, _
from web.error_responses import bad_request


def completed_move(form: MultiDict[str, str]) -> Json:
    """The move in a submitted form: the move of its button, with the values of the form's other fields added. Raises
    BadJson if a field's JSON can't be read, RequestError if a field does not fit the move."""
    move = move_json.loads(form["move"])
    for name, value in form.items(multi=True):
        kind, _, path = name.partition(":")
        if path and value:
            _set_field(move, kind, path.split("."), value)
    return move


def _set_field(move: Json, kind: str, path: list[str], value: str) -> None:
    *parents, last = path
    at: Any = move
    try:
        for step in parents:
            at = at[int(step)] if isinstance(at, list) else at[step]
        match kind:
            case "list":
                at.setdefault(last, []).append(int(value))
            case "texts":
                at.setdefault(last, []).append(value)
            case "text":
                at[last] = value
            case "json":
                at[int(last) if isinstance(at, list) else last] = move_json.loads(value)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise bad_request(outdated_page_message()) from error


def outdated_page_message() -> Text:
    """The error message for a button that is no longer valid, because its page is outdated."""
    return _("That button is from an older version of this page. Reload it.")
