"""A user who works by keyboard alone, with Tab, Shift+Tab, Enter, Space, arrows and Escape, and checks where the focus
is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.browser import pretend_hidden
from web.access.phone_cookie import COOKIE

FAR = 150
"""More tab stops than any page has."""

LOOK = """
const focus = document.activeElement, nowhere = focus === document.body;
const named = (el) => el.outerHTML.slice(0, 120);
const after = (el, other) => el.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
const PARTS = [.5, .1, .9].flatMap((x) => [.5, .1, .9].map((y) => [x, y]));
const seen = (el) => {
  const box = el.getBoundingClientRect(), around = el.closest("label") ?? el;
  const at = ([x, y]) => document.elementFromPoint(box.left + x * box.width, box.top + y * box.height);
  return PARTS.some((part) => around.contains(at(part)));
};
// An input without a look of its own is drawn by what stands beside it or around it.
const drawn = (el) => [el, el.nextElementSibling, el.closest("label"), el.closest("label")?.firstElementChild];
const ringed = (el) => drawn(el).filter(Boolean).map((part) => getComputedStyle(part)).some((style) =>
  style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && style.opacity !== "0");
const fault = () => nowhere || focus.tabIndex < 0 ? ""
  : !ringed(focus) ? "no ring: " + named(focus) : !seen(focus) ? "not to be seen: " + named(focus) : "";
"""
STEP = f"""async (goal) => {{ {LOOK}
  // What was unfolded is scrolled into view a frame later. What another phone caused appears when the event arrives.
  const find = () => [...document.querySelectorAll(goal)].filter((el) => el.checkVisibility() && !el.disabled);
  const end = performance.now() + 5000;
  while ((fault() || !find().length) && performance.now() < end) await new Promise(requestAnimationFrame);
  const goals = find();
  const on = goals.find((el) => nowhere || after(focus, el)), next = on ?? goals.at(-1);
  // A group of radio buttons counts as none; what lies between is passed without a look: `check_tab_order` looks.
  const stops = [...document.querySelectorAll("a[href], button, input:not([type=radio]), select, summary")];
  const between = (el) => on ? (nowhere || after(focus, el)) && after(el, next) : after(el, focus) && after(next, el);
  const presses = !next ? 0 : stops.filter((el) =>
    el !== next && !el.disabled && el.tabIndex >= 0 && el.checkVisibility() && between(el)).length + 1;
  return {{ fault: fault(), there: goals.includes(focus), key: on ? "Tab" : "Shift+Tab", presses }};
}}"""
STOP = f"""() => {{ {LOOK}
  const stops = window.stops ??= new Map();
  if (!nowhere && !stops.has(focus)) stops.set(focus, stops.size);
  return {{ fault: fault(), nowhere, count: stops.size }};
}}"""
MISSED = """() => {
  const radios = (name) => [...document.querySelectorAll(`input[type=radio][name="${name}"]`)];
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")];
  const wanted = all.filter((el) => el.checkVisibility() && !el.disabled && el.tabIndex >= 0);
  const reached = (el) => (el.type === "radio" ? radios(el.name) : [el]).some((one) => window.stops.has(one));
  return wanted.filter((el) => !reached(el)).map((el) => el.outerHTML.slice(0, 120));
}"""
WHERE = """() => {
  const focus = document.activeElement, sheet = document.querySelector(".sheet:popover-open");
  const lost = focus === document.body || !focus.getClientRects().length;
  return { lost, inside: !sheet || sheet.contains(focus), open: sheet !== null };
}"""
PASSED = (
    """(version) => +document.getElementById("page").dataset.version > version && !document.body.matches(".busy")"""
)


@contextmanager
def locked(*phones: KeyboardUser) -> Iterator[None]:
    """Locks the phones while the block runs, so that they don't draw each of many acts that others make."""
    for phone in phones:
        pretend_hidden(phone.page, hidden=True)
    yield
    for phone in phones:
        pretend_hidden(phone.page, hidden=False)


class KeyboardUser:
    """A page and the keyboard in front of it."""

    def __init__(self, page: Any, code: str) -> None:
        self.page, self._code = page, code
        self.acts: set[int] = set()
        """The versions that this user's acts led to."""
        self._cookies: dict[int, Any] = {}
        """By seat: the cookies of the phone that has it."""

    @property
    def version(self) -> int:
        return int(self.page.locator("#page").get_attribute("data-version"))

    def sit(self, seat: int) -> None:
        """Opens the page of a seat, on a phone of its own."""
        self.page.goto("about:blank")  # otherwise the previous page would notice that its cookie has changed
        self.page.context.clear_cookies(name=COOKIE)
        if seat in self._cookies:
            self.page.context.add_cookies(self._cookies[seat])
        else:
            self.page.request.post("/api/join", data={"code": self._code, "seat": seat})
            self._cookies[seat] = [each for each in self.page.context.cookies() if each["name"] == COOKIE]
        self.page.goto("/play")
        self.page.wait_for_load_state()

    def follow(self, version: int) -> None:
        """Waits until the page shows `version`. Checks that the focus is still on the same element, or on a neighboring
        one."""
        self.page.wait_for_function(PASSED, arg=version - 1)
        self.check_focus()

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def reach(self, goal: str) -> None:
        """Presses Tab or Shift+Tab, whichever is shorter, until the element that `goal` selects has the focus."""
        for _ in range(FAR):
            step = self.page.evaluate(STEP, goal)
            assert not step["fault"], step["fault"]
            if step["there"]:
                return
            assert step["presses"], f"there is no {goal}"
            for _ in range(step["presses"]):
                self.press(step["key"])
        raise AssertionError(f"no way to {goal}")

    def choose(self, group: str, goal: str) -> None:
        """Tabs to a group of radio buttons, and selects one of them with the arrows."""
        self.reach(group)
        for _ in range(FAR):
            self.press("ArrowRight")
            if self.page.locator(f"{goal}:checked").count():
                return
        raise AssertionError(f"no way to {goal}")

    def open(self, opener: str) -> None:
        """Opens a sheet, which takes the focus."""
        self.reach(opener)
        self.press("Enter")
        self.page.locator(".sheet:popover-open").wait_for()
        assert self.page.evaluate(WHERE)["inside"], "the sheet did not take the focus"

    def look_into(self, opener: str) -> None:
        """Opens a sheet and closes it with Escape. Checks that the button that opened it gets the focus back."""
        self.open(opener)
        self.press("Escape")
        assert not self.page.evaluate(WHERE)["open"]
        assert self.page.evaluate(STEP, opener)["there"], "the focus did not come back"

    def leave(self, opener: str) -> None:
        """Opens a sheet and tabs past its last stop. Checks that the sheet closes, and that nothing covers the focused
        element."""
        self.open(opener)
        while self.page.evaluate(WHERE)["inside"] and self.page.evaluate(WHERE)["open"]:
            self.press("Tab")
        assert not self.page.evaluate(WHERE)["open"], "the focus is behind the sheet"

    def act(self, button: str, key: str = "Enter") -> None:
        """Presses a button. Checks that the table changes, that no sheet stays open, and that the focus is on the
        page."""
        self.reach(button)
        version = self.version  # read only now, because the page may have changed on the way to the button
        self.press(key)
        self.page.wait_for_function(PASSED, arg=version)
        self.acts.add(version + 1)
        self.check_focus()

    def check_focus(self) -> None:
        """Checks that the focus is not lost and not behind an open sheet."""
        where = self.page.evaluate(WHERE)
        assert not where["lost"], "the focus is lost"
        assert where["inside"], "the focus is behind a sheet"

    def check_tab_order(self) -> None:
        """Checks that Tab alone reaches every visible control and then leaves the page, in both directions."""
        for key in ("Tab", "Shift+Tab"):
            self.page.evaluate("() => { window.stops = new Map(); document.activeElement.blur(); scrollTo(0, 0); }")
            self._leave_by(key)
            assert self.page.evaluate(MISSED) == []

    def _leave_by(self, key: str) -> None:
        for _ in range(FAR):
            self.press(key)
            stop = self.page.evaluate(STOP)
            assert not stop["fault"], stop["fault"]
            if stop["nowhere"] and stop["count"]:
                return
        raise AssertionError(f"{key} does not lead out of the page")
