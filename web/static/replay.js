// Stepping through a past game. While a step is being fetched only the latest request is remembered.
"use strict";
(() => {
  const { swap, toast, words: WORDS } = window.page;
  let latestAddress = null; // the address of the latest step, null while none is being fetched

  async function step(address) {
    const isStepping = latestAddress !== null;
    latestAddress = address;
    if (isStepping) return;
    try {
      for (let current = ""; latestAddress !== current;) {
        current = latestAddress;
        const answer = await fetch(current, { headers: { "X-Fragment": "1" } });
        if (!answer.ok) {
          location.assign(current);
          break;
        }
        swap(await answer.text());
        history.replaceState(null, "", current);
      }
    } catch {
      toast(WORDS.stepLost);
    }
    latestAddress = null;
  }

  document.addEventListener("input", ({ target }) => {
    const form = target.closest("[data-steps]");
    if (form) step(`${form.action}?at=${target.value}`);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-steps] a");
    if (!link) return;
    event.preventDefault();
    if (link.ariaDisabled !== "true") step(link.href);
  });
})();
