"""Keys of buttons: they name a button on a page for as long as its labels stay the same."""

from __future__ import annotations

import re


def slug(label: str) -> str:
    """A label as part of a key."""
    return re.sub(r"[\W_]+", "-", label.lower()).strip("-") or "x"


def button_key(*path: str) -> str:
    """The key of the button at the end of a path of labels. It stays the same as long as the path does."""
    return "-".join(("do", *map(slug, path)))
