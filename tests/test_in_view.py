"""What decides a turn is in view on a phone, without scrolling, in every state of every game."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import CHROMIUM, DESK, PHONE
from tests.every_page import Scene, as_it_comes, opened
from tests.every_scene import SCENES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

SIZES = (PHONE, {"width": 360, "height": 640})
DECISIVE = {
    "systems-failing": ".ship .card, .threat, .escape .line, .pool .cubes, .track, .draws",
    "system-won": ".system, .counts p, .holder .hand .wcard",
    "traffic-congestion": ".score, .streets",
    "commute": ".play:not(:has(.drawn-cards form, .standing.first)) :is(.so-far, .map), .city .hand .choice, .answer",
}
"""By game, the elements that decide a turn. For all games, whose turn it is and every button of the dock do, too."""
COVERED = """(decisive) => {
  const out = [];
  for (const el of document.querySelectorAll(`.turn h1, .dock .action, .dock .small-actions button, ${decisive}`)) {
    if (el.closest(".sheet, .log, .piles") || !el.checkVisibility()) continue;
    const words = document.createRange();
    words.selectNodeContents(el);
    const { left, right, top, bottom } = (el.nodeName === "H1" ? words : el).getBoundingClientRect();
    const points = [[left + 4, top + 4], [right - 4, top + 4], [left + 4, bottom - 4], [right - 4, bottom - 4]];
    const isSeen = ([x, y]) => {
      const over = document.elementFromPoint(x, y);
      return over && (el.contains(over) || over.contains(el));
    };
    if (!points.every(isSeen)) out.push(`${el.className || el.nodeName} ${el.textContent.trim().slice(0, 20)}`);
  }
  return out;
}"""
PLAYED = [
    scene
    for scene in SCENES
    if scene.game and any(state.path == "/play" and state.reach is as_it_comes for state in scene.page_states)
]


def hidden(page: Any, game: str) -> list[str]:
    """The decisive elements that are not wholly in view at some size."""
    found = []
    for size in SIZES:
        page.set_viewport_size(size)
        page.evaluate("new Promise(requestAnimationFrame)")
        found += [f"{size['width']}x{size['height']}: {each}" for each in page.evaluate(COVERED, DECISIVE[game])]
    return found


@pytest.mark.parametrize("scene", PLAYED, ids=[scene.name for scene in PLAYED])
def test_all_that_decides_a_turn_is_in_view(browser: Any, scene: Scene) -> None:
    """At 390×844 and 360×640, nothing decisive is off the screen or under something else."""
    with opened(browser, scene) as open_page:
        for state in scene.page_states:
            if state.path == "/play" and state.reach is as_it_comes:
                page = open_page(state, "phone")
                if not page.locator(".turn.over").count():
                    assert hidden(page, scene.game) == [], state.name
                page.context.close()


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
        for size in (*SIZES, DESK):
            page.set_viewport_size(size)
            assert page.evaluate(MAP) == [True, 0, 0], size
