"""What decides a turn is in view on a phone, without scrolling; Commute's map has north up everywhere.

`tests/test_page_scenes.py` looks at the rarer states of games.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import CHROMIUM, DESKTOP
from tests.off_screen import SIZES, hidden, is_players_page
from tests.page_scenes import SCENES
from tests.page_states import PageScene, PageState, after, opened, played, watched
from tests.test_page_scenes import RARE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

USUAL = {
    scene.name: [
        state for state in scene.page_states if is_players_page(state) and state not in RARE.get(scene.name, ())
    ]
    for scene in SCENES
    if scene.game
}
"""By scene, the states that tests/test_page_scenes.py leaves out."""


@pytest.mark.parametrize("scene", [scene for scene in SCENES if USUAL.get(scene.name)], ids=lambda scene: scene.name)
def test_all_that_decides_a_turn_is_in_view(browser: Any, scene: PageScene) -> None:
    """At 390×844 and 360×640, nothing decisive is off the screen or under something else."""
    with opened(browser, scene) as open_page:
        for state in USUAL[scene.name]:
            assert hidden(open_page(state, "phone"), scene.game) == [], state.name


MAP = """() => {
  const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const spots = [...document.querySelectorAll(".map .spot")].map((spot) => {
    const { e, f } = spot.transform.baseVal.consolidate().matrix;
    return { board: [e, f], screen: middle(spot.getBoundingClientRect()) };
  });
  const turned = spots.flatMap((one) => spots.filter((other) =>
    [0, 1].some((axis) => other.board[axis] - one.board[axis] > 40 && other.screen[axis] <= one.screen[axis])));
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((el) => el.getBoundingClientRect());
  const common = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > 2;
  const numbers = boxes(".map .spot:is(.street, .station, .uh_oh) > .up > text");
  const covered = boxes(".map .piece-at .tok").flatMap((piece) =>
    numbers.filter((text) => common(piece, text, "left", "right") && common(piece, text, "top", "bottom")));
  return [spots.length > 50, turned.length, covered.length];
}"""


@pytest.mark.parametrize("page_state", ["cm-mine", "cm-table"])
def test_commute_s_map_is_never_turned_and_its_pieces_cover_no_number(browser: Any, page_state: str) -> None:
    """North is up on phones, desktops and the big screen, as on the mat. A piece stands above its space."""
    scene = next(scene for scene in SCENES if scene.name == "commute")
    state = next(state for state in scene.page_states if state.name == page_state)
    with opened(browser, scene) as open_page:
        page = open_page(state, "phone")
        for size in (*SIZES, DESKTOP):
            page.set_viewport_size(size)
            assert page.evaluate(MAP) == [True, 0, 0], size


@pytest.mark.parametrize("game", ["system-won", "commute"])
def test_the_big_screen_fits_a_window_of_1280_by_800(browser: Any, game: str) -> None:
    """Nothing scrolls in German, whose words are long, with a free seat and with components to put in place. The log is
    left out where it has no room, and the invitation is shown as a whole."""
    scene = PageScene(
        game, game, lambda: watched(played(game, after(16), seats=4), missing=3), (), game=game, empty={0: "free"}
    )
    with opened(browser, scene) as open_page:
        page = open_page(PageState(game, "", "/table"), "desk-german")
        assert page.evaluate("document.scrollingElement.scrollHeight") == DESKTOP["height"]
        invite = page.locator(".invite").bounding_box()
        assert invite["y"] + invite["height"] <= DESKTOP["height"]
