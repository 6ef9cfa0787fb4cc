"""Makes the ids of buttons. An id identifies a button on a page as long as the button's labels stay the same."""

from __future__ import annotations

import re


def slug(label: str) -> str:
    """Converts a label to a part of an id: "Hull breach" to "hull-breach"."""
    return re.sub(r"[\W_]+", "-", label.lower()).strip("-") or "x"


def button_id(*path: str) -> str:
    """The id of the button at the end of a path of labels: "do-repair-hull-breach" for "Repair", "Hull breach"."""
    return "-".join(("do", *map(slug, path)))
