"""Translates texts into the language of the requesting phone. That is the language that was chosen on the phone or, if
none was, the language that its browser asks for. Texts are translated as late as possible: in templates, in JSON, and
where a page's code needs a string."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Flask, Request, Response, g, request
from flask.json.provider import DefaultJSONProvider

from companion.diagnostics.findings import titled
from companion.text import messages
from companion.text.messages import SOURCE, Argument, Moment, Month, Number, Text, TextLike, TimeOfDay, _
from companion.text.player_names import clean_name, longest_word
from companion.text.translation import LANGUAGES, Translator
from web.button_ids import button_id, slug
from web.error_responses import bad_request

LANGUAGE_COOKIE = "tablekeeper-language"
LANGUAGE_LIFETIME_S = 365 * 24 * 3600


def preferred_language(request: Request) -> str:
    """The code of the language in which to answer a request."""
    return chosen_language(request) or request.accept_languages.best_match([*LANGUAGES], SOURCE)


def chosen_language(request: Request) -> str:
    """The code of the language that was chosen on a phone; "" if none was."""
    code = request.cookies.get(LANGUAGE_COOKIE, "")
    return code if code in LANGUAGES else ""


def set_language_cookie(response: Response, code: str) -> Response:
    """Adds a cookie with the phone's language to a response, and returns the response. Raises RequestError if the
    language is unknown."""
    if code not in LANGUAGES:
        raise bad_request(_("Choose from {languages}.", languages=", ".join(LANGUAGES.values())))
    response.set_cookie(LANGUAGE_COOKIE, code, max_age=LANGUAGE_LIFETIME_S, httponly=True, samesite="Lax")
    return response


def translator() -> Translator:
    """The translator for the requesting phone's language."""
    here: Any = g._get_current_object()  # looked up once, not for each attribute
    try:
        found: Translator = here.translator
    except AttributeError:
        found = here.translator = Translator(preferred_language(request))
    return found


def translate(text: TextLike) -> str:
    """The text in the requesting phone's language."""
    return translator().render(text)


class TranslatingJSONProvider(DefaultJSONProvider):
    """Writes JSON answers with texts in the requesting phone's language, and with the keys in their original order."""

    sort_keys = False

    def default(self, value: Any) -> Any:
        return translate(value) if isinstance(value, Text) else DefaultJSONProvider.default(value)


def install(app: Flask) -> None:
    """Makes an application translate the texts in its templates and in JSON, and gives its templates functions for
    texts."""
    app.json = TranslatingJSONProvider(app)
    app.jinja_env.finalize = _finalize
    app.jinja_env.globals.update(
        _=_gettext,
        plural=_plural,
        number=lambda value: translate(Number(value)),
        moment=lambda when: translate(Moment(when)),
        month=lambda day: translate(Month(day)),
        time_of_day=lambda at: translate(TimeOfDay(datetime.fromisoformat(at))),
        language=lambda: translator().code,
        direction=lambda: translator().direction,
        titled=titled,
        clean_name=lambda name: clean_name(translate(name)),
    )
    app.jinja_env.filters["slug"] = lambda label: slug(translate(label))
    app.jinja_env.filters["longest_word"] = lambda name: longest_word(translate(name))
    app.jinja_env.filters["button_id"] = lambda path: button_id(*map(translate, path))


def _finalize(value: Any) -> Any:
    """The value that a template prints: a text is translated, anything else stays as it is."""
    return translate(value) if isinstance(value, Text) else value


def _gettext(text: TextLike, /, **values: Argument) -> str:
    """The text in the requesting phone's language, with `{name}` replaced by the value of that name."""
    if isinstance(text, str) and text and not values:
        return translator().gettext(text)
    return translate(text if isinstance(text, Text) else messages._(text, **values))


def _plural(one: str, many: str, n: int, /, **values: Argument) -> str:
    """The text for the number `n` in the requesting phone's language: `one` or `many`."""
    return translate(messages.plural(one, many, n, **values))
