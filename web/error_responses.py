"""Errors of requests and their HTTP statuses, for pages and API alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from werkzeug.exceptions import HTTPException

from companion.match.journal_error import JournalError
from companion.match.match import NotYourSeat
from companion.table.current_game import NoGame
from companion.text.messages import TextLike, _
from companion.text.refusal_errors import BadJson, Refusal, SetupError, Stale

STATUS_BY_TYPE: Mapping[type[Refusal], int] = {BadJson: 400, NotYourSeat: 403, NoGame: 404, Stale: 409}
"""The HTTP status of each type of refusal. All other types have status 422."""

HTTP_ERRORS: Mapping[int, tuple[str, TextLike]] = {
    400: ("bad_request", _("Can’t read that request. See /api/openapi.json.")),
    403: ("forbidden", _("This phone can’t do that.")),
    404: ("not_found", _("There’s nothing at this address. Go to the table’s start page.")),
    405: ("method_not_allowed", _("This address needs another method. See /api/openapi.json.")),
    413: ("too_large", _("That’s too long. A request may have 64 KiB, a photo 12 MB.")),
    415: ("not_json", _("Send JSON, with the header Content-Type: application/json.")),
    431: ("too_large", _("The headers of that request are too long.")),
}
"""The code and the message for the errors that Flask itself raises, by HTTP status."""


@dataclass(frozen=True)
class RequestError(Exception):
    """The failure of a request: an HTTP status, a code for programs and a message for people."""

    status: int
    code: str
    message: TextLike

    def __str__(self) -> str:
        return str(self.message)


def bad_request(message: TextLike) -> RequestError:
    """The error for a malformed request, with status 400."""
    return RequestError(400, "bad_request", message)


def as_request_error(error: Exception) -> RequestError:
    """Converts any exception to a RequestError, without the details of unexpected errors."""
    match error:
        case RequestError():
            return error
        case Refusal():
            return RequestError(STATUS_BY_TYPE.get(type(error), 422), error.code, error.message)
        case SetupError():
            return RequestError(422, "bad_setup", error.message)
        case JournalError():
            return RequestError(503, "journal_failed", error.message)
        case HTTPException(code=int(status)):
            code, message = HTTP_ERRORS.get(status, ("refused", error.description or _("That didn’t work.")))
            return RequestError(status, code, message)
    return RequestError(500, "broken", _("Something went wrong, but the game is safe. Reload the page."))
