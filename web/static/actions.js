// Sends the action of a tapped button. There is only one request at a time; it is sent again if its response is lost.
// `page_updates.js` says how the page is kept up to date.
"use strict";
window.actions = (() => {
  const { $ } = window.dom;
  const { closeAll, toast } = window.sheets;
  const WORDS = JSON.parse($("#words").textContent);
  const RESPONSE_MS = 10000; // longest wait for a response: a table without power does not even refuse connections
  const PAGE_MS = 1500; // how long the stream may take to bring the page after an action
  const dataset = () => $("#page").dataset;

  let page; // `refresh()` fetches it, `swapCount()` counts its changes, `isStreaming()`: whether its stream is open
  let request = null; // the path, body and button of the request
  let isUnanswered = false; // whether its response was lost
  const whenAnswered = []; // called when the request has been answered, for example to close its sheet

  // A new id: a request with an id acts only once, however often it is sent.
  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  const ANSWERS = { yes: true, no: false };
  function requestFor({ elements }, button) {
    const version = Number(dataset().version);
    const id = newId();
    if (button.name === "move") return ["/api/moves", { move: composeMove(button), version, id }];
    if (button.name === "correct") return ["/api/correct", { move: JSON.parse(button.value), version, id }];
    if (button.name === "ignore") return ["/api/ignore", { code: button.value }];
    if (button.name === "ask") return ["/api/ask", { move: JSON.parse(button.value), version }];
    if (button.value in ANSWERS) {
      return ["/api/answer", { agreed: ANSWERS[button.value], move: JSON.parse(elements.asked.value) }];
    }
    return ["/api/" + button.value, { version, id }];
  }

  // The button's move with what the fields of its form add (see web/moves/form_moves.py); empty fields add nothing.
  function composeMove({ form, value: line }) {
    const move = JSON.parse(line);
    for (const [name, value] of new FormData(form)) {
      const [type, path] = name.split(":");
      if (!path || value === "") continue;
      const steps = path.split(".");
      const last = steps.pop();
      const part = steps.reduce((inner, step) => inner[step], move);
      if (type === "list") (part[last] ??= []).push(Number(value));
      else if (type === "texts") (part[last] ??= []).push(value);
      else if (type === "text") part[last] = value;
      else if (type === "json") part[last] = JSON.parse(value);
    }
    return move;
  }

  async function act(form, button) {
    if (request) return isUnanswered && toast(WORDS.waiting);
    if (document.body.matches(".stale")) return toast(WORDS.stepLost);
    const [path, body] = requestFor(form, button);
    request = { path, body, button, swapCount: page.swapCount() };
    button.setAttribute("aria-busy", "true");
    document.body.classList.add("busy");
    try {
      finishRequest(await send());
    } catch {
      isUnanswered = true;
    }
    for (const callback of whenAnswered.splice(0)) callback();
    if (!(await isShownByStream())) await page.refresh();
    if (isUnanswered) toast(WORDS.asking);
  }

  // Whether the page shows what the request has changed.
  function isShown() {
    const { version, swapCount: before } = request;
    return version > request.body.version ? Number(dataset().version) >= version : page.swapCount() > before;
  }

  // Whether the stream brings the page that shows what the request has changed.
  let shown = () => {};
  async function isShownByStream() {
    if (request === null) return true;
    if (isUnanswered || !request.isCarriedOut || !page.isStreaming()) return false;
    if (isShown()) release();
    else await Promise.race([wait(PAGE_MS), new Promise((resolve) => (shown = resolve))]);
    return request === null;
  }
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));

  // Why the request was refused, or "" if it was carried out; throws if no response comes.
  async function send() {
    const response = await fetch(request.path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request.body),
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    const text = await response.text();
    try {
      const { version, error } = JSON.parse(text);
      request.version = version;
      return response.ok ? "" : error.message;
    } catch {
      return WORDS.unreadable;
    }
  }

  function finishRequest(refusal) {
    request.isAnswered = true;
    request.isCarriedOut = !refusal;
    isUnanswered = false;
    if (refusal) toast(refusal);
    else closeAll();
  }

  // Called when the page that follows the request has arrived.
  function release() {
    shown();
    request.button.removeAttribute("aria-busy");
    document.body.classList.remove("busy");
    request = null;
  }

  // The request or its response was lost. A request with an id is sent again, because it acts only once. One without an
  // id might act twice, so people must check what happened. Until then the page offers nothing new.
  async function sendAgain() {
    if (!isUnanswered) return;
    if (!request.body.id) return finishRequest(WORDS.lost);
    const refusal = await send();
    finishRequest(refusal && WORDS.undone.replace("{why}", () => refusal));
    if (!refusal) toast(WORDS.late);
  }

  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-act]") || !event.submitter) return;
    event.preventDefault();
    act(event.target, event.submitter);
  });

  return {
    newId,
    start: (shownPage) => (page = shownPage),
    sendAgain,
    isUnanswered: () => isUnanswered,
    whenAnswered: (callback) => {
      if (request && !request.isAnswered && !isUnanswered) whenAnswered.push(callback);
      else callback();
    },
    pageFetched: () => request?.isAnswered && release(),
    pageArrived: () => request?.isAnswered && isShown() && release(),
  };
})();
