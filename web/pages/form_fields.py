"""Reads the fields that several forms have."""

from __future__ import annotations

from collections.abc import Mapping

from companion.text.messages import _
from web.api import api_types
from web.error_responses import bad_request


def whole_number(text: str | None) -> int | None:
    """The whole number in a field; None if the field is empty or missing. Raises RequestError if the text is not a
    number."""
    if text is None or text == "":
        return None
    try:
        return int(text[:9], 10)
    except ValueError as error:
        raise bad_request(_("{text} isn’t a whole number.", text=repr(text[:20]))) from error


def version_and_id(form: Mapping[str, str]) -> tuple[int | None, str | None]:
    """The version of the page from which a form was sent, and the id of the request. Either is None if it is missing.
    Raises RequestError if either is malformed."""
    return whole_number(form.get("version")), api_types.read_texts(api_types.ActBody, {"id": form.get("id", "")}).id
