"""Finds elements that players need for their turn but that are off a phone's screen, covered or cut off until somebody
scrolls. Also finds buttons that are side by side but have letters of different sizes."""

from __future__ import annotations

from typing import Any

from tests.browser import PHONE
from tests.page_states import PageState, as_it_comes

SIZES = (PHONE, {"width": 360, "height": 640})
DECISIVE = {
    "systems-failing": ".ship .card, .threat, .escape .line, .pool .cubes, .track, .draws",
    "system-won": ".system, .counts p, .pending, .holder .hand .wcard, .holder .hand .knowledge > *",
    "traffic-congestion": ".score, .streets",
    "commute": ".play:not(:has(.standing.first)) :is(.so-far, .map), .city .hand .choice, .answer",
}
"""The elements that players need for their turn, by game. In all games, these also include the heading and the dock's
buttons. A game without a page of its own has no entry."""
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
  for (const buttons of document.querySelectorAll(".dock .actions")) {
    const sizes = new Set([...buttons.querySelectorAll(":scope > .action")].map((el) => getComputedStyle(el).fontSize));
    if (sizes.size > 1) out.push("buttons with letters of different sizes");
  }
  for (const button of document.querySelectorAll(".turn .rule-button")) {
    const ring = parseFloat(getComputedStyle(button, "::before").top), circle = button.getBoundingClientRect();
    const banner = button.closest(".turn").getBoundingClientRect();
    if (circle.top + ring < banner.top || circle.bottom - ring > banner.bottom) out.push("the circle of the rule");
  }
  return out;
}"""


def is_players_page(page_state: PageState) -> bool:
    """Whether a page state is a player's page as it is right after loading, without a sheet over the board."""
    return page_state.path == "/play" and page_state.reach is as_it_comes


def hidden(page: Any, game: str) -> list[str]:
    """The elements that players need for their turn and that are not completely in view at one of SIZES; none after the
    end of a game."""
    if page.locator(".turn.over").count():
        return []
    found = []
    for size in SIZES:
        page.set_viewport_size(size)
        page.evaluate("new Promise(requestAnimationFrame)")
        found += [f"{size['width']}x{size['height']}: {each}" for each in page.evaluate(COVERED, DECISIVE[game])]
    return found
