"""Draws pictures of every page of the dashboard in every interesting state, with Chromium: docs/pages/, docs/pages.md
and the pictures of the README. Policies play the games until these states are reached. Nothing is loaded from the
network.

.venv/bin/python scripts/screenshot_pages.py               # all pictures
.venv/bin/python scripts/screenshot_pages.py sf-mine cm-   # only those whose names begin with sf-mine or cm-

A picture is written only if it has changed: if its size differs, or if more than MAX_NOISY_PIXELS of its pixels differ
by more than MAX_NOISE in some color. The old and the new picture are compared as they are after compression. The clock,
the join code and the address on the pages are fixed, so that they do not make pictures differ.
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

from tests.appliance_scene import APPLIANCE, opened_appliance  # noqa: E402
from tests.browser import chromium  # noqa: E402
from tests.page_scenes import SCENES, SIMULATED  # noqa: E402
from tests.page_states import PageState, opened, simulated  # noqa: E402
from tests.venue_scene import VENUE, opened_venue  # noqa: E402

DOCS = ROOT / "docs"
MAX_COLORS, QUALITY = 256, 75
"""The number of colors in a lossless picture, and the quality of a lossy one. Drawn pages need no more colors.
Photographs make smaller files with lossy compression; the smaller file is kept."""
WIDTHS_PX = {"phone": 260, "desk": 560}
"""Maps each device to the width of its pictures in docs/pages.md, in pixels. The name of a look begins with its device:
`phone-dark` is a look on a phone."""
BACKGROUND = "#c9d1e0"
MAX_NOISE = 32
"""The largest difference in a color channel (0 to 255) that is ignored, because another machine may draw slightly
different colors."""
MAX_NOISY_PIXELS = 8
"""How many pixels may differ by more than `MAX_NOISE`. A changed letter changes more pixels than that."""
CLOCK, ADDRESS = "2026-01-31T18:00:00+00:00", "http://192.168.1.20"
"""The time of every act and the address of the table, as the pages show them."""
README: dict[str, Sequence[str]] = {
    "phones": ("sf-mine-phone", "sw-mine-phone", "tc-mine-phone", "cm-mine-phone"),
    "phones-dark": ("sf-repair-phone-dark", "sw-tell-phone-dark", "tc-go-phone-dark", "cm-card-phone-dark"),
    "tables": ("sf-table-desk", "sw-table-desk", "tc-table-desk", "cm-table-desk"),
}
"""Maps the name of each combined picture of the README to the pictures that are combined in it."""
PICTURES_PER_ROW = {"phones": 4, "phones-dark": 4, "tables": 2}
"""Maps the name of each combined picture of the README to how many pictures it has in a row."""
Open = Callable[[PageState, str], Any]


def picture_name(page_state: PageState, look: str) -> str:
    """The name of the picture of a page state in one look, such as `sf-mine` in `phone-dark`: `sf-mine-phone-dark`."""
    return f"{page_state.name}-{look}"


class Picture(NamedTuple):
    """The file of a picture. `changed`: whether the picture has changed and the file was written."""

    path: Path
    changed: bool


def draw(
    open_page: Open, page_states: Iterable[PageState], folder: Path, prefixes: Sequence[str] = ()
) -> Iterator[Picture]:
    """Draws page states in each of their looks, and yields the pictures. With prefixes, draws only the pictures whose
    names begin with one of them."""
    for page_state in page_states:
        for look in page_state.looks:
            if not prefixes or picture_name(page_state, look).startswith(tuple(prefixes)):
                page = open_page(page_state, look)
                yield write_if_changed(screenshot(page), folder / f"{picture_name(page_state, look)}.webp")
                page.context.close()


def screenshot(page: Any) -> Image.Image:
    """A screenshot of a page, taken after its fonts are loaded and its animations have ended."""
    page.evaluate("document.fonts.ready")
    page.evaluate(
        "Promise.all(document.getAnimations().filter((one) => one.timeline === document.timeline)"
        ".map((one) => one.finished.catch(() => {})))"
    )  # animations that follow scrolling never end
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def write_if_changed(picture: Image.Image, path: Path) -> Picture:
    """Writes the picture to `path` as a small WebP file if there is no file yet, or if the picture has changed."""
    data = min(as_webp(with_common_colors(picture), lossless=True), as_webp(picture, quality=QUALITY), key=len)
    changed = not path.exists() or has_changed(Image.open(path), Image.open(io.BytesIO(data)))
    if changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Picture(path, changed)


def has_changed(old: Image.Image, new: Image.Image) -> bool:
    """Whether two pictures differ by more than the noise between two runs of this script."""
    if old.size != new.size:
        return True
    bands = ImageChops.difference(old.convert("RGB"), new.convert("RGB")).split()
    largest = reduce(ImageChops.lighter, bands)
    return sum(largest.histogram()[MAX_NOISE + 1 :]) > MAX_NOISY_PIXELS


def with_common_colors(picture: Image.Image) -> Image.Image:
    """The picture with only its `MAX_COLORS` most common colors. Rare colors are at the edges of letters."""
    counted = sorted(picture.getcolors(picture.width * picture.height) or (), reverse=True)[:MAX_COLORS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, color in counted for part in color])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB")


def as_webp(picture: Image.Image, **how: Any) -> bytes:
    """The picture as the bytes of a WebP file. `how`: Pillow's options for that format."""
    written = io.BytesIO()
    picture.save(written, "webp", method=6, **how)
    return written.getvalue()


def side_by_side(pictures: Sequence[Image.Image], row: int) -> Image.Image:
    """Pictures of the same size combined into one, with `row` pictures in each row, on the background color of the
    pages."""
    gap, (width, height) = 20, pictures[0].size
    rows = -(-len(pictures) // row)
    sheet = Image.new("RGB", (gap + (width + gap) * row, gap + (height + gap) * rows), BACKGROUND)
    for n, picture in enumerate(pictures):
        sheet.paste(picture, (gap + (width + gap) * (n % row), gap + (height + gap) * (n // row)))
    return sheet


def index() -> str:
    """The text of docs/pages.md: every picture, with its description."""
    lines = ["# Every page, in every state", "", "Drawn by `make docs`, from games that play themselves."]
    chapters = [(scene.title, scene.page_states) for scene in SCENES]
    besides = (
        ("The simulated table and the camera", SIMULATED),
        ("A table without a console", APPLIANCE),
        ("A club", VENUE),
    )
    for title, page_states in (*chapters, *besides):
        lines += ["", f"## {title}", "", *map(page_entry, page_states)]
    return "\n".join(lines) + "\n"


def page_entry(page_state: PageState) -> str:
    """The description of a page state and its pictures, for docs/pages.md."""
    pictures = (
        f'<img src="pages/{picture_name(page_state, look)}.webp" width="{WIDTHS_PX[look.split("-")[0]]}"'
        f' alt="{page_state.says}">'
        for look in page_state.looks
    )
    return f"{page_state.says}\n\n{' '.join(pictures)}\n"


def main(prefixes: Sequence[str]) -> None:
    """Draws all pictures, or those whose names begin with one of the prefixes."""
    folder = DOCS / "pages"
    with fixed_surroundings(), chromium() as browser, tempfile.TemporaryDirectory() as data:
        for scene in SCENES:
            if not prefixes or any(
                picture_name(page_state, "").startswith(tuple(prefixes)) for page_state in scene.page_states
            ):
                with opened(browser, scene) as open_page:
                    report(draw(open_page, scene.page_states, folder, prefixes))
        if not prefixes or any(page_state.name.startswith(tuple(prefixes)) for page_state in SIMULATED):
            with simulated(browser, Path(data)) as open_page:
                report(draw(open_page, SIMULATED, folder, prefixes))
        if not prefixes or any(page_state.name.startswith(tuple(prefixes)) for page_state in APPLIANCE):
            with opened_appliance(browser, Path(data)) as open_page:
                report(draw(open_page, APPLIANCE, folder, prefixes))
        if not prefixes or any(page_state.name.startswith(tuple(prefixes)) for page_state in VENUE):
            with opened_venue(browser) as open_page:
                report(draw(open_page, VENUE, folder, prefixes))
    for name, parts in README.items():
        pictures = [Image.open(folder / f"{part}.webp") for part in parts]
        report([write_if_changed(side_by_side(pictures, PICTURES_PER_ROW[name]), DOCS / f"{name}.webp")])
    (DOCS / "pages.md").write_text(index())


@contextmanager
def fixed_surroundings() -> Iterator[None]:
    """Fixes the clock and the address of the table in this process during the block, so that two runs draw the same
    pictures."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    with (
        patch("companion.match.match.now", lambda: CLOCK),
        patch("companion.match.journal.now", lambda: CLOCK),
        patch("web.addresses.base_url", lambda: ADDRESS),
    ):
        yield


def report(pictures: Iterable[Picture]) -> None:
    """Prints the path of each picture, and whether the file was written."""
    for path, changed in pictures:
        print("written  " if changed else "unchanged", path.relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
