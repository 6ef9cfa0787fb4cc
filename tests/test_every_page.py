"""The list of pages and states is whole, docs/pages.md shows all of it, and what draws it works."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from companion.games import GAMES
from scripts.draw_pages import DOCS, README, draw, index, named
from tests.browser import CHROMIUM
from tests.every_page import opened
from tests.every_scene import SCENES, SIMULATED
from tests.test_accessibility import complaints, fits
from tests.test_setup_page import Place

SIGHTS = [*(page_state for scene in SCENES for page_state in scene.sights), *SIMULATED]
USUAL = (
    "mine",
    "other",
    "table",
    "repair",
    "rule",
    "tell",
    "own",
    "role",
    "go",
    "signal",
    "card",
    "end",
    "log",
    "large",
)
"""What tests/test_accessibility.py reads with axe in each game, by the last words of the sights' names."""
RARE = {
    scene.name: sights
    for scene in SCENES
    if scene.game
    and (sights := [page_state for page_state in scene.sights if page_state.name.split("-", 1)[1] not in USUAL])
}
"""All else that there is to see of games, by scene."""
WIDE = ("system-won-unseen",)
"""Where a phone's window cuts a hand down to a line, which axe takes for a target too small."""
in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
BESIDES = ("/simulator", "/trust")
"""Pages that not every service has."""
PICTURES = [named(page_state, look) for page_state in SIGHTS for look in page_state.looks]


def test_every_page_is_in_the_list() -> None:
    """Whatever answers in HTML: a page that comes new must be shown, too."""
    routes = Place().app.url_map
    pages = {rule.endpoint for rule in routes.iter_rules() if "GET" in (rule.methods or ()) and _is_page(rule.rule)}
    found = routes.bind("")
    listed = {
        found.match(page_state.path.split("?")[0])[0]
        for page_state in SIGHTS
        if page_state.path not in (*BESIDES, "/nothing-here")
    }
    assert pages - listed == set()
    assert {page_state.path for page_state in SIGHTS} >= set(BESIDES)


def _is_page(path: str) -> bool:
    """Not the way in, which only leads on; not what programs and the page's own script fetch; no file."""
    return path != "/" and "." not in path and not path.startswith(("/api/", "/static/", "/healthz", "/setup/now"))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_in_the_list(game: str) -> None:
    """My turn, light and dark and in German; another's; a sheet; the end; the table's screen; the look back."""
    sights = [page_state for scene in SCENES if scene.game == game for page_state in scene.sights]
    mine = next(page_state for page_state in sights if page_state.name.endswith("-mine"))
    assert {"phone", "phone-dark", "phone-german", "desk"} <= set(mine.looks)
    assert {"other", "table"} <= {page_state.name.split("-", 1)[1] for page_state in sights}
    assert {"/play", "/table"} <= {
        page_state.path for page_state in sights if page_state.name.endswith(("-over", "-won", "-table"))
    }
    assert any(page_state.name == mine.name.replace("-mine", "").join(("past-", "")) for page_state in SIGHTS)


def test_the_index_shows_every_picture_and_no_other() -> None:
    """docs/pages.md is the list's, and each picture that it shows was drawn; `make docs` mends it."""
    assert len(PICTURES) == len(set(PICTURES))
    assert (DOCS / "pages.md").read_text() == index()
    assert {path.stem for path in (DOCS / "pages").iterdir()} == set(PICTURES)
    assert {part for parts in README.values() for part in parts} <= set(PICTURES)


@pytest.mark.browser
@in_a_browser
@pytest.mark.parametrize("name", RARE)
def test_axe_finds_nothing_in_states_that_are_rare(browser: Any, name: str) -> None:
    """Each once, by day and in the dark in turns, on a phone or on the screen that it is for, where all of it is in
    sight at once."""
    scene, found = next(scene for scene in SCENES if scene.name == name), []
    with opened(browser, scene) as open_page:
        for page_state, dark in zip(RARE[name], cycle(("-dark", ""))):
            page = open_page(page_state, ("desk" if page_state.path == "/table" or name in WIDE else "phone") + dark)
            found += complaints(page)
            if page_state.path == "/table":
                found += [] if fits(page) else [f"{page_state.name} must be scrolled"]
            page.context.close()
    assert found == []


@pytest.mark.browser
@in_a_browser
def test_pages_are_drawn(browser: Any, tmp_path: Path) -> None:
    """Free seats, the host's page, a table's screen: each picture as large as its window, and not blank."""
    scene = next(scene for scene in SCENES if scene.name == "seats")
    with opened(browser, scene) as open_page:
        drawn = list(draw(open_page, scene.sights, tmp_path))
    assert [path.stem for path in drawn] == [
        named(page_state, look) for page_state in scene.sights for look in page_state.looks
    ]
    for path in drawn:
        picture = Image.open(path)
        assert picture.size == ((1280, 800) if "desk" in path.stem else (390, 844))
        assert len(picture.convert("P").getcolors() or ()) > 8
