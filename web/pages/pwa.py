"""The table as a progressive web app: manifest, icons, and the page shown while the table can't be reached.

A service worker shows that page. Browsers run service workers only over https, or on this machine itself.
"""

from __future__ import annotations

import json

from flask import Blueprint, Response, current_app, render_template

from companion.text.messages import _
from web.localization import translate, translator
from web.templating.page_head import asset

ICON_SIZES_PX = (192, 512)
"""The side lengths of the square icons."""
OFFLINE_FILES = ("style.css", "pages.css", "reconnect.js", "icon.svg")
"""The static files that the offline page needs."""


def routes() -> Blueprint:
    """The blueprint with the routes of the web app."""
    blueprint = Blueprint("install", __name__)
    blueprint.add_url_rule("/manifest.webmanifest", view_func=manifest)
    blueprint.add_url_rule("/sw.js", view_func=service_worker)
    blueprint.add_url_rule("/offline", view_func=offline)
    blueprint.add_url_rule("/apple-touch-icon.png", view_func=touch_icon)
    return blueprint


def manifest() -> Response:
    """The web app manifest: the app's name, icons and colors."""
    sizes = [
        {"src": asset(f"icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"} for size in ICON_SIZES_PX
    ]
    value = {
        "name": "Tablekeeper",
        "short_name": "Tablekeeper",
        "description": translate(_("A companion for tabletop games")),
        "lang": translator().code,
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#17233f",
        "theme_color": "#17233f",
        "icons": [{"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"}, *sizes],
    }
    return Response(json.dumps(value), mimetype="application/manifest+json")


def service_worker() -> Response:
    """The service worker, which shows the offline page. It caches only the files of that page, and nothing about a
    game."""
    urls = ["/offline", *(asset(name) for name in OFFLINE_FILES)]
    return Response(render_template("sw.js", urls=urls, cache_name=urls[1]), mimetype="text/javascript")


def touch_icon() -> Response:
    """The icon for iPhones. No page needs to link to the icon, because iPhones look for it at this address by
    themselves."""
    return current_app.send_static_file("icon-180.png")


def offline() -> str:
    """The page that a phone shows while it can't reach the table."""
    return render_template("offline.html")
