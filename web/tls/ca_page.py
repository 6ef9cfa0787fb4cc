"""The page that explains how a phone can trust the table's own certificate authority.

It is served over plain http too, because that is how every phone first opens the table. The certificate is not secret.
People can compare its fingerprint with the one on the table's console to see that the certificate arrived unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, Response, render_template, request

from companion.table.table import Table
from companion.text.messages import TextLike, _, joined
from web import addresses
from web.access.lobby import Lobby
from web.access.phone_cookie import phone_token

CA_MIME_TYPE = "application/x-x509-ca-cert"
"""The MIME type that tells phones that a file is the certificate of an authority."""


@dataclass(frozen=True)
class CaInfo:
    """The facts about the table's certificate authority that the page under /trust shows: the certificate as DER and as
    PEM, and its SHA-256 fingerprint. `port` returns the port for https."""

    der: bytes
    pem: bytes
    fingerprint: str
    port: Callable[[], int]


class OperatingSystem(NamedTuple):
    """An operating system, with the steps to install a certificate on it. `user_agent_words` are the words by which the
    User-Agent header of a browser shows that the browser runs on this system."""

    title: TextLike
    user_agent_words: tuple[str, ...]
    steps: tuple[TextLike, ...]


OPERATING_SYSTEMS = (
    OperatingSystem(
        _("iPhone and iPad"),
        ("iPhone", "iPad"),
        (
            _("Download the certificate in Safari, and allow it."),
            _("In Settings, tap “Profile Downloaded” at the top and install it."),
            _("Under Settings › General › About › Certificate Trust Settings, switch on “Tablekeeper”."),
        ),
    ),
    OperatingSystem(
        "Android",
        ("Android",),
        (
            _("Download the certificate."),
            _("In Settings, search for “CA certificate”, open it, and choose the file you downloaded."),
            _("Android warns that your traffic may be watched. It does so for every certificate that you add."),
        ),
    ),
    OperatingSystem(
        "Windows",
        ("Windows",),
        (
            _("Download the certificate and open it. Choose “Install Certificate”, for the current user."),
            _("Put it in the store “Trusted Root Certification Authorities”."),
        ),
    ),
    OperatingSystem(
        "macOS",
        ("Macintosh",),
        (
            _("Download the certificate and open it. It is added to your keychain."),
            _("Open “Tablekeeper” in the keychain. Under “Trust”, choose “Always Trust”."),
        ),
    ),
    OperatingSystem(
        _("Linux, and Firefox anywhere"),
        ("Linux", "X11", "Firefox"),
        (
            _("Download the certificate."),
            _("In the browser’s settings, search for “certificates”. Under “Authorities”, import it for websites."),
        ),
    ),
)


def blueprint(table: Table, lobby: Lobby, ca: CaInfo) -> Blueprint:
    """The blueprint with the routes under /trust: the page, and the certificate in two formats."""
    routes = Blueprint("trust", __name__, url_prefix="/trust")

    def page() -> str:
        name = urlsplit(addresses.base_url()).hostname or "localhost"
        return render_template(
            "ca_page.html",
            layout="base.html",
            page="trust",
            title=joined(" – ", (_("HTTPS"), "Tablekeeper")),
            view=None,
            running=bool(table.names),
            session=lobby.phones.session(phone_token()),
            has_simulator=False,
            systems=OPERATING_SYSTEMS,
            own_system=operating_system(request.headers.get("User-Agent", "")),
            fingerprint=ca.fingerprint,
            https_url=f"https://{name}:{ca.port()}",
        )

    routes.add_url_rule("", endpoint="page", view_func=page)
    for kind, data in (("crt", ca.der), ("pem", ca.pem)):
        name = f"tablekeeper.{kind}"
        routes.add_url_rule(f"/{name}", endpoint=kind, view_func=_download_view(name, data))
    return routes


def _download_view(name: str, data: bytes) -> Callable[[], Response]:
    def response() -> Response:
        return Response(data, mimetype=CA_MIME_TYPE, headers={"Content-Disposition": f"attachment; filename={name}"})

    return response


def operating_system(user_agent: str) -> OperatingSystem:
    """The first of OPERATING_SYSTEMS that a User-Agent header names; the last one if it names none."""
    return next(
        (system for system in OPERATING_SYSTEMS if any(word in user_agent for word in system.user_agent_words)),
        OPERATING_SYSTEMS[-1],
    )
