// What the scripts of a page share: finding elements, bringing the document in line with a new one, keeping the focus.
"use strict";
window.dom = (() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Elements that a script shows or hides; a new page does not overrule it.
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

  // What the reader opened, scrolled or moved stays: these attributes are the browser's.
  const KEPT_ATTRIBUTES = ["open", "style", "tabindex"];

  function morphAttributes(old, next) {
    for (const { name } of [...old.attributes]) {
      if (!next.hasAttribute(name) && !KEPT_ATTRIBUTES.includes(name)) old.removeAttribute(name);
    }
    for (const { name, value } of [...next.attributes]) {
      if (name === "open" || (name === "hidden" && controlled.has(old))) continue;
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    if (old.nodeName === "INPUT" && old.type === "hidden") old.value = next.value;
  }

  // Turns `old` into `next` element by element, so that focus, scroll position, open sheets and ticked boxes stay.
  function morph(old, next) {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
      return;
    }
    morphAttributes(old, next);
    const byKey = new Map([...old.children].filter(keyOf).map((child) => [fullKeyOf(child), child]));
    // First remove what is gone: otherwise everything after it would be moved, and moving an element closes its sheets.
    const staying = new Set([...next.children].filter(keyOf).map(fullKeyOf));
    for (const [key, child] of byKey) {
      if (staying.has(key)) continue;
      child.remove();
      byKey.delete(key);
    }
    let at = old.firstChild;
    for (const child of [...next.childNodes]) {
      const known = keyOf(child) && byKey.get(fullKeyOf(child));
      if (known) {
        if (known === at) at = at.nextSibling;
        else old.insertBefore(known, at);
        morph(known, child);
      } else if (at && isSameKind(at, child)) {
        const same = at;
        at = at.nextSibling;
        morph(same, child);
      } else {
        old.insertBefore(child, at);
      }
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
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
      const home = ancestors.find(isUsable);
      const withKey = () => $$(`${focused.nodeName}[data-key="${CSS.escape(key)}"]`, home).find(isUsable);
      const same = isUsable(focused) ? focused : key && withKey();
      if (!same && !home.hasAttribute("tabindex")) {
        home.tabIndex = -1;
        home.addEventListener("blur", () => home.removeAttribute("tabindex"), { once: true });
      }
      (same || home).focus({ preventScroll: !hasRing });
    };
  }

  return { $, $$, show, morph, rememberFocus };
})();
