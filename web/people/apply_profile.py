"""Applies a profile to the phone of a person who has just said that it is theirs: the language and the sounds."""

from __future__ import annotations

import json
from urllib.parse import quote

from flask import Response

from companion.text.translation import LANGUAGES
from web.localization import set_language_cookie
from web.people.profiles import Profile

SENSES_COOKIE = "tablekeeper-senses"
"""The cookie from which sound_and_vibration.js takes over the settings. The script then deletes it."""
LIFETIME_S = 600


def apply_profile(response: Response, profile: Profile) -> Response:
    """Adds cookies to a response, from which the phone takes over the language and the sounds of a profile. Returns the
    response."""
    if profile.language in LANGUAGES:
        set_language_cookie(response, profile.language)
    if profile.senses:
        value = quote(json.dumps(dict(profile.senses)))
        response.set_cookie(SENSES_COOKIE, value, max_age=LIFETIME_S, samesite="Lax", path="/")
    return response
