// Sheets and their forms: a tapped button opens its sheet, a search field filters the buttons, and several items can be
// picked together. Also the toast, which appears above an open sheet.
"use strict";
window.sheets = (() => {
  const { $, $$, show } = window.dom;
  const WORDS = JSON.parse($("#words").textContent);
  const TOAST_MS = 6000;
  const TOAST_MS_PER_LETTER = 70;

  const closeAll = () => $$(".sheet:popover-open").forEach((sheet) => sheet.hidePopover());

  let toastTimer = 0;
  function toast(words) {
    const box = $("#toast");
    box.textContent = words;
    box.hidden = false;
    box.hidePopover?.(); // the popover opened last lies on top
    box.showPopover?.();
    clearTimeout(toastTimer);
    toastTimer = setTimeout(hideToast, Math.max(TOAST_MS, words.length * TOAST_MS_PER_LETTER));
  }
  function hideToast() {
    $("#toast").hidePopover?.();
    $("#toast").hidden = true;
  }
  $("#toast").addEventListener("click", hideToast);

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    const target = opener && document.getElementById(opener.dataset.open);
    if (target?.type === "radio") {
      target.checked = true;
    } else if (target) {
      target.open = true;
      requestAnimationFrame(() => target.scrollIntoView({ block: "nearest" }));
    }
  });

  // Marks the buttons whose sheet is open, for screen readers and for the style sheet: not every browser focuses a
  // button that is tapped.
  function markOpeners() {
    for (const sheet of $$(".sheet[popover]")) {
      const isOpen = sheet.matches(":popover-open");
      const openers = $$(`[popovertarget="${sheet.id}"]:not([popovertargetaction])`);
      openers.forEach((button) => button.setAttribute("aria-expanded", isOpen));
    }
  }
  // What a person opens is scrolled into view, because the dock may cover it. A new version of the page may open
  // something too, and must not scroll.
  let tappedSummary = null;
  document.addEventListener("click", ({ target }) => (tappedSummary = target.closest("summary")), true);
  function onToggle({ target }) {
    if (target.matches(".sheet[popover]")) markOpeners();
    else if (target.open && target === tappedSummary?.parentElement) tappedSummary.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("toggle", onToggle, true);

  // A sheet copies the map only once it opens: a page may have forty such sheets, and browsers copy every element.
  function copyMaps(sheet) {
    for (const copy of $$("use[data-copy-of]", sheet)) copy.setAttribute("href", copy.dataset.copyOf);
  }
  document.addEventListener("beforetoggle", ({ target }) => copyMaps(target), true);

  // Closes a sheet when keyboard focus leaves it, because the focus must not be hidden below it.
  document.addEventListener("focusin", ({ target }) => {
    for (const sheet of $$(".sheet:popover-open")) {
      if (!sheet.contains(target) && target.matches(":focus-visible")) sheet.hidePopover();
    }
  });

  // Browsers don't scroll to a focused element that is partly in view.
  document.addEventListener("focusin", ({ target }) => {
    const { left, right } = target.getBoundingClientRect();
    if (target.matches(":focus-visible") && (left < 0 || right > innerWidth)) {
      target.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  });

  document.addEventListener("input", ({ target }) => {
    if (target.matches("[data-search]")) filter(target);
    if (target.closest("[data-pick]")) updatePicker(target.closest("[data-pick]"));
  });

  function filter(field) {
    const query = field.value.trim().toLowerCase();
    for (const element of $$(".way, .branch", field.parentElement)) {
      element.classList.toggle("passed", !element.textContent.toLowerCase().includes(query));
    }
  }

  // Items that are picked together, such as cubes. A box has a check box for each item and a hidden button for each
  // legal move; only the button whose move has exactly the ticked items is shown.
  const isSwitch = (item) => item[0] === "+";
  const byName = (a, b) => isSwitch(a) - isSwitch(b) || (a < b ? -1 : 1);
  const pickedKey = (box) =>
    $$("input:checked", box)
      .map((input) => input.value)
      .sort(byName)
      .join(" ");
  const buttonsOf = (box) => $$(".way:not(.none)", box);
  // What must be picked for a button: the names in its move's list, then its switches.
  function neededFor({ value }) {
    const parts = Object.entries(JSON.parse(value));
    return parts.flatMap(([name, part]) => (part?.push ? part : part === true ? "+" + name : [])).sort(byName);
  }

  function updatePicker(box) {
    const key = pickedKey(box);
    const buttons = buttonsOf(box);
    const placeholder = $(".none", box);
    const move = JSON.parse(buttons[0].value);
    const sizes = new Set(buttons.map((button) => neededFor(button).length));
    for (const button of buttons) button.classList.toggle("passed", neededFor(button).join(" ") !== key);
    show(placeholder, !$(".way:not(.none, .passed)", box));
    placeholder.disabled = sizes.size === 1 || !key;
    if (sizes.size === 1) placeholder.textContent = WORDS.chooseSome.replace("{n}", [...sizes]);
    else placeholder.textContent = key ? WORDS.impossible : WORDS.choose;
    // The button for an impossible choice sends it anyway: the refusal says why it is impossible.
    for (const name in move) if (move[name]?.push) move[name] = key.match(/(?<!\+)\b\w+/g) ?? [];
    for (const { value, checked } of $$(".switch input", box)) move[value.slice(1)] = checked;
    placeholder.value = JSON.stringify(move);
  }

  // Ticks the items of the largest choice, unless all choices have the same size.
  function proposeLargest(box) {
    const choices = buttonsOf(box).map((button) => neededFor(button).filter((item) => !isSwitch(item)));
    const most = Math.max(...choices.map((choice) => choice.length));
    if (choices.every((choice) => choice.length === most)) return;
    const remaining = choices.find((choice) => choice.length === most);
    for (const input of $$("input", box)) {
      if (!remaining.includes(input.value)) continue;
      input.checked = true;
      remaining.splice(remaining.indexOf(input.value), 1);
    }
  }

  const lastOffers = new WeakMap();
  function resetIfChanged(box) {
    const offer = buttonsOf(box)
      .map(({ value }) => value)
      .join();
    if (lastOffers.get(box) === offer) return;
    lastOffers.set(box, offer);
    for (const input of $$("input", box)) input.checked = false;
    proposeLargest(box);
  }

  // Sets up the elements of a new page.
  function enhance() {
    markOpeners();
    $$(".sheet:popover-open").forEach(copyMaps);
    for (const field of $$("[data-search]")) {
      show(field);
      filter(field);
    }
    for (const box of $$("[data-pick]")) {
      show($(".chips", box));
      resetIfChanged(box);
      updatePicker(box);
    }
  }

  return { closeAll, toast, hideToast, enhance };
})();
