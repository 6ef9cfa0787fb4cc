"""Moves that a form completes: a button's move, and what the fields around it add.

A field's name says what it adds and where: `list:slots` a whole number to a list, `texts:cards` a text to a list,
`text:card` a text, `json:hints.0` a JSON value at a place within. Empty fields add nothing. `static/app.js` does the
same where it sends the form.
"""

from __future__ import annotations

from typing import Any

from werkzeug.datastructures import MultiDict

from companion.games import notation
from companion.games.rules import Json
from companion.text.translation import _
from web.refusals import bad_request


def composed(form: MultiDict[str, str]) -> Json:
    """The move that a sent form makes; raises BadJson, Refused."""
    move = notation.loads(form["move"])
    for name, value in form.items(multi=True):
        kind, _, path = name.partition(":")
        if path and value:
            _add(move, kind, path.split("."), value)
    return move


def _add(move: Json, kind: str, path: list[str], value: str) -> None:
    *way, last = path
    at: Any = move
    try:
        for step in way:
            at = at[int(step)] if isinstance(at, list) else at[step]
        match kind:
            case "list":
                at.setdefault(last, []).append(int(value))
            case "texts":
                at.setdefault(last, []).append(value)
            case "text":
                at[last] = value
            case "json":
                at[int(last) if isinstance(at, list) else last] = notation.loads(value)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise bad_request(older_page()) from error


def older_page() -> str:
    """What is said of a button that the table does not know."""
    return _("That button is of an older page; load it again.")
