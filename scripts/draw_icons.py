"""Draws the icons for the home screens of phones, from web/static/icon.svg. Needs Chromium.

.venv/bin/python scripts/draw_icons.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser import chromium, new_page  # noqa: E402

STATIC = ROOT / "web" / "static"
SIZES_PX = (180, 192, 512)
"""The width and height of each icon, in pixels. iPhones take 180."""


def main() -> None:
    """Draws the icon in each size on an opaque background, with a wide margin because phones crop icons to shapes of
    their own."""
    svg = (STATIC / "icon.svg").read_text().replace("#17233f", "#24355e")
    with chromium() as browser:
        for size_px in SIZES_PX:
            page = new_page(browser, {"width": size_px, "height": size_px})
            style = "margin:0;background:#17233f;display:grid;place-items:center;height:100vh"
            page.set_content(f'<body style="{style}"><div style="width:64vw">{svg}</div></body>')
            page.screenshot(path=STATIC / f"icon-{size_px}.png")


if __name__ == "__main__":
    main()
