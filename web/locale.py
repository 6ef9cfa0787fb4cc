"""Which language a phone wants: what was chosen on it, else what its browser asks for."""

from __future__ import annotations

from flask import Request, Response

from companion.text.translation import LANGUAGES, SOURCE, _
from web.context import YEAR
from web.origin_check import photo_too_large
from web.refusals import bad_request

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


def script_words() -> dict[str, str]:
    """What `static/app.js` says by itself, by the names that it knows."""
    return {
        "choose": _("Choose"),
        "chooseSome": _("Choose {n}"),
        "impossible": _("That can’t be chosen. Why?"),
        "waiting": _("The table has not answered yet; this waits for it."),
        "asking": _("The table has not answered. As soon as it is there, this asks whether that was done."),
        "unreadable": _("The table’s answer can’t be read."),
        "lost": _("Its answer was lost. Look whether that was done before you do it again."),
        "undone": _("That was not done. {why}"),
        "late": _("The answer was late, but that is done, once."),
        "reading": _("Reading the photo…"),
        "taken": _("Photo taken"),
        "tooLarge": photo_too_large().message,
        "stepLost": _("The table has not answered; try that step again."),
    }
