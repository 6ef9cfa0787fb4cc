"""Screen readers, and phones that read aloud, announce each act in words, exactly once, and without anything that the
seat may not know."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.rules import Seat
from companion.games.system_won.display_names import face_name
from tests.browser import CHROMIUM, new_page
from tests.systems_failing_tables import new_table, seen
from tests.test_web_won import NAMES, won
from tests.web_table import WebTable, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

HEARD = """
window.heard = [];
document.addEventListener("DOMContentLoaded", () => {
  const said = (changes) => changes.flatMap(({ addedNodes }) => [...addedNodes]).map((line) => line.textContent);
  const listener = new MutationObserver((changes) => heard.push(...said(changes)));
  listener.observe(document.getElementById("live"), { childList: true });
});
window.EventSource = class extends EventSource {
  constructor(...from) { super(...from); this.addEventListener("look", () => { window.listening = true; }); }
};"""
"""Collects what is put into the live region, which is what a screen reader says."""
KEPT = """
window.kept = [];
const Known = window.EventSource;
window.EventSource = class extends Known {
  addEventListener(kind, listener) {
    super.addEventListener(kind, (event) => {
      const come = () => listener(event);
      if (window.kept && (kind === "act" || kept.length)) kept.push(come); else come();
    });
  }
};
window.release = () => { const late = kept; window.kept = null; late.forEach((come) => come()); };"""
"""Delays `act` events until a page has been fetched for another reason."""
REFUSED = """
const undo = document.querySelector("[name=do][value=undo]");
undo.disabled = false;
undo.click();"""
"""Lets the page send a request that is refused; after a refusal the page is fetched again."""
SPOKEN = """
localStorage.setItem("tablekeeper-senses", JSON.stringify({ voice: true }));
window.spoken = [];
const voice = { speak: (speech) => spoken.push(speech.text), cancel() {} };
Object.defineProperty(window, "speechSynthesis", { value: voice });
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };"""
"""Collects what the phone reads aloud after that was switched on."""


class ListeningPhone:
    """A phone at a seat, which records what its page tells a screen reader and reads aloud."""

    def __init__(self, browser: Any, web_table: WebTable, port: int, seat: int, script: str = "") -> None:
        self.page = new_page(browser, base_url=f"http://127.0.0.1:{port}")
        self.page.add_init_script(HEARD + SPOKEN + script)
        self.page.request.post("/api/join", data={"code": web_table.lobby.code, "seat": seat})
        self.page.goto("/play")
        self.page.wait_for_function("() => window.listening")

    def hears(self, last: str) -> list[str]:
        """Waits until the text `last` is announced. Returns everything that was announced since the last call, and
        checks that the phone read the same texts aloud."""
        self.page.wait_for_function("(last) => heard.at(-1) === last", arg=last)
        heard, spoken = self.page.evaluate("[heard.splice(0), spoken.splice(0)]")
        assert heard == spoken
        assert self.page.locator("#live[aria-live=polite]").count() == 1
        assert self.page.complaints == []
        return list(heard)


def test_systems_failing_says_what_was_drawn(browser: Any) -> None:
    """Cubes are drawn openly, so both players hear who drew which cubes, and then whose turn it is."""
    table = new_table()
    web_table = WebTable(table)
    with served(web_table) as server:
        ann, bob = (ListeningPhone(browser, web_table, server.port, seat) for seat in range(2))
        ann.page.get_by_role("button", name="Scavenge").click()
        ann.page.locator(".turn", has_text="3 actions").wait_for()
        log_text = " ".join(seen(table).log[-1].words)
        assert log_text.count("Ann draws ") == 1
        assert ann.hears(log_text) == bob.hears(log_text) == [log_text]
        ann.page.get_by_role("button", name="End turn").click()
        ann.page.locator(".turn.other").wait_for()
        (log_text,) = seen(table).log[-1].words
        assert ann.hears("Bob’s turn.") == [log_text, "Bob’s turn."]
        assert bob.hears("Your turn.") == [log_text, "Your turn."]


def test_system_won_says_a_drawn_card_to_all_but_who_drew_it(browser: Any) -> None:
    """The player who discards and draws hears that a card was drawn. The others hear which card it was."""
    web_table = won()
    with served(web_table) as server:
        ann, ben = (ListeningPhone(browser, web_table, server.port, seat) for seat in range(2))
        web_table.table.submit(Seat(0), {"seat": 0, "move": "discard", "slot": 0})
        own, other = (" ".join(seen(web_table.table, seat).log[-1].words) for seat in range(2))
        drawn = seen(web_table.table, 1).state["hands"][0][-1]
        assert own.endswith("Ann gets a card.")
        assert other.endswith(f"Ann gets a {face_name(drawn)!s}.")
        assert ann.hears(f"{NAMES[1]}’s turn.") == [own, f"{NAMES[1]}’s turn."]
        assert ben.hears("Your turn.") == [other, "Your turn."]


def test_the_turn_is_announced_after_a_late_act(browser: Any) -> None:
    """If the page arrives before the act that changed it, the turn is announced only after the act."""
    web_table = won()
    with served(web_table) as server:
        ben = ListeningPhone(browser, web_table, server.port, 1, KEPT)

        def meanwhile(route: Any) -> None:
            web_table.table.submit(Seat(0), {"seat": 0, "move": "discard", "slot": 0})
            route.continue_()

        ben.page.route("**/play", meanwhile, times=1)
        ben.page.evaluate(REFUSED)
        ben.page.locator(".turn.mine").wait_for()
        ben.page.complaints.clear()  # the browser logs the refusal as an error
        ben.page.wait_for_function("() => kept.length")
        assert ben.page.evaluate("heard") == []
        ben.page.evaluate("release()")
        assert ben.hears("Your turn.") == [" ".join(seen(web_table.table, 1).log[-1].words), "Your turn."]
