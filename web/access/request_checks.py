"""Rejects requests from other web sites (DNS rebinding, cross-site posts) and requests that are too large.

The table has no passwords. The only secrets that it keeps from people in the home network are hidden hands. But it must
not answer requests that a page of another site sends from a player's browser.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from flask import current_app, request
from werkzeug.exceptions import RequestEntityTooLarge

from companion.text.messages import _
from web.addresses import machine_name
from web.error_responses import RequestError

MAX_BODY_BYTES = 64 * 1024
MAX_PHOTO_BYTES = 12 * 1024 * 1024
PHOTO_ENDPOINTS = ("photo.act", "api.photo")
"""The endpoints that accept photographs. A form may also contain other fields, at most MAX_BODY_BYTES in all."""
HOSTS = "TABLEKEEPER_HOSTS"
"""The key in the application's configuration for further names of this machine, such as that of a reverse proxy."""
LOCAL_SUFFIXES = (".local", ".localhost")
ROUTER_SUFFIXES = (".lan", ".home", ".home.arpa", ".internal", ".localdomain", ".fritz.box")
"""The suffixes that home routers append to a machine's name."""


def check_request() -> None:
    """Raises RequestError if the Host header does not name this machine, if another web site has sent the request, or
    if the body is too large."""
    if not is_own_host(request.host, current_app.config.get(HOSTS, ())):
        raise RequestError(
            403, "strange_host", _("Open the table by its IP address, as shown on its screen, or as localhost.")
        )
    if request.method not in ("GET", "HEAD", "OPTIONS") and _is_from_another_site():
        raise RequestError(403, "cross_site", _("That came from another website. Use the table’s own pages."))
    if request.endpoint in PHOTO_ENDPOINTS:
        request.max_content_length = MAX_PHOTO_BYTES + MAX_BODY_BYTES
        request.max_form_memory_size = (
            4 * MAX_BODY_BYTES
        )  # the parser also counts the chunk of a file that it has just read
    if (request.content_length or 0) > (request.max_content_length or MAX_BODY_BYTES):
        raise photo_too_large() if request.endpoint in PHOTO_ENDPOINTS else RequestEntityTooLarge()


def photo_too_large() -> RequestError:
    """The error for a photograph that is too large."""
    return RequestError(
        413, "too_large", _("That photo is too large. The limit is 12 MB, so choose a lower resolution.")
    )


def is_own_host(host: str, allowed: Collection[str] = ()) -> bool:
    """Whether a Host header names this machine: by an IP address, by a local name, or by one of the `allowed` names.
    The names of web sites on the internet are refused."""
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".").lower()
    except ValueError:
        return False
    return _is_ip(name) or name == "localhost" or name.endswith(LOCAL_SUFFIXES) or name in (*allowed, *_machine_names())


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _machine_names() -> set[str]:
    name = machine_name().lower()
    return {name, *(name.split(".")[0] + suffix for suffix in ROUTER_SUFFIXES)}


def _is_from_another_site() -> bool:
    origin = request.headers.get("Origin")
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        return True
    return origin is not None and origin.lower() != f"{request.scheme}://{request.host}".lower()
