"""The names of players as people enter them."""

from __future__ import annotations

from companion.text.messages import _
from companion.text.player_names import without_blanks
from web.error_responses import RequestError


def entered_name(text: str) -> str:
    """The name that somebody has entered; "" if the field was left empty. Raises RequestError if the name would be
    invisible on a screen."""
    name = without_blanks(text)
    if not name and text and not text.isspace():
        raise RequestError(422, "no_name", _("That name can’t be seen. Enter one with a letter or a digit."))
    return name
