"""Draws every page of the dashboard in every state that tells something, in a real Chromium: docs/pages/, docs/pages.md
and the pictures of the README. Nothing is loaded from outside, and the positions play themselves.

.venv/bin/python scripts/draw_pages.py               # all of them; needs Chromium
.venv/bin/python scripts/draw_pages.py sf-mine cm-   # those whose names begin so

A picture is written only if it has changed: if its size differs, or if more than MAX_NOISY_PIXELS of its pixels differ
by more than MAX_NOISE in some colour, both pictures decoded from the files as they are stored. The clock, the join code
and the address on the pages are fixed, so that they change nothing.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser import chromium  # noqa: E402
from tests.every_page import PageState, Scene, opened, simulated  # noqa: E402
from tests.every_scene import SCENES, SIMULATED  # noqa: E402

DOCS = ROOT / "docs"
COLOURS, QUALITY = 256, 75
"""Drawn pages need no more colours, and stay sharp; what is a photograph is kept as one, whichever is smaller."""
WIDTHS = {"phone": 260, "desk": 560}
"""Pixels on the index page, by the first word of a look."""
GROUND = "#c9d1e0"
MAX_NOISE = 32
"""The largest difference in a colour channel, of 255, that another run on another machine may make."""
MAX_NOISY_PIXELS = 8
"""How many pixels may differ more than that; a changed letter is more."""
CLOCK, ADDRESS = "2026-01-31T18:00:00+00:00", "http://192.168.1.20"
"""The time of every act, and where phones find the table, as the pages tell it."""
README: dict[str, Sequence[str]] = {
    "phones": ("sf-mine-phone", "sw-mine-phone", "tc-mine-phone", "cm-mine-phone"),
    "phones-dark": ("sf-repair-phone-dark", "sw-tell-phone-dark", "tc-go-phone-dark", "cm-card-phone-dark"),
    "tables": ("sf-table-desk", "sw-table-desk", "tc-table-desk", "cm-table-desk"),
}
"""What the README shows side by side."""
ROW = {"phones": 4, "phones-dark": 4, "tables": 2}
Open = Callable[[PageState, str], Any]


def named(page_state: PageState, look: str) -> str:
    """A picture's name."""
    return f"{page_state.name}-{look}"


class Drawn(NamedTuple):
    """A picture's file, and whether it was written."""

    path: Path
    changed: bool


def draw(open_page: Open, sights: Iterable[PageState], folder: Path, wanted: Sequence[str] = ()) -> Iterator[Drawn]:
    """Draws those of these sights whose names begin as wanted, in each of their looks."""
    for page_state in sights:
        for look in page_state.looks:
            if not wanted or named(page_state, look).startswith(tuple(wanted)):
                page = open_page(page_state, look)
                yield keep(taken(page), folder / f"{named(page_state, look)}.webp")
                page.context.close()


def taken(page: Any) -> Image.Image:
    """The page as it is, once its letters are there and nothing moves any more."""
    page.evaluate("document.fonts.ready")
    page.evaluate(
        "Promise.all(document.getAnimations().filter((one) => one.timeline === document.timeline)"
        ".map((one) => one.finished.catch(() => {})))"
    )  # what follows the scroll never ends
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def keep(picture: Image.Image, path: Path) -> Drawn:
    """Writes it, small, if it is not there yet or differs from what is there."""
    data = min(as_webp(flat(picture), lossless=True), as_webp(picture, quality=QUALITY), key=len)
    changed = not path.exists() or has_changed(Image.open(path), Image.open(io.BytesIO(data)))
    if changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Drawn(path, changed)


def has_changed(old: Image.Image, new: Image.Image) -> bool:
    """Whether they differ by more than the noise of drawing."""
    if old.size != new.size:
        return True
    bands = ImageChops.difference(old.convert("RGB"), new.convert("RGB")).split()
    largest = reduce(ImageChops.lighter, bands)
    return sum(largest.histogram()[MAX_NOISE + 1 :]) > MAX_NOISY_PIXELS


def flat(picture: Image.Image) -> Image.Image:
    """With its commonest colours alone, each as it is: what is rare lies at the edges of letters."""
    counted = sorted(picture.getcolors(picture.width * picture.height) or (), reverse=True)[:COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, colour in counted for part in colour])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB")


def as_webp(picture: Image.Image, **how: Any) -> bytes:
    """Its bytes."""
    written = io.BytesIO()
    picture.save(written, "webp", method=6, **how)
    return written.getvalue()


def side_by_side(pictures: Sequence[Image.Image], row: int) -> Image.Image:
    """Pictures of one size in rows, on the pages' own ground."""
    gap, (width, height) = 20, pictures[0].size
    rows = -(-len(pictures) // row)
    sheet = Image.new("RGB", (gap + (width + gap) * row, gap + (height + gap) * rows), GROUND)
    for n, picture in enumerate(pictures):
        sheet.paste(picture, (gap + (width + gap) * (n % row), gap + (height + gap) * (n // row)))
    return sheet


def index(scenes: Sequence[Scene] = SCENES, sights: Sequence[PageState] = SIMULATED) -> str:
    """docs/pages.md: every picture with its line."""
    lines = ["# Every page, in every state", "", "Drawn by `make docs`, from games that play themselves."]
    for scene in scenes:
        lines += ["", f"## {scene.title}", "", *map(shown, scene.sights)]
    return "\n".join((*lines, "", "## The simulated table and the camera", "", *map(shown, sights))) + "\n"


def shown(page_state: PageState) -> str:
    """A sight's line and its pictures."""
    pictures = (
        f'<img src="pages/{named(page_state, look)}.webp" width="{WIDTHS[look.split("-")[0]]}" alt="{page_state.says}">'
        for look in page_state.looks
    )
    return f"{page_state.says}\n\n{' '.join(pictures)}\n"


def main(wanted: Sequence[str]) -> None:
    """Draws them all, or those that are wanted."""
    folder = DOCS / "pages"
    with fixed_surroundings(), chromium() as browser, tempfile.TemporaryDirectory() as data:
        for scene in SCENES:
            if not wanted or any(named(page_state, "").startswith(tuple(wanted)) for page_state in scene.sights):
                with opened(browser, scene) as open_page:
                    told(draw(open_page, scene.sights, folder, wanted))
        if not wanted or any(page_state.name.startswith(tuple(wanted)) for page_state in SIMULATED):
            with simulated(browser, Path(data)) as open_page:
                told(draw(open_page, SIMULATED, folder, wanted))
    for name, parts in README.items():
        pictures = [Image.open(folder / f"{part}.webp") for part in parts]
        told([keep(side_by_side(pictures, ROW[name]), DOCS / f"{name}.webp")])
    (DOCS / "pages.md").write_text(index())


@contextmanager
def fixed_surroundings() -> Iterator[None]:
    """Meanwhile the tables of this process tell one time and one address; so two runs draw the same."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    with (
        patch("companion.match.match.now", lambda: CLOCK),
        patch("companion.match.journal.now", lambda: CLOCK),
        patch("web.urls.base_url", lambda: ADDRESS),
    ):
        yield


def told(drawn: Iterable[Drawn]) -> None:
    """Says of each picture whether it was written."""
    for path, changed in drawn:
        print("written  " if changed else "unchanged", path.relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
