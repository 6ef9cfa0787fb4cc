// Stepping through a past game. While a step is being fetched, only the latest request is remembered. A phone that
// leads sends its steps to the table, and everyone who follows sees them.
"use strict";
(() => {
  const { swap, toast, words: WORDS } = window.page;
  const stepsForm = () => document.querySelector("[data-steps]");
  const isLeading = () => stepsForm()?.method === "post";
  let latest = null; // the latest step, null while none is being fetched
  let stepCount = 0;
  let lastStep = Promise.resolve(); // resolved once no step is being fetched

  function step(query) {
    const isStepping = latest !== null;
    latest = query;
    stepCount += 1;
    if (!isStepping) lastStep = fetchSteps();
  }

  async function fetchSteps() {
    try {
      for (let current = null; latest !== current;) {
        current = latest;
        const { action } = stepsForm();
        const headers = { "X-Fragment": "1" };
        const answer = isLeading()
          ? await fetch(action, { method: "POST", body: current, headers })
          : await fetch(`${action}?${current}`, { headers });
        if (!answer.ok) {
          location.assign(`${action}?${current}`);
          break;
        }
        swap(await answer.text());
        history.replaceState(null, "", answer.url);
      }
    } catch {
      toast(WORDS.stepLost);
    }
    latest = null;
  }

  function queryFor(at) {
    const query = new URLSearchParams(new FormData(stepsForm()));
    query.set("at", at);
    return query;
  }
  document.addEventListener("input", ({ target }) => {
    if (target.closest("[data-steps]")) step(queryFor(target.value));
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-steps] a, .seen-by a");
    if (!link) return;
    event.preventDefault();
    if (link.ariaDisabled !== "true") step(new URL(link.href).searchParams);
  });
  document.addEventListener("submit", (event) => {
    const { target, submitter } = event;
    if (target !== stepsForm() || !submitter) return;
    event.preventDefault();
    if (submitter.ariaDisabled !== "true") step(queryFor(submitter.value));
  });

  // A new game, the next act, or another phone ends the lead. After each event, the phone checks whether it still
  // leads. What it fetched while it took a step would show the page before the step; the step's own event follows.
  async function lookAgain() {
    await lastStep;
    const before = stepCount;
    const response = await fetch(location.href, { headers: { "X-Fragment": "1" } });
    const html = await response.text();
    if (!response.ok || stepCount !== before) return;
    swap(html);
    if (!isLeading()) events?.close();
  }
  const events = isLeading()
    ? new EventSource("/api/events?" + new URLSearchParams({ page: location.pathname }))
    : null;
  events?.addEventListener("page", () => lookAgain().catch(() => toast(WORDS.stepLost)));

  // Whoever leaves the page stops leading.
  addEventListener("pagehide", () => {
    if (isLeading()) navigator.sendBeacon(stepsForm().action, new URLSearchParams({ do: "leave" }));
  });
})();
