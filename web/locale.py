"""The cookie for a phone's language, and the texts that the dashboard's scripts show."""

from __future__ import annotations

from flask import Response

from companion.text.messages import TextLike, _
from companion.text.translation import LANGUAGES
from web.error_responses import bad_request
from web.localization import LANGUAGE_COOKIE
from web.origin_check import photo_too_large

LANGUAGE_LIFETIME_S = 365 * 24 * 3600


def set_language_cookie(response: Response, code: str) -> Response:
    """Adds a cookie with the phone's language to a response, and returns the response; raises RequestError if the
    language is unknown."""
    if code not in LANGUAGES:
        raise bad_request(_("There are {languages}.", languages=", ".join(LANGUAGES.values())))
    response.set_cookie(LANGUAGE_COOKIE, code, max_age=LANGUAGE_LIFETIME_S, httponly=True, samesite="Lax")
    return response


def script_texts() -> dict[str, TextLike]:
    """The texts of the scripts in `static/`, by the names that the scripts use."""
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
        "shuffleRight": _("The shuffle is as promised. Draws checked: {draws}; shares from phones: {shares}."),
        "shuffleUnseen": _(
            "Draws checked: {draws}; shares from phones: {shares}. This phone was not there from the start, so it "
            "can’t tell what was promised."
        ),
        "shuffleWrong": _("The shuffle is not what was promised. {why}"),
        "shuffleSeed": _("The companion has changed its seed."),
        "shuffleShare": _("The companion has changed a phone’s share, or left it out."),
        "shuffleDraw": _("A draw does not follow from the seed and the shares."),
        "stepLost": _("The table has not answered; try that step again."),
    }
