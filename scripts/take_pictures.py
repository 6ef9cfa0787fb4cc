"""Takes the pictures of the pages that README.md shows: three games on three phones, and a table's screen.

.venv/bin/python scripts/take_pictures.py        # writes docs/phones.png and docs/commute.png anew; needs Chromium
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from companion import notation  # noqa: E402
from companion.games.commute.careful import careful as commute  # noqa: E402
from companion.games.rules import Move, Seat  # noqa: E402
from companion.games.system_won.careful import careful as system_won  # noqa: E402
from companion.games.traffic_congestion.careful import careful as traffic_congestion  # noqa: E402
from companion.journal import Journal  # noqa: E402
from companion.table import Table  # noqa: E402
from tests.browser import DESK, PHONE, chromium, new_page  # noqa: E402
from tests.phones import Home  # noqa: E402
from tests.tables import seen  # noqa: E402
from tests.test_web_events import served  # noqa: E402

DOCS = ROOT / "docs"
NAMES = ("Ann", "Ben", "Cy")
COLOURS = 128
"""In a picture: flat pages need no more, and the file is a third as large."""
Policy = Callable[[dict[str, Any], Seat, Sequence[Move], Random], Move]


@dataclass(frozen=True)
class Scene:
    """A game after so many acts of a policy."""

    game: str
    options: Mapping[str, str]
    policy: Policy
    acts: int


SCENES = (
    Scene("system-won", {"aids": "counting"}, system_won, 16),
    Scene("traffic-congestion", {}, traffic_congestion, 40),
    Scene("commute", {"rounds": "2"}, commute, 22),
)


def played(scene: Scene) -> Table:
    """A table where that much was played, and a player has the turn."""
    table, rng = Table(Journal(None)), Random(5)
    table.start(scene.game, len(NAMES), scene.options, {}, NAMES, "seed1")
    for _ in range(scene.acts):
        if seen(table).pause:
            table.proceed(None)
        else:
            act(table, scene.policy, rng)
    return table


def act(table: Table, policy: Policy, rng: Random) -> None:
    """The seat in turn does what the policy says."""
    seat = in_turn(table)
    mine = seen(table, seat)
    move = policy({**mine.state, **mine.details}, seat, mine.legal, rng)
    table.submit(seat, notation.to_json(move), None, None)


def in_turn(table: Table) -> Seat:
    """Whose turn it is; a scene ends before its game does."""
    turn = seen(table).turn
    assert isinstance(turn, int), turn
    return Seat(turn)


def phone_and_screen(browser: Any, table: Table) -> tuple[bytes, bytes]:
    """The page of the seat in turn, and the table's."""
    home, turn = Home(table), in_turn(table)
    with served(home) as server:
        base = f"http://127.0.0.1:{server.port}"
        phone = new_page(browser, PHONE)
        phone.goto(f"{base}/join")
        phone.request.post(f"{base}/api/join", data={"code": home.desk.code, "seat": turn})
        screen = new_page(browser, DESK)
        return shot(phone, f"{base}/play"), shot(screen, f"{base}/table")


def shot(page: Any, address: str) -> bytes:
    """The page as a PNG, once its letters are there."""
    page.goto(address)
    page.evaluate("document.fonts.ready")
    picture: bytes = page.screenshot()
    page.close()
    return picture


def side_by_side(pictures: Sequence[bytes]) -> Image.Image:
    """Pictures in a row, on the pages' own ground."""
    images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    gap, (width, height) = 20, images[0].size
    row = Image.new("RGB", (gap + (width + gap) * len(images), height + 2 * gap), "#c9d1e0")
    for n, image in enumerate(images):
        row.paste(image, (gap + (width + gap) * n, gap))
    return row


def keep(image: Image.Image, name: str) -> None:
    """Writes it, small."""
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(DOCS / name, optimize=True)
    print(DOCS / name, (DOCS / name).stat().st_size)


def main() -> None:
    """Takes them all."""
    with chromium() as browser:
        taken = [phone_and_screen(browser, played(scene)) for scene in SCENES]
    keep(side_by_side([phone for phone, _ in taken]), "phones.png")
    keep(Image.open(io.BytesIO(taken[-1][1])).convert("RGB"), "commute.png")


if __name__ == "__main__":
    main()
