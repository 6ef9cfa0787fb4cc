"""The doctor's checks of the network: whether phones can reach this machine, whether the port is free, and how strong
the Wi-Fi is."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from companion.diagnostics.findings import Finding
from companion.text.messages import TextLike, _, joined

HTTP_PORT = 80
"""The port that browsers assume if an address names none."""
MIN_SIGNAL_DBM = -75
"""A Wi-Fi signal that is weaker than this loses packets."""
WIRELESS = Path("/proc/net/wireless")


def network(addresses: Sequence[str], name: str | None, port: int, *, needed: bool = True) -> Iterator[Finding]:
    """Checks whether phones can reach this machine. The finding says which addresses to open on the phones. `addresses`
    is empty if the machine is not on a network, which is a failure only if `needed`. `name`: this machine's name on the
    network; None if nothing announces it. `port` is 0 if it is not known yet."""
    at = "" if port == HTTP_PORT else f":{port or 'PORT'}"
    if not addresses:
        message = _(
            "This computer isn’t on a network. Only its own browser can open {address}.",
            address=f"http://localhost{at}/",
        )
        remedy = _("Join a Wi-Fi network (sudo nmtui), or plug in a cable.") if needed else ""
        yield Finding("network", not needed, message, remedy)
        return
    parts = [_("Open {address} on the phones.", address=", ".join(f"http://{each}{at}/" for each in addresses))]
    if name:
        parts.append(_("{name} works on most phones, but not on every Android.", name=f"http://{name}{at}/"))
    if not port:
        parts.append(_("In place of PORT, write the number that `tablekeeper run` prints."))
    yield Finding("network", True, joined(" ", parts))


def port(at: int, host: str, explain: Callable[[int, OSError], tuple[TextLike, TextLike]]) -> Iterator[Finding]:
    """Checks whether the pages can be served on the port `at`. If not, `explain` returns the message and the remedy."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, at))
            probe.listen()
        except OSError as error:
            yield Finding("port", False, *explain(at, error))
            return
    yield Finding("port", True, _("Port {number} is free.", number=at) if at else _("Any free port works."))


def wifi(path: Path = WIRELESS) -> Iterator[Finding]:
    """Checks how strong the Wi-Fi is. Yields nothing for a machine without Wi-Fi."""
    try:
        lines = path.read_text().splitlines()[2:]
    except OSError:
        return
    for line in lines:
        name, _colon, values = line.partition(":")
        try:
            dbm = round(float(values.split()[2]))
        except (IndexError, ValueError):
            continue
        is_fine = dbm >= MIN_SIGNAL_DBM
        message = _("The signal of the Wi-Fi network {name} is {dbm} dBm.", name=name.strip(), dbm=dbm)
        yield Finding("wifi", is_fine, message, "" if is_fine else _("Move the table’s computer or the router closer."))
