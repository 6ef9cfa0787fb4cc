"""Keeps strange web sites away from the table: which hosts and origins are answered, and how much is read.

The table has no secrets from the home network but the hidden hands, and no passwords; what it must not do is
answer a page of some other site that the same browser has open (DNS rebinding, cross-site posts).
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from flask import Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from companion.text.translation import _
from web.refusals import Refused

BODY_LIMIT = 64 * 1024
PHOTO_LIMIT = 12 * 1024 * 1024
PHOTOS = ("pages.act_photo", "api.photo")
"""The addresses that take photographs; a form's few other fields come on top."""
YEAR = 365 * 24 * 3600
LOCAL_SUFFIXES = (".local", ".localhost")
ROUTER_SUFFIXES = (".lan", ".home", ".home.arpa", ".internal", ".localdomain", ".fritz.box")
"""What home routers append to a machine's name."""

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def check_request() -> None:
    """Refuses a request that came under a strange name, from another site, or that is too long."""
    if not is_own_host(request.host):
        raise Refused(
            403, "strange_host", _("Open the table by its IP address, as its own screen shows it, or as localhost.")
        )
    if request.method not in ("GET", "HEAD", "OPTIONS") and _from_another_site():
        raise Refused(403, "cross_site", _("That came from another web site; use the table's own pages."))
    if request.endpoint in PHOTOS:
        request.max_content_length = PHOTO_LIMIT + BODY_LIMIT
        request.max_form_memory_size = 4 * BODY_LIMIT  # the parser counts what it has just read of a file, too
    if (request.content_length or 0) > (request.max_content_length or BODY_LIMIT):
        raise photo_too_large() if request.endpoint in PHOTOS else RequestEntityTooLarge()


def photo_too_large() -> Refused:
    """What is said of a photograph that is too long."""
    return Refused(413, "too_large", _("That photo is too large: 12 MB at most. Choose a lower resolution."))


def is_own_host(host: str) -> bool:
    """Whether a Host header names this machine in a way that no other site's name can."""
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".").lower()
    except ValueError:
        return False
    return _is_ip(name) or name == "localhost" or name.endswith(LOCAL_SUFFIXES) or name in _own_names()


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_names() -> set[str]:
    own = socket.gethostname().lower()
    return {own, *(own.split(".")[0] + suffix for suffix in ROUTER_SUFFIXES)}


def _from_another_site() -> bool:
    origin = request.headers.get("Origin")
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        return True
    return origin is not None and origin.lower() != f"{request.scheme}://{request.host}".lower()


def protect(response: Response) -> Response:
    """The headers that every answer bears; what a seat may see is never kept by a cache."""
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response.headers["X-Content-Type-Options"] = "nosniff"
    # With "no-referrer" a browser would send our own forms with the origin "null".
    response.headers["Referrer-Policy"] = "same-origin"
    if request.endpoint == "static" and "v" in request.args:
        response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
    elif request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["Vary"] = "Cookie, X-Fragment, Accept-Language"
    return response
