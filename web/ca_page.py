"""How a phone comes to trust the table's own certificate authority: served over plain http too, as that is where every
phone begins. The certificate is no secret; its fingerprint, compared with what the table's console says, shows that it
came unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, Response, render_template, request

from companion.table.table import Table
from companion.text.translation import _, later
from web import urls
from web.seats import COOKIE, Lobby

TYPE = "application/x-x509-ca-cert"
"""By which phones know that it is a certificate authority's."""


@dataclass(frozen=True)
class Trusted:
    """What the page tells of: the authority's certificate as DER and as PEM, its SHA-256, the port of https."""

    der: bytes
    pem: bytes
    fingerprint: str
    port: Callable[[], int]


class System(NamedTuple):
    """How a certificate is taken in there; `signs` are what its browsers call themselves."""

    title: str
    signs: tuple[str, ...]
    steps: tuple[str, ...]


SYSTEMS = (
    System(
        later("iPhone and iPad"),
        ("iPhone", "iPad"),
        (
            later("Load the certificate with Safari, and allow it."),
            later("Settings: at the top, “Profile Downloaded”; install it."),
            later("Settings › General › About › Certificate Trust Settings: switch “Tablekeeper” on."),
        ),
    ),
    System(
        "Android",
        ("Android",),
        (
            later("Load the certificate."),
            later("In the settings, search for “CA certificate”, choose it, and pick the file that was loaded."),
            later("Android warns that your traffic may be watched: it says so of every certificate that you add."),
        ),
    ),
    System(
        "Windows",
        ("Windows",),
        (
            later("Load the certificate and open it: “Install Certificate”, for the current user."),
            later("Place it in the store “Trusted Root Certification Authorities”."),
        ),
    ),
    System(
        "macOS",
        ("Macintosh",),
        (
            later("Load the certificate and open it: the keychain takes it in."),
            later("In the keychain, open “Tablekeeper”: under “Trust”, choose “Always Trust”."),
        ),
    ),
    System(
        later("Linux, and Firefox anywhere"),
        ("Linux", "X11", "Firefox"),
        (
            later("Load the certificate."),
            later("In the browser’s settings, search for “certificates”; under “Authorities”, import it for websites."),
        ),
    ),
)


def blueprint(table: Table, lobby: Lobby, trusted: Trusted) -> Blueprint:
    """The addresses under /trust."""
    routes = Blueprint("trust", __name__, url_prefix="/trust")

    def page() -> str:
        name = urlsplit(urls.base_url()).hostname or "localhost"
        return render_template(
            "trust.html",
            layout="base.html",
            page="trust",
            title=f"{_('Https')} – Tablekeeper",
            view=None,
            running=bool(table.names),
            guest=lobby.guest(request.cookies.get(COOKIE)),
            simulated=False,
            systems=SYSTEMS,
            own=own_system(request.headers.get("User-Agent", "")),
            fingerprint=trusted.fingerprint,
            secure=f"https://{name}:{trusted.port()}",
        )

    routes.add_url_rule("", endpoint="page", view_func=page)
    for kind, data in (("crt", trusted.der), ("pem", trusted.pem)):
        name = f"tablekeeper.{kind}"
        routes.add_url_rule(f"/{name}", endpoint=kind, view_func=_file(name, data))
    return routes


def _file(name: str, data: bytes) -> Callable[[], Response]:
    def answer() -> Response:
        return Response(data, mimetype=TYPE, headers={"Content-Disposition": f"attachment; filename={name}"})

    return answer


def own_system(agent: str) -> System:
    """The system that a browser says it runs on; the last where it says none."""
    return next((system for system in SYSTEMS if any(sign in agent for sign in system.signs)), SYSTEMS[-1])
