"""Commute's map has north up everywhere, and the big screen fits its window.

`tests/test_page_scenes.py` checks that what decides a turn is in view on a phone.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.games import GAMES
from tests.browser import CHROMIUM, DESKTOP, new_page
from tests.off_screen import COVERED, DECISIVE, SIZES
from tests.page_scenes import SCENES
from tests.page_states import PageScene, PageState, after, after_or_over, opened, played, watched
from tests.repetitions import thorough_except
from tests.test_accessibility import fits
from web import addresses

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

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


def test_commute_s_map_is_never_turned_and_its_pieces_cover_no_number(browser: Any) -> None:
    """North is at the top of Commute's map on phones, desktops and the big screen, as on the mat. Each piece is drawn
    beside its space and covers no number."""
    scene = next(scene for scene in SCENES if scene.name == "commute")
    with opened(browser, scene, new_page(browser)) as open_page:
        for state in (state for state in scene.page_states if state.name in ("cm-mine", "cm-table")):
            page = open_page(state, "phone")
            for size in (*SIZES, DESKTOP):
                page.set_viewport_size(size)
                assert page.evaluate(MAP) == [True, 0, 0], (state.name, size)


@pytest.mark.parametrize("game", ["system-won", "commute"])
def test_the_big_screen_fits_a_window_of_1280_by_800(browser: Any, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The big screen does not scroll at this size, even in German, whose words are long, with a free seat and with
    components to put in place. The log is left out if there is no room for it, and the invitation is always completely
    visible. The machine is in one network."""
    monkeypatch.setattr(addresses, "other_addresses", lambda shown: ())
    scene = PageScene(
        game, game, lambda: watched(played(game, after(16), seats=4), missing=3), (), game=game, empty={0: "free"}
    )
    with opened(browser, scene) as open_page:
        page = open_page(PageState(game, "", "/table"), "desk-german")
        assert page.evaluate("document.scrollingElement.scrollHeight") == DESKTOP["height"]
        invite = page.locator(".invite").bounding_box()
        assert invite["y"] + invite["height"] <= DESKTOP["height"]


def leading(page: Any) -> None:
    """Shows a replay on the big screen at its last step."""
    page.request.post("/games/1", form={"do": "lead"})
    page.goto("/table")
    page.locator(".together").wait_for()


@pytest.mark.parametrize("game", thorough_except([*GAMES], "traffic-congestion"))
def test_a_replay_watched_together_fits_the_big_screen(browser: Any, game: str) -> None:
    """What decides a turn is in view while people watch a replay on a big screen, and nothing has to be scrolled to,
    even in German. When the replay ends, the table fits too."""
    scene = PageScene(game, game, lambda: played(game, after_or_over(24)), (), game=game)
    with opened(browser, scene) as open_page:
        page = open_page(PageState(game, "", "/table", "host", leading), "desk-german")
        assert fits(page)
        assert page.evaluate(COVERED, ", ".join(filter(None, (DECISIVE.get(game), ".map", ".tally")))) == []
        page.request.post("/games/1", form={"do": "leave"})
        page.locator(".turn").wait_for()
        assert fits(page)
