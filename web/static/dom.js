// Shared by the scripts of a page: finding elements, updating the page to a new version, and keeping the focus.
"use strict";
window.dom = (() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Elements that only a script shows or hides; a new page does not change that.
  const controlled = new WeakSet();
  function show(element, visible = true) {
    element.hidden = !visible;
    controlled.add(element);
  }

  // Not `node.id`: a field named "id" hides the form's own.
  function keyOf(node) {
    return node.nodeType === Node.ELEMENT_NODE ? node.dataset.key || node.getAttribute("id") || "" : "";
  }
  const fullKeyOf = (element) => element.nodeName + keyOf(element);
  const isSameKind = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

  // The browser sets these attributes, and a new page does not remove them: what the reader opened stays open.
  const BROWSER_ATTRIBUTES = ["open", "style", "tabindex"];

  function morphAttributes(old, next) {
    for (const { name } of [...old.attributes]) {
      if (!next.hasAttribute(name) && !BROWSER_ATTRIBUTES.includes(name)) old.removeAttribute(name);
    }
    for (const { name, value } of [...next.attributes]) {
      if (name === "open" || (name === "hidden" && controlled.has(old))) continue;
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    if (old.nodeName === "INPUT" && old.type === "hidden") old.value = next.value;
  }

  // Turns `old` into `next` element by element, so that focus, scroll position, open sheets and ticked boxes stay. An
  // element with `data-same` stands for the one that is there already.
  function morph(old, next) {
    if (next.nodeType === Node.ELEMENT_NODE && "same" in next.dataset) return;
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
      return;
    }
    morphAttributes(old, next);
    const byKey = new Map([...old.children].filter(keyOf).map((child) => [fullKeyOf(child), child]));
    // First remove what is gone: otherwise everything after it would be moved, and moving an element closes its sheets.
    const nextKeys = new Set([...next.children].filter(keyOf).map(fullKeyOf));
    for (const [key, child] of byKey) {
      if (nextKeys.has(key)) continue;
      child.remove();
      byKey.delete(key);
    }
    let at = old.firstChild;
    for (const child of [...next.childNodes]) {
      const match = keyOf(child) && byKey.get(fullKeyOf(child));
      if (match) {
        if (match === at) at = at.nextSibling;
        else old.insertBefore(match, at);
        morph(match, child);
      } else if (at && isSameKind(at, child)) {
        const same = at;
        at = at.nextSibling;
        morph(same, child);
      } else {
        old.insertBefore(child, at);
      }
    }
    while (at) {
      const surplus = at;
      at = at.nextSibling;
      surplus.remove();
    }
  }

  const isUsable = (element) => element.isConnected && !element.disabled && element.getClientRects().length > 0;

  // Returns a function that puts the focus back after `page` has changed: to the same element, to the one that now has
  // its key, or to what contained it. Never to the top of the page, and never to another button, which a second press
  // would trigger.
  function rememberFocus(page) {
    const focused = document.activeElement;
    const ancestors = [];
    if (!page.contains(focused) || focused === page) return () => {};
    for (let el = focused.parentElement; el !== page.parentElement; el = el.parentElement) ancestors.push(el);
    const hasRing = focused.matches(":focus-visible");
    const key = keyOf(focused);
    return () => {
      if (document.activeElement === focused && isUsable(focused)) return;
      const container = ancestors.find(isUsable);
      const withKey = () => $$(`${focused.nodeName}[data-key="${CSS.escape(key)}"]`, container).find(isUsable);
      const same = isUsable(focused) ? focused : key && withKey();
      if (!same && !container.hasAttribute("tabindex")) {
        container.tabIndex = -1;
        container.addEventListener("blur", () => container.removeAttribute("tabindex"), { once: true });
      }
      (same || container).focus({ preventScroll: !hasRing });
    };
  }

  // Whether `old` has every element that is replaced by one with `data-same` in `next`.
  function hasAllSame(old, next) {
    const here = new Set($$("[data-key]", old).map(fullKeyOf));
    return $$("[data-same]", next).every((element) => here.has(fullKeyOf(element)));
  }

  return { $, $$, show, morph, hasAllSame, rememberFocus };
})();
