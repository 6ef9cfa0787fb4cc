// The live picture of /setup: asks for one a second while the page can be seen, and puts its parts where they belong.
// What is seen, and what to do about it, the server says.
"use strict";
(() => {
  const looking = document.getElementById("looking"),
    problem = document.getElementById("problem");
  if (!looking) return;
  const every = Number(looking.dataset.every),
    REFUSED = 403;
  const blank = [...document.querySelectorAll("main [data-part]")].map((place) => [place, place.innerHTML]);
  let timer = null,
    asking = null;

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
    if (asking !== mine) return; // hidden and shown again meanwhile: another look goes on
    asking = null;
    if (goOn && !document.hidden) timer = setTimeout(look, every);
  }

  async function show(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const image = fresh.querySelector("img");
    if (image)
      await Object.assign(new Image(), { src: image.src })
        .decode()
        .catch(() => {}); // else it flickers
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const place = document.querySelector(`main [data-part="${part.dataset.part}"]`);
      // Untouched where nothing has changed, so that a screen reader is told of changes alone.
      if (place && place.innerHTML !== part.innerHTML) place.innerHTML = part.innerHTML;
    }
    complain("");
  }

  function complain(words) {
    if (words) for (const [place, html] of blank) place.innerHTML = html; // what was seen may be of a game before
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
