"""Decides who may set up a new table, and so become its host, if nobody can read the host link on a console."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable

from flask import request

from companion.text.messages import _
from companion.wifi import HOTSPOT_ADDRESS
from web.access.lobby import Lobby
from web.addresses import is_local, is_proxied, lan_addresses
from web.error_responses import RequestError

HOTSPOT_NETWORK = ipaddress.ip_network(f"{HOTSPOT_ADDRESS}/24", strict=False)
OFFER_S = 15 * 60.0
"""For how long after the start a browser in the home network may set up a new table, in seconds. Whoever is too late
can unplug the table and plug it in again, which only people at the table can do."""


class FirstHostOffer:
    """The offer to set up a new table. It is always open to browsers in the table's own Wi-Fi, which requires a
    password. To browsers in the home network it is open for OFFER_S. `has_console`: whether somebody can read the host
    link where the service was started; if so, browsers in the home network get no offer."""

    def __init__(self, lobby: Lobby, *, has_console: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._lobby, self._has_console, self._clock = lobby, has_console, clock
        self._until = clock() + OFFER_S

    def is_made(self) -> bool:
        """Whether the offer is open to the requesting browser."""
        if not self._lobby.is_new_table or is_proxied():
            return False
        return _is_in_hotspot() or (not self._has_console and self._clock() < self._until and _is_in_home_network())

    def accept(self, token: str | None) -> str:
        """Makes the requesting browser the host of the new table, and returns the browser's token. Raises RequestError
        if the offer is not open to this browser."""
        if self._lobby.is_new_table and not self.is_made():
            message = _("It’s too late for that. Switch the table off and on again, then try within 15 minutes.")
            raise RequestError(403, "too_late", message)
        return self._lobby.claim_new_table(token)


def _is_in_hotspot() -> bool:
    """Whether the request comes through the hotspot of this table."""
    address = ipaddress.ip_address(request.remote_addr or "::")
    return address in HOTSPOT_NETWORK and HOTSPOT_ADDRESS in lan_addresses()


def _is_in_home_network() -> bool:
    """Whether the request comes from another device with a private address."""
    return ipaddress.ip_address(request.remote_addr or "::").is_private and not is_local()
