// Stepping through a past game: the step that was asked for last is fetched next.
"use strict";
(() => {
  let stepping = null;
  async function step(address) {
    const busy = stepping;
    stepping = address;
    if (busy) return;
    try {
      for (let at = ""; stepping !== at;) {
        at = stepping;
        const answer = await fetch(at, { headers: { "X-Fragment": "1" } });
        if (!answer.ok) {
          location.assign(at);
          break;
        }
        page.swap(await answer.text());
        history.replaceState(null, "", at);
      }
    } catch {
      page.toast(page.words.stepLost);
    }
    stepping = null;
  }

  document.addEventListener("input", (event) => {
    const form = event.target.closest("[data-steps]");
    if (form) step(`${form.action}?at=${event.target.value}`);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-steps] a");
    if (!link) return;
    event.preventDefault();
    if (link.ariaDisabled !== "true") step(link.href);
  });
})();
