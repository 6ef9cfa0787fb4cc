// Shows the live picture of /setup: fetches a new one every second while the page is visible, and inserts its parts
// into the page. The server says what the camera sees and what to do.
"use strict";
(() => {
  const container = document.getElementById("camera-picture");
  const problem = document.getElementById("problem");
  if (!container) return;
  const PERIOD_MS = Number(container.dataset.every);
  const REFUSED = 403;
  const initialParts = [...document.querySelectorAll("main [data-part]")].map((place) => [place, place.innerHTML]);
  let timer = null;
  let request = null; // the AbortController of the request

  async function look() {
    timer = null;
    const thisRequest = (request = new AbortController());
    let isAllowed = true;
    try {
      const answer = await fetch("/setup/now", { cache: "no-store", signal: thisRequest.signal });
      if (answer.ok) await show(await answer.text());
      else complain((await answer.json()).error.message);
      isAllowed = answer.status !== REFUSED;
      if (!isAllowed) location.reload(); // for example after this browser took a seat; the page says why
    } catch (error) {
      if (error.name === "AbortError") return;
      complain(container.dataset.silent);
    }
    if (request !== thisRequest) return; // the page was hidden and shown again, and another request is running
    request = null;
    if (isAllowed && !document.hidden) timer = setTimeout(look, PERIOD_MS);
  }

  // An undecoded picture would flicker.
  async function preload(src) {
    const picture = new Image();
    picture.src = src;
    await picture.decode().catch(() => {});
  }

  async function show(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const image = fresh.querySelector("img");
    if (image) await preload(image.src);
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const place = document.querySelector(`main [data-part="${part.dataset.part}"]`);
      // A screen reader announces what is replaced, so what has not changed is left alone.
      if (place && place.innerHTML !== part.innerHTML) place.innerHTML = part.innerHTML;
    }
    complain("");
  }

  function complain(words) {
    // The old picture may be of another game.
    if (words) for (const [place, html] of initialParts) place.innerHTML = html;
    problem.hidden = !words;
    if (problem.textContent !== words) problem.textContent = words;
  }

  function watch() {
    if (document.hidden) {
      clearTimeout(timer);
      timer = null;
      if (request) request.abort();
      request = null;
    } else if (!timer && !request) look();
  }

  document.addEventListener("visibilitychange", watch);
  watch();
})();
