"""The security headers of all responses: what pages may load, and what may be cached."""

from __future__ import annotations

from flask import Response, request

STATIC_MAX_AGE_S = 365 * 24 * 3600
STATIC_ENDPOINTS = ("static", "game_pages.style")
"""The endpoints of static files and of the style sheets of games."""

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def add_security_headers(response: Response) -> Response:
    """Adds security headers to a response, and returns the response. Only static files may be cached, since pages may
    show hidden information."""
    response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    response.headers["X-Content-Type-Options"] = "nosniff"
    # With "no-referrer", browsers would submit our own forms with the origin "null".
    response.headers["Referrer-Policy"] = "same-origin"
    is_static = request.endpoint in STATIC_ENDPOINTS
    if is_static and "v" in request.args:
        response.headers["Cache-Control"] = f"public, max-age={STATIC_MAX_AGE_S}, immutable"
    elif not is_static:
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["Vary"] = "Cookie, X-Fragment, Accept-Language"
    return response
