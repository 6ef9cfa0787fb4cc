"""The title of a page and the URLs of static files, for the page's head."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from flask import current_app

from companion.text.messages import TextLike, joined
from web.templating.file_bundling import last_change


def page_title(what: TextLike) -> TextLike:
    """The title of a page for the browser's tab: `what`, then the product's name."""
    return joined(" – ", (what, "Tablekeeper"))


def asset(name: str) -> str:
    """The URL of a static file. It changes when the file has changed and the service is started again, so browsers may
    cache it forever."""
    return _asset_url(current_app.static_folder or "", name)


@cache
def _asset_url(folder: str, name: str) -> str:
    return f"/static/{name}?v={last_change(Path(folder) / name)}"
