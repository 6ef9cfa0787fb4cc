"""Network addresses: the URL under which phones open this table, and whether a request comes from this machine
itself."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from flask import request

DOCUMENTATION_ADDRESS = ("192.0.2.1", 9)
"""An address and port that are reserved for documentation (RFC 5737). Connecting a UDP socket to it sends nothing, but
shows which address this machine has on the network."""
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""The headers by which reverse proxies say from whom a request comes."""


def base_url() -> str:
    """The URL under which phones open this table: with the host name of the request or, if that is localhost, with this
    machine's address on the home network."""
    parts = urlsplit(f"//{request.host}")
    name = parts.hostname or "localhost"
    if name == "localhost" or name.endswith(".localhost") or _is_loopback(name):
        name = lan_address() or name
    port = f":{parts.port}" if parts.port else ""
    return f"{request.scheme}://{f'[{name}]' if ':' in name else name}{port}"


def lan_address() -> str | None:
    """This machine's IPv4 address on the home network; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(DOCUMENTATION_ADDRESS)
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if _is_loopback(address) else address


def is_local() -> bool:
    """Whether the request comes from this machine itself, such as from a screen that is attached to it, and no proxy
    says that it passed the request on."""
    return _is_loopback(request.remote_addr or "") and not any(name in request.headers for name in PROXY_HEADERS)


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
