"""Which language a phone wants: what was chosen on it, else what its browser asks for."""

from __future__ import annotations

from flask import Request

from companion.language import LANGUAGES, SOURCE

COOKIE = "tablekeeper-language"


def preferred(request: Request) -> str:
    """The code of the language that a request is answered in."""
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in LANGUAGES else request.accept_languages.best_match([*LANGUAGES], SOURCE)
