"""What is cut, runs off the page or lies over something else, on a page as it is now in a real browser."""

from __future__ import annotations

from typing import Any

FAULTS = """() => {
  const wide = innerWidth, found = new Set();
  const named = (el) => el.nodeName.toLowerCase() + (el.className.baseVal ?? [...el.classList].map((c) => "." + c).join(""))
    + " " + el.textContent.trim().slice(0, 24).replace(/\\s+/g, " ");
  const told = (what, el) => found.add(`${what}: ${named(el.parentElement)} > ${named(el)}`);
  if (document.scrollingElement.scrollWidth > wide) found.add("scrolls sideways");
  const pushed = (el) => el.closest(".unseen, [hidden], .map, .town, .skip, .brand, meter");
  const shown = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !pushed(el) && !(el instanceof SVGElement);
  const scrolls = (el) => el && (/auto|scroll/.test(getComputedStyle(el).overflowX) && el.scrollWidth > el.clientWidth + 1 ? el : scrolls(el.parentElement));
  const all = [...document.body.querySelectorAll("*")].filter(shown);
  const words = all.filter((el) => [...el.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim()));
  for (const el of words) {
    const range = document.createRange();
    range.selectNodeContents(el);
    for (const node of el.childNodes) if (node.nodeType === 3 && node.nodeValue.trim()) {
      range.selectNode(node);
      const box = range.getBoundingClientRect();
      if (box.left < -1 || box.right > wide + 1) told("runs off", el);
      for (let at = el; at !== document.body; at = at.parentElement) {
        const style = getComputedStyle(at), edge = at.getBoundingClientRect();
        if (style.display.startsWith("inline") && style.overflowX === "visible") { if (style.display === "inline") continue; }
        const painted = style.overflowX !== "visible" || style.backgroundColor !== "rgba(0, 0, 0, 0)" || parseFloat(style.borderLeftWidth) > 0;
        if (painted && (box.left < edge.left - 1.5 || box.right > edge.right + 1.5)) told(style.overflowX === "visible" ? "spills" : "is cut", el);
        if (style.overflowY === "hidden" && !style.webkitLineClamp.match(/\\d/) && box.bottom > edge.bottom + 3) told("is cut below", el);
        if (painted) break;
      }
    }
  }
  const tapped = all.filter((el) => el.matches("a, button, summary, input:not([type=hidden]), select") && !el.closest(".stops"));
  for (const el of tapped) {
    const box = el.getBoundingClientRect();
    if (box.left < -1 || box.right > wide + 1) told("runs off", el);
  }
  const apart = (el) => el.closest(".sheet") ?? el.closest(".dock") ?? el.closest(".play .own") ?? el.closest(".bar") ?? document.body;
  const boxes = tapped.filter((el) => !el.matches("input")).map((el) => [el, el.getBoundingClientRect(), apart(el)]);
  boxes.forEach(([a, one, in1], n) => boxes.slice(n + 1).forEach(([b, two, in2]) => {
    if (in1 !== in2 || a.contains(b) || b.contains(a)) return;
    if (Math.min(one.right, two.right) - Math.max(one.left, two.left) > 2 && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 2) found.add(`overlap: ${named(a)} / ${named(b)}`);
  }));
  return [...found];
}"""


def faults(page: Any) -> list[str]:
    """What is wrong with the page at its present size."""
    return [f"{page.url}: {found}" for found in page.evaluate(FAULTS)]
