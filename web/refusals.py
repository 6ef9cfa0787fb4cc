"""What the web refuses, and with which status: one table for pages and API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from werkzeug.exceptions import HTTPException

from companion.match.journal import JournalError
from companion.match.match import NotYourSeat
from companion.table.table import NoGame
from companion.text.refusals import BadJson, Refusal, SetupError, Stale
from companion.text.translation import _, later

STATUS: Mapping[type[Refusal], int] = {BadJson: 400, NotYourSeat: 403, NoGame: 404, Stale: 409}
"""Every other refusal of a move is 422."""

HTTP_WORDS: Mapping[int, tuple[str, str]] = {
    400: ("bad_request", later("That request can't be read; look at /api/openapi.json.")),
    403: ("forbidden", later("That is not for this phone.")),
    404: ("not_found", later("There is nothing at this address; go to the table’s first page.")),
    405: ("method_not_allowed", later("This address takes another method; look at /api/openapi.json.")),
    413: ("too_large", later("That is too long; a request may have 64 KiB, a photo 12 MB.")),
    415: ("not_json", later("Send JSON, with the header Content-Type: application/json.")),
    431: ("too_large", later("The headers of that request are too long.")),
}


@dataclass(frozen=True)
class Refused(Exception):
    """A request that is not carried out."""

    status: int
    code: str
    message: str

    def __str__(self) -> str:
        return self.message


def bad_request(message: str) -> Refused:
    """A request that is no request of ours."""
    return Refused(400, "bad_request", message)


def as_refused(error: Exception) -> Refused:
    """Any error as a status, a code and a sentence; nothing inward is told of one that nobody foresaw."""
    match error:
        case Refused():
            return error
        case Refusal():
            return Refused(STATUS.get(type(error), 422), error.code, str(error))
        case SetupError():
            return Refused(422, "bad_setup", str(error))
        case JournalError():
            return Refused(503, "journal_failed", _(error.says))
        case HTTPException(code=int(status)):
            code, message = HTTP_WORDS.get(status, ("refused", error.description or later("That was refused.")))
            return Refused(status, code, _(message))
    return Refused(500, "broken", _("Something broke on the table's side; the game is kept. Load the page again."))
