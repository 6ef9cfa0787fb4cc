"""Tells people and systemd at which addresses phones reach the service: when it starts, and when the network
changes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from companion import systemd_notify
from companion.commands.http_servers import HttpsEndpoint
from companion.commands.settings_file import Settings
from web.addresses import http_url, phone_addresses
from web.graphics.link_qr_codes import print_qr_code

POLL_S = 5.0
"""How often to look for a new address, in seconds."""


@contextmanager
def announce_addresses(
    settings: Settings, port: int, host_key: str, https: HttpsEndpoint | None = None
) -> Iterator[None]:
    """Announces that the service has started: to people on the console, and to systemd. During the block, announces the
    addresses again whenever they change, because on a Pi the service often starts before the Wi-Fi is up."""
    at_start = phone_addresses()
    print(greeting(settings, port, at_start, host_key, https), flush=True)
    if sys.stdout.isatty() and at_start:
        print("  Scan this to host the table from a phone:", flush=True)
        print_qr_code(f"{http_url(at_start[0], port)}host?key={host_key}", sys.stdout)
    systemd_notify.notify(f"READY=1\n{_status(port, at_start)}")
    closing = threading.Event()

    def announce_changes() -> None:
        announced = at_start
        while not closing.wait(POLL_S):
            addresses = phone_addresses()
            if addresses == announced:
                continue
            announced = addresses
            if addresses:
                lines = _page_lines(port, addresses, host_key) + _https_lines(port, addresses, https)
                print("\n".join(["The network has changed.", *lines]), flush=True)
            systemd_notify.notify(_status(port, addresses))

    thread = threading.Thread(target=announce_changes, name="addresses", daemon=True)
    thread.start()
    try:
        yield
    finally:
        closing.set()
        thread.join()


def greeting(
    settings: Settings, port: int, addresses: Sequence[str], host_key: str, https: HttpsEndpoint | None = None
) -> str:
    """The text on the console when the service has started: the addresses of the pages, the data folder, and what is
    simulated. `addresses`: this machine's addresses on the network, the best one first."""
    lines = [
        "Tablekeeper is running. Ctrl-C stops it; the game is kept.",
        *_page_lines(port, addresses, host_key),
        f"  data       {settings.data}",
    ]
    if settings.broker:
        lines.append(f"  broker     {settings.broker.address}, as {settings.table}")
    lines += _https_lines(port, addresses, https)
    if settings.simulate:
        lines.append(f"  SIMULATED  {settings.simulated}: {http_url(_best(addresses), port)}simulator")
    return "\n".join(lines)


def _page_lines(port: int, addresses: Sequence[str], host_key: str) -> list[str]:
    """The lines with the addresses of the pages for phones and for the host."""
    here = http_url(_best(addresses), port)
    others = (f"  or         {http_url(other, port)}" for other in addresses[1:])
    return [f"  phones     {here}", *others, f"  host       {here}host?key={host_key}"]


def _https_lines(port: int, addresses: Sequence[str], https: HttpsEndpoint | None) -> list[str]:
    """The lines with the address of the pages over HTTPS, and how to make a phone trust it; none without HTTPS."""
    if not https:
        return []
    address = _best(addresses)
    return [
        f"  https      https://{address}:{https.port}/",
        f"  trust      {http_url(address, port)}trust explains how to make a phone trust it",
        f"             SHA-256 {https.fingerprint[:47]}",
        f"                     {https.fingerprint[48:]}",
    ]


def _status(port: int, addresses: Sequence[str]) -> str:
    """What `systemctl status` shows."""
    if not addresses:
        return "STATUS=Not on a network: phones can’t reach this table yet"
    return f"STATUS=Phones open {http_url(addresses[0], port)}"


def _best(addresses: Sequence[str]) -> str:
    """The address that phones can most likely reach; "localhost" without a network."""
    return addresses[0] if addresses else "localhost"
