"""The list of pages and states is complete, docs/pages.md shows all of it, and the script that draws it works."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from companion.games import GAMES
from scripts.screenshot_pages import (
    DOCS,
    MAX_NOISE,
    MAX_NOISY_PIXELS,
    README,
    as_webp,
    draw,
    has_changed,
    index,
    picture_name,
    write_if_changed,
)
from tests.appliance_scene import APPLIANCE, opened_appliance
from tests.browser import CHROMIUM, DESKTOP, new_page
from tests.layout_faults import NARROW, faults
from tests.off_screen import hidden, is_players_page
from tests.page_scenes import SCENES, SIMULATED
from tests.page_states import LANGUAGES, PageScene, PageState, opened
from tests.repetitions import is_thorough
from tests.test_accessibility import complaints, fits
from tests.test_setup_page import HostedSetupPage
from tests.venue_scene import VENUE

PAGE_STATES = [*(page_state for scene in SCENES for page_state in scene.page_states), *SIMULATED, *APPLIANCE]
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
"""The page states of each game that tests/test_accessibility.py checks with axe, by the last words of their names."""
WIDE = ("system-won-unseen",)
"""Page states where a phone's window cuts a hand to a narrow strip, which axe considers too small a target."""
in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
SHORT = (
    "sf-refused",
    "sf-asked",
    "sf-by-hand",
    "sf-won",
    "chair-handed-over",
    "sw-engineer",
    "sw-over",
    "tc-accept",
    "tc-won",
    "past-tc",
    "cm-uh-oh",
    "cm-won",
)
"""The rare page states that are checked unless the run is thorough: one of each kind, such as a question, a report of
what was dealt, a sheet with choices, and the end."""
BESIDES = ("/simulator", "/trust", "/setup/wifi")
"""Pages that only some services have."""
PICTURES = [picture_name(page_state, look) for page_state in (*PAGE_STATES, *VENUE) for look in page_state.looks]


def test_every_page_is_in_the_list() -> None:
    """Every address that answers in HTML is in the list of scenes, so that no new page is forgotten."""
    routes = HostedSetupPage().app.url_map
    pages = {rule.endpoint for rule in routes.iter_rules() if "GET" in (rule.methods or ()) and _is_page(rule.rule)}
    found = routes.bind("")
    listed = {
        found.match(page_state.path.split("?")[0])[0]
        for page_state in PAGE_STATES
        if page_state.path not in (*BESIDES, "/nothing-here")
    }
    assert pages - listed == set()
    assert {page_state.path for page_state in PAGE_STATES} >= set(BESIDES)


def _is_page(path: str) -> bool:
    """Whether there is a page at this path. The first page, which only redirects, does not count, nor do files and
    whatever programs and scripts fetch."""
    return (
        path != "/"
        and "." not in path
        and not path.startswith(("/api/", "/static/", "/healthz", "/metrics", "/setup/now"))
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_in_the_list(game: str) -> None:
    """For each game, the list has the player's own turn (light, dark and in German), another player's turn, a sheet,
    the end, the big screen and the replay."""
    page_states = [page_state for scene in SCENES if scene.game == game for page_state in scene.page_states]
    if not page_states:
        pytest.skip(f"{game} has no pictures yet: tests/page_scenes.py")
    mine = next(page_state for page_state in page_states if page_state.name.endswith("-mine"))
    assert {"phone", "phone-dark", "phone-german", "desk"} <= set(mine.looks)
    assert {"other", "table"} <= {page_state.name.split("-", 1)[1] for page_state in page_states}
    assert {"/play", "/table"} <= {
        page_state.path for page_state in page_states if page_state.name.endswith(("-over", "-won", "-table"))
    }
    assert any(page_state.name == mine.name.replace("-mine", "").join(("past-", "")) for page_state in PAGE_STATES)


def test_the_index_shows_every_picture_and_no_other() -> None:
    """docs/pages.md shows exactly the pictures of the list, and all of them exist. `make docs` updates it."""
    assert len(PICTURES) == len(set(PICTURES))
    assert (DOCS / "pages.md").read_text() == index()
    assert {path.stem for path in (DOCS / "pages").iterdir()} == set(PICTURES)
    assert {part for parts in README.values() for part in parts} <= set(PICTURES)


def is_rare(page_state: PageState) -> bool:
    """Whether a page state of a game is one that tests/test_accessibility.py leaves out."""
    return page_state.name.split("-", 1)[1] not in USUAL


def is_checked(page_state: PageState) -> bool:
    """Whether a page state of a game is checked in this run."""
    return page_state.name in SHORT or (is_thorough() and (is_rare(page_state) or is_players_page(page_state)))


def test_the_short_list_has_rare_states_only() -> None:
    """Every name in SHORT is a rare page state of a game."""
    assert {each.name for scene in SCENES if scene.game for each in scene.page_states if is_rare(each)} >= {*SHORT}


@pytest.mark.browser
@in_a_browser
@pytest.mark.parametrize("game", GAMES)
def test_axe_finds_nothing_in_rare_states_and_nothing_decisive_is_hidden(browser: Any, game: str) -> None:
    """axe finds nothing in each rare state, which is checked once, alternating between light and dark, in the window
    that it is made for, with the whole page visible. On players' pages, rare or not, nothing that players need for
    their turn is off a phone's screen or covered, in any language. Unless the run is thorough, only the states in SHORT
    are checked, each in one language, by turns."""
    page, found = new_page(browser), []
    themes, languages = cycle(("dark", "light")), cycle(LANGUAGES)
    for scene in (scene for scene in SCENES if scene.game == game):
        checked = [page_state for page_state in scene.page_states if is_checked(page_state)]
        if not checked:
            continue
        with opened(browser, scene, page) as open_page:
            for page_state in checked:
                look = "desk" if page_state.path == "/table" else next(languages)
                open_page(page_state, look)
                wrong = rare_complaints(page, scene, next(themes)) if is_rare(page_state) else []
                wrong += ["must be scrolled"] if page_state.path == "/table" and not fits(page) else []
                if is_players_page(page_state):
                    wrong += hidden(page, game)
                    for other in sorted({*LANGUAGES} - {look}) if is_thorough() else ():
                        open_page(page_state, other)
                        wrong += [f"{other}: {each}" for each in hidden(page, game)]
                found += [f"{page_state.name}, {look}: {each}" for each in wrong]
    assert found == []


def rare_complaints(page: Any, scene: PageScene, theme: str) -> list[str]:
    """What axe finds on an open page of a scene in this theme."""
    if scene.name in WIDE:
        page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme=theme)
    return [f"{theme}: {each}" for each in complaints(page)]


@pytest.mark.browser
@in_a_browser
def test_axe_finds_nothing_on_a_table_without_a_console(browser: Any, tmp_path: Path) -> None:
    """axe finds nothing on the pages for setting up a new table and its Wi-Fi, and on the page about the API, in light
    and dark; unless the run is thorough, each in one theme, by turns. Nothing is cut off in a narrow window."""
    found, themes = [], cycle((["light"], ["dark"]))
    with opened_appliance(browser, tmp_path) as open_page:
        api = next(page_state for page_state in PAGE_STATES if page_state.path == "/api")
        for page_state in (*APPLIANCE, api):
            page = open_page(page_state, "phone")
            for theme in ("light", "dark") if is_thorough() else next(themes):
                page.emulate_media(color_scheme=theme)
                found += complaints(page)
            found += faults(page, NARROW)
            page.context.close()
    assert found == []


@pytest.mark.browser
@in_a_browser
def test_pages_are_drawn(browser: Any, tmp_path: Path) -> None:
    """The script draws the host page on a phone and on a desktop, and the big screen. Each picture has the size of its
    window and is not blank."""
    scene = next(scene for scene in SCENES if scene.name == "seats")
    page_states = scene.page_states[1:3]
    with opened(browser, scene) as open_page:
        drawn = list(draw(open_page, page_states, tmp_path))
        again = list(draw(open_page, page_states[1:], tmp_path))
    assert all(changed for _, changed in drawn)
    assert not any(changed for _, changed in again)
    assert [path.stem for path, _ in drawn] == [
        picture_name(page_state, look) for page_state in page_states for look in page_state.looks
    ]
    for path, _ in drawn:
        picture = Image.open(path)
        assert picture.size == ((1280, 800) if "desk" in path.stem else (390, 844))
        assert len(picture.convert("P").getcolors() or ()) > 8


def page(words: str = "Your turn", size: tuple[int, int] = (390, 844)) -> Image.Image:
    """An image of this size that shows a few words."""
    picture = Image.new("RGB", size, "#e9edf4")
    ImageDraw.Draw(picture).text((20, 20), words, fill="#131c33")
    return picture


def specked(pixels: int, difference: int) -> Image.Image:
    """The image after this many of its pixels were changed by `difference`."""
    picture = page()
    for x in range(pixels):
        red, green, blue = picture.getpixel((x, 100))  # type: ignore[misc]
        picture.putpixel((x, 100), (red, green - difference, blue))
    return picture


def test_noise_is_no_change() -> None:
    """If a few pixels differ much, or all pixels differ a little, this counts as noise. Beyond either limit it counts
    as a change."""
    assert not has_changed(page(), page())
    assert not has_changed(page(), specked(MAX_NOISY_PIXELS, 200))
    assert has_changed(page(), specked(MAX_NOISY_PIXELS + 1, 200))
    assert not has_changed(page(), specked(390, MAX_NOISE))
    assert has_changed(page(), specked(390, MAX_NOISE + 1))


def test_a_changed_letter_or_size_is_a_change() -> None:
    """A single changed letter or another size is a change, whatever the anti-aliasing."""
    assert has_changed(page(), page("Your tern"))
    assert has_changed(page(), page(size=(390, 845)))


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    """If a picture is unchanged, its file stays the same byte for byte, even if it was encoded differently."""
    path = tmp_path / "pages" / "one.webp"
    assert write_if_changed(page(), path).changed
    for same in (as_webp(page(), lossless=True), path.read_bytes()):
        path.write_bytes(same)
        assert not write_if_changed(page(), path).changed
        assert path.read_bytes() == same
    assert write_if_changed(page("Ann’s turn"), path).changed
    assert not has_changed(Image.open(path), page("Ann’s turn"))
