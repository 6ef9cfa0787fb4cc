// Sheets and the forms in them: a tapped card opens its branch, a search narrows the buttons, several things are picked
// together. Also the toast, which lies above an open sheet.
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
  function toggled({ target }) {
    if (target.matches(".sheet[popover]")) markOpeners();
    else if (target.open) target.querySelector("summary").scrollIntoView({ block: "nearest" }); // from under the dock
  }
  document.addEventListener("toggle", toggled, true);

  // A keyboard user who leaves a sheet has finished with it: the focus must not lie below it.
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
    if (target.closest("[data-pick]")) offerPicked(target.closest("[data-pick]"));
  });

  function filter(field) {
    const wanted = field.value.trim().toLowerCase();
    for (const element of $$(".way, .branch", field.parentElement)) {
      element.classList.toggle("passed", !element.textContent.toLowerCase().includes(wanted));
    }
  }

  // Things picked together, such as cubes. A box has a checkbox for each thing and a hidden button for each legal move;
  // only the button whose move has just these things is shown.
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

  function offerPicked(box) {
    const key = pickedKey(box);
    const buttons = buttonsOf(box);
    const none = $(".none", box);
    const move = JSON.parse(buttons[0].value);
    const sizes = new Set(buttons.map((button) => neededFor(button).length));
    for (const button of buttons) button.classList.toggle("passed", neededFor(button).join(" ") !== key);
    show(none, !$(".way:not(.none, .passed)", box));
    none.disabled = sizes.size === 1 || !key;
    if (sizes.size === 1) none.textContent = WORDS.chooseSome.replace("{n}", [...sizes]);
    else none.textContent = key ? WORDS.impossible : WORDS.choose;
    // The button for an impossible choice sends it all the same: the refusal says why not.
    for (const name in move) if (move[name]?.push) move[name] = key.match(/(?<!\+)\b\w+/g) ?? [];
    for (const { value, checked } of $$(".switch input", box)) move[value.slice(1)] = checked;
    none.value = JSON.stringify(move);
  }

  // Ticks the largest choice, unless all are of one size.
  function proposeLargest(box) {
    const choices = buttonsOf(box).map((button) => neededFor(button).filter((item) => !isSwitch(item)));
    const most = Math.max(...choices.map((choice) => choice.length));
    if (choices.every((choice) => choice.length === most)) return;
    const left = choices.find((choice) => choice.length === most);
    for (const input of $$("input", box)) {
      if (!left.includes(input.value)) continue;
      input.checked = true;
      left.splice(left.indexOf(input.value), 1);
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

  // Sets up what a new page brings.
  function enhance() {
    markOpeners();
    for (const field of $$("[data-search]")) {
      show(field);
      filter(field);
    }
    for (const box of $$("[data-pick]")) {
      show($(".chips", box));
      resetIfChanged(box);
      offerPicked(box);
    }
  }

  return { closeAll, toast, hideToast, enhance };
})();
