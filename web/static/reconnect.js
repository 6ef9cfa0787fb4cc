// Reloads the page as soon as the table answers. It asks the table less and less often. While the page is
// hidden it does not ask; when the page is shown again, it asks at once.
"use strict";
(() => {
  const MIN_PAUSE_MS = 2000;
  const MAX_PAUSE_MS = 30000;
  const GROWTH = 1.5;
  let pause = MIN_PAUSE_MS;
  let timer = 0;
  let isAsking = false;

  async function ask() {
    clearTimeout(timer);
    if (document.hidden || isAsking) return;
    isAsking = true;
    const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
    const state = await answer?.json().catch(() => null);
    isAsking = false;
    if (state?.status && state.status !== "stopped") return location.reload();
    pause = Math.min(GROWTH * pause, MAX_PAUSE_MS);
    timer = setTimeout(ask, pause);
  }
  function askNow() {
    pause = MIN_PAUSE_MS;
    ask();
  }

  // At its own address this page takes no other page's place, so there is nothing to reload.
  if (location.pathname === "/offline") {
    document.querySelector("a.action").href = "/";
    return;
  }
  document.addEventListener("visibilitychange", askNow);
  addEventListener("online", askNow);
  timer = setTimeout(ask, MIN_PAUSE_MS);
})();
