"""Which language a phone wants: what was chosen on it, else what its browser asks for."""

from __future__ import annotations

from flask import Request, Response

from companion.language import LANGUAGES, SOURCE, _
from web.refusals import bad_request
from web.room import YEAR

COOKIE = "tablekeeper-language"


def preferred(request: Request) -> str:
    """The code of the language that a request is answered in."""
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in LANGUAGES else request.accept_languages.best_match([*LANGUAGES], SOURCE)


def keep_language(response: Response, code: str) -> Response:
    """Lets a phone be spoken to in this language; raises Refused if there is no such one."""
    if code not in LANGUAGES:
        raise bad_request(_("There are {languages}.", languages=", ".join(LANGUAGES.values())))
    response.set_cookie(COOKIE, code, max_age=YEAR, httponly=True, samesite="Lax")
    return response
