// The tips of a first game: on this seat's turn, shows the tips that the page lists, one after another, beside what
// they point at. A tip never covers that element, and lets taps through. It hides as little as possible of these: the
// line that says whose turn it is, alerts, the moves in the dock, everything that the tips can point at or ask people
// to tap, and elements with `data-keep-visible`; in an open sheet, of its texts and buttons. If it can, it leaves all
// other buttons in the dock uncovered. This phone remembers for each game how many tips are done. The keys in
// localStorage still begin with "coach", an older name, so that nobody sees the same tips again.
"use strict";
(() => {
  const { $, $$ } = window.dom;
  const GAP_PX = 10;
  const EDGE_PX = 8;
  const STEP_PX = 4;
  // Questions and groups of buttons may have no box of their own, only their parts have one.
  const DECISIVE = ".turn, .alert, .dock > :not(.small-actions, .hint), .ask > *, .dock .action, [data-keep-visible]";
  const OTHER_BUTTONS = ".dock .small-actions button";
  const IN_SHEET = "h2, h3, p, button, a, label";
  const URGENT = ".alert:is(.refused, .begun, .discrepancies)";
  const box = $("#first-game-tips");
  const [ring, tip] = box.children;
  const list = () => $("[data-tips]");

  // What this phone remembers: the number of steps (tips) that are done. Without storage, no steps are shown at all,
  // because they would come again with every page.
  const key = () => "coach-" + list().dataset.tips;
  function doneCount() {
    try {
      return Number(localStorage.getItem(key()) ?? 0);
    } catch {
      return Infinity;
    }
  }
  function remember(count) {
    try {
      localStorage.setItem(key(), count);
    } catch {} // private mode: the steps are over with this page
    schedule();
  }

  // Moves that were made before somebody asked for the steps again don't count. SINCE holds the game and its version at
  // that moment, or "now" until a page of the game fills them in: the settings page knows no game.
  const SINCE = "coach-since";
  function versionBefore() {
    const { game, version } = $("#page").dataset;
    try {
      if (localStorage.getItem(SINCE) === "now") localStorage.setItem(SINCE, `${game}.${version}`);
      const [inGame, since] = (localStorage.getItem(SINCE) ?? "").split(".");
      return inGame === game ? Number(since) : -1;
    } catch {
      return -1; // no steps are shown then
    }
  }
  function madeMoves() {
    const since = versionBefore();
    const made = $("#page").dataset.made.split(" ").filter(Boolean);
    return made.map((each) => each.split("@")).flatMap(([name, version]) => (Number(version) > since ? name : []));
  }

  const steps = () => [...list().children].map((item) => ({ ...item.dataset, text: item.textContent.trim() }));

  // A move of a later step completes the steps before it, too.
  function skipMade() {
    const made = madeMoves();
    const isDone = ({ moves }) =>
      moves === "*" ? made.length > 0 : moves.split(" ").some((name) => made.includes(name));
    const last = steps().findLastIndex(isDone);
    if (last >= doneCount()) remember(last + 1);
  }

  const openSheet = () => $(".sheet:popover-open");

  function visibleTarget({ target }) {
    const sheet = openSheet();
    const isShown = (element) => element.getClientRects().length > 0 && (!sheet || sheet.contains(element));
    return $$(target).find(isShown);
  }

  // The index of the tip to show. A tip may point at what a tap on an earlier tip's target opens. If that is closed
  // again, by a reload for example, the earlier tip comes back.
  function currentIndex(all) {
    const next = doneCount();
    const isClosed = ({ target }) => $(target.replaceAll(":popover-open", "")) && !visibleTarget({ target });
    const opener = () => all.slice(0, next).findLastIndex((step) => step.tap && !step.moves && visibleTarget(step));
    return all[next] && isClosed(all[next]) ? opener() : next;
  }

  function hide() {
    if (box.hidden) return;
    box.hidePopover?.();
    box.hidden = true;
  }

  // Whether a tip in this place would hide the element that has the keyboard focus.
  function hidesFocus(place, width, height) {
    const focused = document.activeElement;
    if (!focused.matches(":focus-visible") || tip.contains(focused) || focused === $("#page")) return false;
    const { left, right, top, bottom } = focused.getBoundingClientRect();
    const isBeside = right < place.left || left > place.left + width;
    return !(isBeside || bottom < place.top || top > place.top + height);
  }

  // How many square pixels a tip in this place would hide of these rectangles.
  function hiddenArea(place, width, height, rects) {
    const common = (from, size, low, high) => Math.max(0, Math.min(from + size, high) - Math.max(from, low));
    const areas = rects.map(
      ({ left, right, top, bottom }) =>
        common(place.left, width, left, right) * common(place.top, height, top, bottom),
    );
    return areas.reduce((sum, area) => sum + area, 0);
  }

  // The places below and above the target, and then beside it. The nearest are first on either side: in the middle of
  // the target, or at the edge of the page. The last place above it is over the header.
  function placesFor(rect, width, height) {
    const clamp = (value, most) => Math.max(EDGE_PX, Math.min(value, most));
    const middle = clamp(rect.left + (rect.width - width) / 2, innerWidth - width - EDGE_PX);
    const top = clamp(rect.top + (rect.height - height) / 2, innerHeight - height - EDGE_PX);
    const [below, above] = [[], []];
    for (let far = GAP_PX; far < innerHeight; far += STEP_PX) {
      for (const left of [middle, EDGE_PX]) {
        below.push({ side: "below", left, top: rect.bottom + far });
        above.push({ side: "above", left, top: rect.top - far - height });
      }
    }
    if (rect.top - GAP_PX - height > EDGE_PX) above.push({ side: "above", left: middle, top: EDGE_PX });
    const upright = rect.top + rect.height / 2 > innerHeight / 2 ? [...above, ...below] : [...below, ...above];
    return [
      ...upright,
      { side: "right", left: rect.right + GAP_PX, top },
      { side: "left", left: rect.left - GAP_PX - width, top },
    ];
  }

  // What the tip should not hide: what decides the turn, or what is in the sheet that covers it.
  function decisive(all) {
    const sheet = openSheet();
    const pointedAt = all.flatMap(({ target, tap }) => [target, tap]).filter(Boolean);
    return sheet ? [...sheet.querySelectorAll(IN_SHEET)] : $$([DECISIVE, ...pointedAt].join());
  }

  // How many pixels are between the target and a tip in this place.
  function distanceTo(rect, { left, top }, width, height) {
    const gap = (from, size, low, high) => Math.max(0, low - from - size, from - high);
    return Math.hypot(gap(left, width, rect.left, rect.right), gap(top, height, rect.top, rect.bottom));
  }

  // The place for the tip where it hides as little as possible of the elements `decisive`. None if it would cover the
  // target, or if it would hide any of these elements while something must be put right first. Of equally good places,
  // those that hide least of the other buttons are left, and of these the nearest is taken.
  function placeFor(rect, width, height, decisive) {
    const fits = (place) =>
      !hidesFocus(place, width, height) &&
      place.top >= EDGE_PX &&
      place.top + height <= innerHeight - EDGE_PX &&
      place.left >= EDGE_PX &&
      place.left + width <= innerWidth - EDGE_PX;
    const rectsOf = (elements) => elements.map((element) => element.getBoundingClientRect());
    const leastOf = (places, rects) => {
      const areas = places.map((place) => hiddenArea(place, width, height, rects));
      const least = Math.min(...areas);
      return { least, places: places.filter((_place, n) => areas[n] === least) };
    };
    const best = leastOf(placesFor(rect, width, height).filter(fits), rectsOf(decisive));
    if (best.least > 0 && $(URGENT)) return undefined;
    const distance = (place) => distanceTo(rect, place, width, height);
    const { places } = leastOf(best.places, rectsOf($$(OTHER_BUTTONS)));
    return places.sort((one, other) => distance(one) - distance(other))[0];
  }

  const isInView = ({ top, bottom }) => bottom > 0 && top < innerHeight;

  function show() {
    if (!list() || document.hidden) return hide();
    skipMade();
    if (!$(".turn.mine")) return hide();
    const all = steps();
    const count = currentIndex(all);
    const step = all[count];
    const target = step && visibleTarget(step);
    const rect = target?.getBoundingClientRect();
    if (!rect || !isInView(rect)) return hide();
    if (box.hidden) {
      box.hidden = false;
      box.showPopover?.();
    }
    const [words, counter] = tip.children;
    if (words.textContent !== step.text) words.textContent = step.text;
    counter.textContent = `${count + 1}/${all.length}`;
    const { width, height } = tip.getBoundingClientRect();
    const place = placeFor(rect, width, height, decisive(all));
    if (!place) return hide();
    box.dataset.side = place.side;
    tip.style.left = place.left + "px";
    tip.style.top = place.top + "px";
    ring.style.left = rect.left - 4 + "px";
    ring.style.top = rect.top - 4 + "px";
    ring.style.width = rect.width + 8 + "px";
    ring.style.height = rect.height + 8 + "px";
  }

  let frame = 0;
  function schedule() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      show();
    });
  }

  // The element that was opened last is on top, and a tip may point into a sheet. So the tip is opened again.
  function onToggle({ target }) {
    if (target === box) return;
    if (!box.hidden) {
      box.hidePopover?.();
      box.showPopover?.();
    }
    schedule();
  }

  function onClick({ target }) {
    if (target.closest("[data-tips-again]")) {
      window.sheets.closeAll();
      remember(0);
      try {
        localStorage.setItem(SINCE, "now");
      } catch {} // as above
      return;
    }
    const step = list() && steps()[doneCount()];
    if (step?.tap && target.closest(step.tap)) remember(doneCount() + 1);
  }

  function onSkip() {
    remember(steps().length);
    $("#page").focus({ preventScroll: true }); // the button disappears, so the page gets the keyboard focus
  }

  $("button", tip).addEventListener("click", onSkip);
  addEventListener("storage", schedule); // another tab has changed what is remembered
  document.addEventListener("click", onClick);
  document.addEventListener("toggle", onToggle, true);
  document.addEventListener("scroll", schedule, { capture: true, passive: true });
  document.addEventListener("focusin", schedule);
  document.addEventListener("visibilitychange", schedule);
  addEventListener("resize", schedule);
  new MutationObserver(schedule).observe($("#page"), { childList: true, subtree: true, attributes: true });
  schedule();
})();
