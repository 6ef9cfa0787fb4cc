// Goes on as soon as the table answers: asks ever more seldom, not while nobody looks, and at once when somebody does.
"use strict";
(() => {
  const SOON = 2000,
    SELDOM = 30000;
  let pause = SOON,
    timer = 0,
    asking = false;

  async function look() {
    clearTimeout(timer);
    if (document.hidden || asking) return;
    asking = true;
    const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
    asking = false;
    if (answer?.ok) return location.reload();
    pause = Math.min(1.5 * pause, SELDOM);
    timer = setTimeout(look, pause);
  }
  const again = () => {
    pause = SOON;
    look();
  };

  // At its own address this page stands for no other, so there is nothing to go on to by itself.
  if (location.pathname === "/offline") {
    document.querySelector("a.deed").href = "/";
    return;
  }
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  timer = setTimeout(look, SOON);
})();
