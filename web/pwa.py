"""What lets a phone keep the table as an app: its manifest, its icons, and the page that it shows while the table can't
be reached. Browsers take the script for that from `https` or this very machine only; elsewhere the page just does not
load, as any other."""

from __future__ import annotations

import json

from flask import Blueprint, Response, current_app, render_template

from companion.text.translation import _, language
from web.render import asset

ICONS = (192, 512)
"""Sides of the icons, in pixels."""
SHELL = ("style.css", "pages.css", "offline.js", "icon.svg")
"""What the page for a lost table is made of."""


def routes() -> Blueprint:
    """The addresses."""
    made = Blueprint("install", __name__)
    made.add_url_rule("/manifest.webmanifest", view_func=manifest)
    made.add_url_rule("/sw.js", view_func=worker)
    made.add_url_rule("/offline", view_func=offline)
    made.add_url_rule("/apple-touch-icon.png", view_func=touch_icon)
    return made


def manifest() -> Response:
    """What the app is called and looks like on a home screen."""
    sizes = [{"src": asset(f"icon-{side}.png"), "sizes": f"{side}x{side}", "type": "image/png"} for side in ICONS]
    value = {
        "name": "Tablekeeper",
        "short_name": "Tablekeeper",
        "description": _("The table that keeps the book"),
        "lang": language(),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#17233f",
        "theme_color": "#17233f",
        "icons": [{"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"}, *sizes],
    }
    return Response(json.dumps(value), mimetype="application/manifest+json")


def worker() -> Response:
    """The script that stands in while the table can't be reached; it keeps nothing that a seat may see."""
    kept = ["/offline", *(asset(name) for name in SHELL)]
    return Response(render_template("sw.js", kept=kept, name=kept[1]), mimetype="text/javascript")


def touch_icon() -> Response:
    """The icon that iPhones look for at this address, where no page names one: pages stay light."""
    return current_app.send_static_file("icon-180.png")


def offline() -> str:
    """The page for a table that can't be reached."""
    return render_template("offline.html")
