"""The address that people type on their phones, and its QR code."""

from __future__ import annotations

import io
import ipaddress
import socket
from urllib.parse import urlsplit

import segno
from flask import request
from markupsafe import Markup

SOMEWHERE = ("192.0.2.1", 9)
"""A documentation address: asking for the way there sends nothing, and tells our own address on the network."""


def base_url() -> str:
    """Where phones find this table: the address that was asked, or this machine's on the network for localhost."""
    parts = urlsplit(f"//{request.host}")
    name = parts.hostname or "localhost"
    if name == "localhost" or name.endswith(".localhost") or _is_loopback(name):
        name = lan_address() or name
    port = f":{parts.port}" if parts.port else ""
    return f"{request.scheme}://{f'[{name}]' if ':' in name else name}{port}"


def lan_address() -> str | None:
    """This machine's address on the home network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(SOMEWHERE)
            found = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if _is_loopback(found) else found


def is_local() -> bool:
    """Whether the request comes from this machine itself, such as from the screen beside the table."""
    return _is_loopback(request.remote_addr or "")


def qr(text: str) -> Markup:
    """A QR code as a drawing that takes the page's size; its light ground comes with it."""
    out = io.BytesIO()
    segno.make(text, micro=False, error="m").save(
        out,
        kind="svg",
        border=3,
        xmldecl=False,
        svgns=False,
        omitsize=True,
        light="#fff",
        svgclass="qr",
        lineclass=None,
    )
    return Markup(out.getvalue().decode())


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
