// The live picture of /setup: fetches one a second while the page is visible, and puts its parts into their places.
// The server says what the camera sees and what to do about it.
"use strict";
(() => {
  const looking = document.getElementById("looking");
  const problem = document.getElementById("problem");
  if (!looking) return;
  const PERIOD_MS = Number(looking.dataset.every);
  const REFUSED = 403;
  const blank = [...document.querySelectorAll("main [data-part]")].map((place) => [place, place.innerHTML]);
  let timer = null;
  let asking = null; // the AbortController of the request

  async function look() {
    timer = null;
    const mine = (asking = new AbortController());
    let goOn = true;
    try {
      const answer = await fetch("/setup/now", { cache: "no-store", signal: mine.signal });
      if (answer.ok) await show(await answer.text());
      else complain((await answer.json()).error.message);
      goOn = answer.status !== REFUSED;
      if (!goOn) location.reload(); // this browser has taken a seat: the page says why there is no picture now
    } catch (error) {
      if (error.name === "AbortError") return;
      complain(looking.dataset.silent);
    }
    if (asking !== mine) return; // hidden and shown again meanwhile: another request is running
    asking = null;
    if (goOn && !document.hidden) timer = setTimeout(look, PERIOD_MS);
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
    if (words) for (const [place, html] of blank) place.innerHTML = html; // the old picture may be of another game
    problem.hidden = !words;
    if (problem.textContent !== words) problem.textContent = words;
  }

  function watch() {
    if (document.hidden) {
      clearTimeout(timer);
      timer = null;
      if (asking) asking.abort();
      asking = null;
    } else if (!timer && !asking) look();
  }

  document.addEventListener("visibilitychange", watch);
  watch();
})();
