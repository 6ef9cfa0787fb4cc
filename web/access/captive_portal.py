"""The captive portal of the hotspot. To find out whether it can reach the internet, a phone that joins the hotspot
requests a test page from its manufacturer (a captive-portal probe). That request is redirected to the table."""

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
    "nmcheck.gnome.org",
    "www.google.com",
    "www.msftconnecttest.com",
    "www.msftncsi.com",
)
"""The host names of the pages that phones and computers request to find out whether they can reach the internet."""


def lead_to_table() -> Response | None:
    """While the hotspot is open, redirects a request for one of PROBES to the join page; returns None for any other
    request. The redirect says nothing about the game, so it is safe even though the host name in the request is not
    this machine's."""
    is_question = request.method in ("GET", "HEAD") and request.host.lower().partition(":")[0] in PROBES
    if is_question and HOTSPOT_ADDRESS in lan_addresses():
        return redirect(f"http://{HOTSPOT_ADDRESS}/join")
    return None
