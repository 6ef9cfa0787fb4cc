"""Network addresses: the URLs at which phones open this table, and whether a request comes from this machine itself."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from flask import request

DOCUMENTATION_ADDRESS = ("192.0.2.1", 9)
"""An address and port that are reserved for documentation (RFC 5737). Connecting a UDP socket to it sends nothing, but
shows which address this machine has on the network."""
HTTP_PORT = 80
VIRTUAL_INTERFACES = ("br-", "cni", "docker", "lxc", "tailscale", "tap", "tun", "veth", "virbr", "vmnet", "wg", "zt")
"""Prefixes of the names of network interfaces that lead to virtual machines, containers and tunnels."""
AVAHI_SOCKET = Path("/run/avahi-daemon/socket")
HOSTNAME_FILE = Path("/etc/hostname")
ADDRESS_LIFETIME_S = 5.0
"""How long this machine's addresses are cached for pages, in seconds. Pages that show the addresses are rendered at
every move, and looking the addresses up takes long."""
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""The headers that reverse proxies add to the requests that they forward."""


def base_url() -> str:
    """The URL at which phones open this table. It contains the host name of the request or, if that is localhost, this
    machine's address on the home network."""
    parts = urlsplit(f"//{request.host}")
    name = parts.hostname or "localhost"
    if name == "localhost" or name.endswith(".localhost") or _is_loopback(name):
        name = _recent_lan_address(_period()) or name
    port = f":{parts.port}" if parts.port else ""
    return f"{request.scheme}://{f'[{name}]' if ':' in name else name}{port}"


def recent_other_addresses(shown: str) -> tuple[str, ...]:
    """The result of `other_addresses`, at most ADDRESS_LIFETIME_S old."""
    return _recent_other_addresses(shown, _period())


def _period() -> int:
    return int(time.monotonic() / ADDRESS_LIFETIME_S)


@lru_cache(maxsize=1)
def _recent_lan_address(_period: int) -> str | None:
    return lan_address()


@lru_cache(maxsize=8)
def _recent_other_addresses(shown: str, _period: int) -> tuple[str, ...]:
    return other_addresses(shown)


def http_url(address: str, port: int) -> str:
    """The http URL of the start page at this address and port."""
    return f"http://{address}/" if port == HTTP_PORT else f"http://{address}:{port}/"


def lan_address() -> str | None:
    """The IPv4 address at which phones most likely reach this machine; None without a network."""
    return next(iter(lan_addresses()), None)


def lan_addresses() -> tuple[str, ...]:
    """This machine's IPv4 addresses on networks that are up. The addresses that phones most likely reach come first:
    the one that leads to the internet, then other addresses, then those of virtual machines and tunnels, and last the
    self-assigned (link-local) ones."""
    outward = _outward_address()

    def rank(interface: tuple[str, str]) -> tuple[bool, bool, bool, str]:
        name, address = interface
        is_self_assigned = ipaddress.ip_address(address).is_link_local
        return is_self_assigned, name.startswith(VIRTUAL_INTERFACES), address != outward, name

    return tuple(dict.fromkeys(address for _name, address in sorted(_interface_addresses(), key=rank)))


def phone_addresses() -> tuple[str, ...]:
    """This machine's IPv4 addresses on networks that phones can be on, the best one first. Leaves out those of virtual
    machines and tunnels."""
    virtual = {address for name, address in _interface_addresses() if name.startswith(VIRTUAL_INTERFACES)}
    return tuple(address for address in lan_addresses() if address not in virtual)


def other_addresses(shown: str) -> tuple[str, ...]:
    """Further addresses of this machine that phones on other networks in the home can type, such as `10.42.0.1:8000`.
    Leaves out virtual machines, tunnels and link-local addresses, and the address in `shown`, which is the URL that the
    page already shows. Empty if `shown` contains a name instead of an address."""
    parts = urlsplit(shown)
    port = f":{parts.port}" if parts.port else ""
    home = [
        address
        for name, address in _interface_addresses()
        if not name.startswith(VIRTUAL_INTERFACES) and not ipaddress.ip_address(address).is_link_local
    ]
    is_address = _is_address(parts.hostname or "")
    return tuple(f"{each}{port}" for each in sorted(home) if is_address and each != parts.hostname)


def mdns_name() -> str | None:
    """The name under which avahi announces this machine, such as `table.local`; None if avahi is not running."""
    return f"{machine_name().split('.')[0]}.local" if AVAHI_SOCKET.exists() else None


def machine_name() -> str:
    """This machine's name. It is read from a file, because systemd hides a change of the name from a running
    service."""
    with suppress(OSError):
        if name := HOSTNAME_FILE.read_text().strip():
            return name
    return socket.gethostname()


def _interface_addresses() -> Iterator[tuple[str, str]]:
    """Yields each IPv4 address of each network interface that is up, with the interface's name. Loopback addresses are
    left out."""
    states = psutil.net_if_stats()
    for name, addresses in psutil.net_if_addrs().items():
        is_up = name in states and states[name].isup  # an interface may appear between the two calls
        for each in addresses:
            if each.family == socket.AF_INET and is_up and not _is_loopback(each.address):
                yield name, each.address


def _outward_address() -> str | None:
    """The address that this machine would use to reach the internet; None if it has no route there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(DOCUMENTATION_ADDRESS)
        return str(probe.getsockname()[0])
    return None


def is_local() -> bool:
    """Whether the request comes from this machine itself, for example from a screen that is attached to it. False for
    requests that a proxy has forwarded."""
    return _is_loopback(request.remote_addr or "") and not is_proxied()


def is_proxied() -> bool:
    """Whether a reverse proxy has forwarded the request."""
    return any(name in request.headers for name in PROXY_HEADERS)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
