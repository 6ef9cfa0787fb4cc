"""Finds layout faults: elements that are cut off, run off the page or overlap, at common window sizes and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.browser import DESKTOP, PHONE, SMALL, TABLET

FAULTS = """(part) => {
  const found = new Set(), wide = innerWidth;
  const named = (el) => `${el.nodeName} ${[...el.classList].join(".")} ${el.textContent.trim().slice(0, 24)}`;
  const tell = (what, ...els) => found.add([what, ...els.map(named)].join(" | "));
  if (document.scrollingElement.scrollWidth > wide) found.add("scrolls sideways");

  // What is drawn in a board keeps its own scale; what nobody is to see has no size. A name may end with an ellipsis.
  const kept = ".unseen, .map, .town, .skip, .brand, .player-name[title], meter, svg";
  const all = [...part.querySelectorAll("*")];
  const shown = all.filter((el) => !el.closest(kept) && el.checkVisibility({ visibilityProperty: true }));
  const off = (box) => box.left < -1 || box.right > wide + 1;
  const beyond = (box, frame) => box.left < frame.left - 1.5 || box.right > frame.right + 1.5;

  // What has no room on a big screen is left out as a whole: it is outside a frame that clips it.
  const isLeftOut = (el, box) => {
    for (let at = el; at; at = at.parentElement) {
      const frame = at.getBoundingClientRect();
      const outside = box.left > frame.right + 16 || box.right < frame.left - 16;
      if (outside && getComputedStyle(at).overflowX === "clip") return true;
    }
    return false;
  };

  for (const el of shown) for (const node of el.childNodes) {
    if (node.nodeType !== 3 || !node.nodeValue.trim()) continue;
    const words = document.createRange();
    words.selectNode(node);
    const box = words.getBoundingClientRect();
    if (off(box) && !isLeftOut(el, box)) tell("runs off", el.parentElement, el);
    for (let at = el; at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at), frame = at.getBoundingClientRect();
      const hides = style.overflowX !== "visible";
      if (style.display === "inline" || !hides && style.backgroundColor === "rgba(0, 0, 0, 0)") continue;
      if (beyond(box, frame)) tell(hides ? "is cut" : "spills", at, el);
      const short = style.overflowY === "hidden" && style.webkitLineClamp === "none";
      if (short && box.bottom > frame.bottom + 3) tell("is cut below", at, el);
      break;
    }
  }

  // What is drawn in a board lies as close as it lies there.
  const thumb = ".bar a, button, summary, select, input[type=range]", least = 43.5;
  for (const el of all) {
    if (!el.matches(thumb) || el.closest(".map, .town") || !el.checkVisibility({ visibilityProperty: true })) continue;
    const { width, height } = el.getBoundingClientRect();
    if (Math.min(width, height) < least) tell("is small for a thumb", el);
  }

  // Layers that float over the page lie over what scrolls below them, on purpose.
  const layers = [".sheet", ".dock", ".play .own, .play .hand", ".bar", "body"];
  const layer = (el) => layers.map((name) => el.closest(name)).find(Boolean);
  const taps = "a, button, summary, select, input:not([type=hidden], [type=radio], [type=checkbox])";
  const tapped = shown.filter((el) => el.matches(taps));
  const boxes = tapped.map((el) => [el, el.getBoundingClientRect(), layer(el)]);
  const common = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > 2;
  boxes.forEach(([one, a, in_], n) => {
    if (off(a)) tell("runs off", one);
    for (const [other, b, where] of boxes.slice(n + 1)) {
      const over = common(a, b, "left", "right") && common(a, b, "top", "bottom");
      if (over && in_ === where && !one.contains(other)) tell("lie over one another", one, other);
    }
  });
  return [...found];
}"""
EACH = f"""async ([settings, sheets]) => {{
  const root = document.documentElement, faults = {FAULTS}, found = [];
  for (const [letters, way] of settings) {{
    root.style.fontSize = letters;
    root.dir = way;
    const here = sheets.length ? [] : faults(document.body);
    for (const sheet of sheets.map((id) => document.getElementById(id))) {{
      sheet.showPopover();
      await new Promise((done) => setTimeout(done)); // the page's script may react to it
      here.push(...faults(sheet).map((fault) => `${{sheet.id}}: ${{fault}}`));
      sheet.hidePopover();
    }}
    root.style.fontSize = "";
    root.dir = "ltr";
    found.push(here);
  }}
  return found;
}}"""
"""The faults with each of several settings: the size of letters, and the direction. With the ids of sheets, each sheet
is opened in each setting, and only what is in it is checked. One script tries them all, so that the browser lays out
the whole page as seldom as possible."""


@dataclass(frozen=True)
class Look:
    """How a page is displayed: the window in CSS pixels, whether letters are twice as large, and the direction of the
    language."""

    window: dict[str, int]
    letters: str = ""
    way: str = "ltr"


ZOOMED = {"width": 640, "height": 400}
"""A desktop window at 200% zoom."""

NARROW = (Look(SMALL), Look(PHONE, letters="200%"), Look(PHONE, way="rtl"), Look(ZOOMED))
TIGHT = NARROW[:2]
"""The looks in which a sheet has the least room."""
WIDE = (Look(TABLET), Look(DESKTOP, letters="200%"), Look(DESKTOP, way="rtl"))


def faults(page: Any, looks: tuple[Look, ...], sheets: Sequence[str] = ()) -> list[str]:
    """The layout faults of a page in each of `looks`, with each of the sheets with these ids open, if any. Restores the
    page's look afterwards."""
    usual, found = page.viewport_size, []
    windows = [look.window for look in looks]
    for window in sorted((window for n, window in enumerate(windows) if window not in windows[:n]), key=usual.__ne__):
        same = [look for look in looks if look.window == window]
        if page.viewport_size != window:
            page.set_viewport_size(window)
        faulty_in = page.evaluate(EACH, [[[look.letters, look.way] for look in same], [*sheets]])
        for look, faulty in zip(same, faulty_in, strict=True):
            found += [f"{page.url} {look}: {fault}" for fault in faulty]
    if page.viewport_size != usual:
        page.set_viewport_size(usual)
    return found
