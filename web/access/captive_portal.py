"""The captive portal of the hotspot: a phone that has joined it asks a page of its maker whether there is an internet,
and is led to the table instead."""

from __future__ import annotations

from flask import redirect, request
from werkzeug.wrappers import Response

from companion.wifi import HOTSPOT_ADDRESS
from web.addresses import lan_addresses

PROBES = (
    "captive.apple.com",
    "clients3.google.com",
    "connectivity-check.ubuntu.com",
    "connectivitycheck.android.com",
    "connectivitycheck.gstatic.com",
    "connectivitycheck.platform.hicloud.com",
    "detectportal.firefox.com",
    "network-test.debian.org",
    "www.msftconnecttest.com",
    "www.msftncsi.com",
)
"""The host names that phones and computers ask whether there is an internet."""


def lead_to_table() -> Response | None:
    """Answers such a question with the way to the join page, while the hotspot is open. All other requests pass. The
    answer says nothing about the game, so it is safe that its host name is not this machine's."""
    is_question = request.method in ("GET", "HEAD") and request.host.lower().partition(":")[0] in PROBES
    if is_question and HOTSPOT_ADDRESS in lan_addresses():
        return redirect(f"http://{HOTSPOT_ADDRESS}/join")
    return None
