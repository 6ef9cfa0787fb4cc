"""The doctor's checks of the network: whether phones can reach this machine, and whether the port is free."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence

from companion.diagnostics.findings import Finding
from companion.text.messages import TextLike, _, joined

HTTP_PORT = 80
"""The port that browsers assume if an address names none."""


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
