"""Draws docs/card.webp, the animation of the README: cards are put on the simulated table, the camera reads them, and
the page on a phone changes. Runs a real service and a real browser. Nothing is loaded from the network.

.venv/bin/python scripts/draw_animation.py
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from companion.games import GAMES  # noqa: E402
from companion.tabletop.mat import Point  # noqa: E402
from tests.browser import DESKTOP, PHONE, chromium, new_page  # noqa: E402
from tests.running_service import RunningService, join_code, until  # noqa: E402

TARGET = ROOT / "docs" / "card.webp"
SIZE_PX, MAT_WIDTH_PX, GAP_PX = (880, 440), 640, 16
"""The size of the animation, the width of the table in it, and the gaps around table and phone."""
BACKGROUND = "#c9d1e0"
QUALITY = 60
STEPS = 8
"""The number of steps in which a card is moved from the deck to its place."""
STEP_MS, READ_MS, CHANGED_MS = 110, 600, 3300
"""How long a step lasts, how long a card lies on the table before the phone changes, and how long the change stays."""
DECK, ESCAPE = (389.0, 180.0), ((389.0, 76.0), (389.0, 84.0))
"""Places on the mat of Systems Failing, in mm: the deck, and where dragging the card with the escape sequence begins
and ends."""
PLACES = ((157.0, 283.0), (157.0, 180.0), (233.0, 283.0), (309.0, 283.0))
"""Where the first disaster cards belong on the mat, in mm."""
START = {
    "game": "systems-failing",
    "seats": 2,
    "options": {},
    "dealers": {"cards": "table"},
    "players": ["Ann", "Ben"],
}


class Film:
    """The frames of the animation: the simulated table beside a phone. `table` and `phone` are their pages."""

    def __init__(self, table: Any, phone: Any) -> None:
        self.table, self.phone = table, phone
        self.frames: list[Image.Image] = []
        self.durations_ms: list[int] = []
        self._on_phone = _picture(phone)

    def add(self, duration_ms: int, *, phone_changed: bool = False) -> None:
        """Adds a frame that is shown for `duration_ms`. Takes a new picture of the phone only if `phone_changed`."""
        if phone_changed:
            self._on_phone = _picture(self.phone)
        mat = self.table.locator("#mat").locator("..").bounding_box()
        guide = self.table.locator("main").bounding_box()["y"]
        clip = {**mat, "y": guide, "height": mat["y"] + mat["height"] - guide}
        frame = Image.new("RGB", SIZE_PX, BACKGROUND)
        _paste(frame, _picture(self.table, clip), MAT_WIDTH_PX, GAP_PX)
        height = SIZE_PX[1] - 2 * GAP_PX
        _paste(frame, self._on_phone, round(height * PHONE["width"] / PHONE["height"]), MAT_WIDTH_PX + 2 * GAP_PX)
        self.frames.append(frame)
        self.durations_ms.append(duration_ms)

    def write(self, path: Path) -> None:
        """Writes the animation to a file."""
        first, *others = self.frames
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=self.durations_ms,
            loop=0,
            quality=QUALITY,
            method=6,
            allow_mixed=True,
        )


def _picture(page: Any, clip: Any = None) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")


def _paste(frame: Image.Image, picture: Image.Image, width: int, left: int) -> None:
    """Pastes a picture into a frame: scaled to `width` px, `left` px from the left edge, and vertically centered."""
    height = round(picture.height * width / picture.width)
    frame.paste(picture.resize((width, height), Image.Resampling.LANCZOS), (left, (frame.height - height) // 2))


def _on_screen(table: Any, place: Point) -> Point:
    """The position on the screen of a place on the mat (in mm)."""
    mat = GAMES["systems-failing"].physical.components.mat
    assert mat
    box = table.locator("#mat").bounding_box()
    (x, y), (width, height) = place, mat.size
    return box["x"] + x / width * box["width"], box["y"] + y / height * box["height"]


def _drag(table: Any, start: Point, end: Point, film: Film | None = None) -> None:
    """Moves a card on the table, and films each step."""
    table.mouse.move(*_on_screen(table, start))
    table.mouse.down()
    for step in range(1, STEPS + 1):
        part = step / STEPS
        place = start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
        table.mouse.move(*_on_screen(table, place))
        if film:
            film.add(STEP_MS)
    table.mouse.up()


def _version(phone: Any) -> int:
    return int(phone.evaluate("fetch('/api/view').then((answer) => answer.json()).then(({ version }) => version)"))


def _put(table: Any, phone: Any, start: Point, end: Point, film: Film | None = None) -> None:
    """Moves a card from `start` to `end` on the mat (mm), and waits until the phone shows it. `film`: the film to which
    the frames are added."""
    before = _version(phone)
    _drag(table, start, end, film)
    if film:
        film.add(READ_MS)
    until(lambda: _version(phone) > before, "the move of the card")
    phone.wait_for_timeout(1000)  # its page has been updated, and its animations have ended


def main() -> None:
    """Draws the animation, and prints its size."""
    with (
        tempfile.TemporaryDirectory() as data,
        RunningService(Path(data), "--simulate") as service,
        chromium() as browser,
    ):
        table, phone = new_page(browser, DESKTOP), new_page(browser, PHONE)
        table.goto(service.host_link)
        table.request.post(
            f"{service.address}/api/start", data=json.dumps(START), headers={"Content-Type": "application/json"}
        )
        table.goto(f"{service.address}/host")
        phone.request.post(f"{service.address}/api/join", data={"code": join_code(table.content()), "seat": 0})
        table.goto(f"{service.address}/simulator")
        table.locator(".pile-top").first.wait_for()
        phone.goto(f"{service.address}/play")
        _put(table, phone, *ESCAPE)
        table.get_by_role("button", name="Fix the table for me").click()
        phone.get_by_text("To fix").wait_for(state="hidden")
        phone.wait_for_timeout(2000)
        film = Film(table, phone)
        film.add(1500)
        for place in PLACES:
            _put(table, phone, DECK, place, film)
            film.add(CHANGED_MS, phone_changed=True)
        film.write(TARGET)
    seconds = sum(film.durations_ms) / 1000
    print(f"{TARGET}: {seconds:.0f} s, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
