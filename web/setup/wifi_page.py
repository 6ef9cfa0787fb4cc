"""The page on which the host enters a Wi-Fi for the table. The password goes to NetworkManager only. It never appears
in a page, a log or a support bundle."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from flask import Blueprint, render_template, request

from companion.text.messages import TextLike, _
from companion.wifi import Network, Wifi, WifiError, password_problem
from web import addresses
from web.access.lobby import Lobby
from web.access.require_host import require_host
from web.addresses import mdns_name
from web.error_responses import RequestError

CONTROL_CHARACTER = re.compile("[\\x00-\\x1f\\x7f]")
"""A character that no command takes as part of a name."""
DELAY_S = 2.0
"""How long the table waits before it changes networks, in seconds. Meanwhile the host's browser gets its answer."""


def host_link(lobby: Lobby, name: str | None = None) -> str:
    """The link that makes a browser a host. `name`: another name of the table, to use instead of the one in the
    request. A browser does not send its cookie to another name, so it needs this link there."""
    base = urlsplit(addresses.base_url())
    host = f"{name}:{base.port}" if name and base.port else name or base.netloc
    return f"{base.scheme}://{host}/host?key={lobby.host_key}"


class WifiPage:
    """The request handlers for the page /setup/wifi."""

    def __init__(self, lobby: Lobby, wifi: Wifi) -> None:
        self._lobby, self._wifi = lobby, wifi
        self._lock = threading.Lock()
        self._problem: TextLike = ""

    def add_routes(self, routes: Blueprint) -> None:
        """Adds the routes to the set-up page's blueprint."""
        routes.add_url_rule("/wifi", view_func=self.page, endpoint="wifi")
        routes.add_url_rule("/wifi", view_func=self.join, endpoint="join_wifi", methods=["POST"])

    def page(self) -> str:
        """The page with the networks in reach, and why the last attempt failed."""
        require_host(self._lobby)
        try:
            networks, problem = self._wifi.networks(), self._problem
        except WifiError as error:
            networks, problem = (), error.message
        return render_template("wifi.html", networks=networks, problem=problem, joining="")

    def join(self) -> str:
        """Joins the network that the host has entered, a moment after the answer. Raises RequestError if the name or
        the password can't be valid, or if the table is already changing networks."""
        require_host(self._lobby)
        return self.start_joining(request.form.get("network", ""), request.form.get("password", ""), mdns_name())

    def start_joining(self, name: str, password: str, address: str | None) -> str:
        """Joins a network in a moment. Returns the page that says where the host will then find the table. `address` is
        the table's name in that network, if it has one. Raises RequestError as `join` does."""
        if not 1 <= len(name.encode()) <= 32 or CONTROL_CHARACTER.search(name):
            raise RequestError(422, "bad_network", _("Enter the name of the Wi-Fi."))
        if problem := password_problem(password):
            raise RequestError(422, "bad_password", problem)
        if not self._lock.acquire(blocking=False):
            raise RequestError(409, "joining", _("The table is already changing networks. Wait a minute."))
        threading.Thread(target=self._join, args=(name, password), name="wifi", daemon=True).start()
        link = host_link(self._lobby, address) if address else ""
        return render_template("wifi.html", networks=(), problem="", joining=name, link=link)

    def networks(self) -> Sequence[Network]:
        """The networks in reach, the strongest first; none if NetworkManager does not answer."""
        try:
            return self._wifi.networks()
        except WifiError:
            return ()

    def _join(self, name: str, password: str) -> None:
        log = logging.getLogger("wifi")
        try:
            time.sleep(DELAY_S)
            self._wifi.join(name, password)
            self._problem = ""
            log.info("Joined a Wi-Fi")
        except WifiError as error:
            self._problem = error.message
            log.warning("Couldn’t join the Wi-Fi: %s", error.message)
        finally:
            self._lock.release()
