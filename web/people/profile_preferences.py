"""Applies the language and the sounds of a profile to a phone whose player has just chosen the profile."""

from __future__ import annotations

import json
from urllib.parse import quote

from flask import Response

from companion.text.translation import LANGUAGES
from web.localization import set_language_cookie
from web.people.profiles import Profile

SENSES_COOKIE = "tablekeeper-senses"
"""The cookie from which phone_feedback.js takes the settings. The script then deletes the cookie."""
LIFETIME_S = 600


def apply_profile(response: Response, profile: Profile) -> Response:
    """Adds cookies to a response, and returns the response. The cookies give the phone the profile's language and
    sounds."""
    if profile.language in LANGUAGES:
        set_language_cookie(response, profile.language)
    if profile.senses:
        value = quote(json.dumps(dict(profile.senses)))
        response.set_cookie(SENSES_COOKIE, value, max_age=LIFETIME_S, samesite="Lax", path="/")
    return response
