"""The cookie by which the table recognizes a phone.

Over https the cookie is `Secure` and has a name of its own, because browsers don't let http replace a cookie that was
set over https. A phone that joined over http keeps its seat when it switches to https.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TypeVar

from flask import request
from werkzeug.wrappers import Response

from companion.match.journal_error import JournalError
from web.access.lobby import Lobby
from web.access.phone_session import OWN_REQUEST
from web.access.phones import LIFETIME_DAYS

COOKIE = "tablekeeper"
SECURE_COOKIE = "__Host-tablekeeper"
LIFETIME_S = LIFETIME_DAYS * 24 * 3600

R = TypeVar("R", bound=Response)


def phone_token() -> str | None:
    """The token of the phone that sent the request; None if the request has no cookie of ours."""
    secure = request.cookies.get(SECURE_COOKIE) if request.is_secure else None
    return secure or request.cookies.get(COOKIE)


def give_cookie(response: R, token: str) -> R:
    """Adds the cookie that identifies a phone to a response, and returns the response."""
    name = SECURE_COOKIE if request.is_secure else COOKIE
    response.set_cookie(
        name, token, max_age=LIFETIME_S, httponly=True, samesite="Lax", secure=request.is_secure, path="/"
    )
    return response


def renew_cookie(response: R, lobby: Lobby) -> R:
    """Renews a phone's cookie at its first request on each day; returns the response."""
    token = phone_token()
    if token is None or OWN_REQUEST in request.environ:
        return response
    with suppress(JournalError):  # if the disk is full, the cookie is renewed later
        if not response.headers.getlist("Set-Cookie") and lobby.phones.renew(token):
            return give_cookie(response, token)
    return response
