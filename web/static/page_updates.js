// Keeps a page up to date. It knows no rules: the server renders the page, and sends what has changed on it. This
// script inserts the changes, and fetches the whole page when something is missing.
"use strict";
(() => {
  const { $, $$, morph, hasAllSame, rememberFocus } = window.dom;
  const { closeAll, toast, hideToast } = window.sheets;
  const page = () => $("#page");
  const WORDS = JSON.parse($("#words").textContent);
  const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)");
  const RESPONSE_MS = 10000; // longest wait for a response: a table without power does not even refuse connections
  const SILENCE_MS = 12000; // longest gap between events, the server's heartbeat included
  const LOST_MS = 1200; // how long the stream may be closed before the page says that it is reconnecting
  const RETRY_MS = 2000;

  let transition = null; // the view transition in which pieces glide to their new positions

  let swapCount = 0;

  function swap(html) {
    const next = new DOMParser().parseFromString(html, "text/html").getElementById("page");
    if (!next || next.matches(".play") !== page().matches(".play")) return location.reload(); // another bar
    if (!hasAllSame(page(), next)) return refresh();
    swapCount += 1;
    const before = { ...page().dataset };
    const hasEnded = next.querySelector(".turn.over") && !$(".turn.over");
    const isNextVersion = next.dataset.version - before.version === 1;
    const change = () => {
      const restoreFocus = rememberFocus(page());
      morph(page(), next);
      enhance();
      restoreFocus();
      if (next.dataset.game !== before.game || hasEnded) {
        closeAll();
        scrollTo(0, 0);
      }
      markPresent();
    };
    if (next.dataset.mark !== before.mark && mayGlide()) glide(change, isNextVersion);
    else change();
    requestAnimationFrame(announceNewTexts);
  }

  function mayGlide() {
    return document.startViewTransition && !REDUCED_MOTION.matches && !document.hidden && !$(".sheet:popover-open");
  }

  // `data-from` is the name that an element had in the previous version, if its own name is new.
  function nameGliding(useOrigin) {
    for (const { style, dataset } of $$("[data-glide]")) {
      style.viewTransitionName = "glide-" + ((useOrigin && dataset.from) || dataset.glide);
    }
  }

  function glide(change, useOrigin) {
    nameGliding(false);
    const thisTransition = document.startViewTransition(() => {
      change();
      nameGliding(useOrigin);
    });
    transition = thisTransition;
    const finish = () => {
      if (transition !== thisTransition) return;
      transition = null;
      for (const { style } of $$("[data-glide]")) style.viewTransitionName = "";
    };
    thisTransition.finished.then(finish, finish);
    thisTransition.ready.catch(() => {}); // skipped, for example on a locked phone; the page has changed anyway
  }

  // During a transition, a tap reaches the document instead of its target. It ends the transition, and is passed on.
  let tapEndedTransition = false;
  let isTouch = false;
  function pointerDown({ pointerType }) {
    isTouch = pointerType !== "mouse";
    tapEndedTransition = Boolean(transition);
    transition?.skipTransition();
  }
  document.addEventListener("pointerdown", pointerDown, true);
  document.addEventListener("click", ({ target, isTrusted, clientX, clientY }) => {
    if (!isTrusted || !tapEndedTransition || target !== document.documentElement) return;
    const again = new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1, clientX, clientY });
    document.elementFromPoint(clientX, clientY)?.dispatchEvent(again);
  });

  // Ignores the second tap of a double tap, which would hit the next page or a sheet that has just opened.
  const DOUBLE_TAP_MS = 400;
  const DOUBLE_TAP_PX = 30;
  let lastTap = { timeStamp: -DOUBLE_TAP_MS };
  function dropSecondTap(event) {
    const { timeStamp, detail, clientX, clientY } = event;
    const button = event.target.closest("button");
    const isNear = Math.hypot(clientX - lastTap.clientX, clientY - lastTap.clientY) < DOUBLE_TAP_PX;
    const isSoon = timeStamp - lastTap.timeStamp < DOUBLE_TAP_MS;
    if (isNear && isSoon && (detail > 1 || (detail && isTouch))) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (button?.popoverTargetElement || button?.form?.matches("[data-act]")) {
      lastTap = event;
    }
  }
  document.addEventListener("click", dropSecondTap, true);

  // Announcing what happened, to screen readers and by voice.

  let lastEvent = [0, 0]; // its game and version
  let pendingSpeech = null; // announced once the events up to the version of the page have arrived

  const announcements = () => $$("[data-announce]").map((element) => element.textContent.trim());
  const callKey = (element) => element.id + element.closest("[data-version]").dataset.version;
  const calls = () => $$('[data-announce="call"]').map(callKey).join();

  // Compares with what was announced and not with the page before a swap: two swaps can fall into one frame, and would
  // both find the same new text.
  let announced = { texts: announcements(), calls: calls() };
  function announceNewTexts() {
    const before = announced;
    announced = { texts: announcements(), calls: calls() };
    const words = announced.texts.filter((text) => !before.texts.includes(text));
    const isCall = announced.calls !== "" && announced.calls !== before.calls;
    pendingSpeech = { words: [...(pendingSpeech?.words ?? []), ...words], isCall: isCall || pendingSpeech?.isCall };
    speak();
  }

  // Announces first what happened and then whose turn it is, in whichever order the two arrive.
  function speak() {
    const { game = 0, version = 0 } = page().dataset;
    const isAhead = game - lastEvent[0] || version - lastEvent[1];
    if (!pendingSpeech || (source?.readyState === EventSource.OPEN && isAhead > 0)) return;
    const { words, isCall } = pendingSpeech;
    pendingSpeech = null;
    announce(words, isCall);
  }

  // Each announcement is a new line, so that it doesn't interrupt the one before. Repeated texts are announced once.
  const MAX_LIVE_LINES = 4;
  function announce(texts, isCall = false) {
    const sentences = texts.filter((text, n) => text && text !== texts[n - 1]);
    const words = sentences.map((text) => text.replace(/[^.?!…]$/, "$&.")).join(" ");
    if (!words) return;
    const line = document.createElement("p");
    line.textContent = words;
    $("#live").append(line);
    if ($("#live").childElementCount > MAX_LIVE_LINES) $("#live").firstElementChild.remove();
    window.senses.notify(words, isCall);
  }

  // Fetching: one request at a time, then one more if something has happened meanwhile.

  let fetching = null;
  let fetchAgain = false;
  let fetchControl = null;

  async function refresh() {
    if (fetching) {
      fetchAgain = true;
      return fetching;
    }
    fetching = fetchPage();
    await fetching;
    fetching = null;
    if (fetchAgain) {
      fetchAgain = false;
      return refresh();
    }
  }

  async function fetchPage() {
    let swapsBefore = swapCount;
    try {
      await window.actions.sendAgain();
      const control = (fetchControl = new AbortController());
      setTimeout(() => control.abort(), RESPONSE_MS);
      swapsBefore = swapCount;
      const headers = { "X-Fragment": page().dataset.mark || "1" };
      const response = await fetch(location.href, { headers, cache: "no-store", signal: control.signal });
      if (response.redirected) return location.assign(response.url);
      // Another page of this phone has switched the language, and some parts of a page are not sent again.
      const language = response.headers.get("Content-Language") ?? document.documentElement.lang;
      if (language !== document.documentElement.lang) return location.reload();
      if (response.status >= 500) throw new Error(response.status);
      const html = await response.text();
      if (swapCount === swapsBefore) swap(html); // otherwise something newer has arrived
      window.actions.pageFetched();
    } catch {
      const isNewer = swapCount > swapsBefore && !window.actions.isUnanswered(); // the stream has brought the page
      if (!document.hidden && !isNewer) markMissing();
    }
  }

  // Events: one stream for each page, closed while the page is hidden.

  let source = null;
  let lostTimer = 0;
  let retryTimer = 0;
  let silenceTimer = 0;
  const isLive = () => page()?.hasAttribute("data-events");
  const markStale = () => document.body.classList.add("stale");

  function listen() {
    if (!isLive() || document.hidden) return;
    source?.close();
    const shown = { page: location.pathname + location.search, mark: page().dataset.mark ?? "" };
    source = window.shuffle.follow(new EventSource("/api/events?shares=1&" + new URLSearchParams(shown)));
    expectEvent();
    source.addEventListener("act", (event) => {
      const { kind, seat, words } = JSON.parse(event.data);
      if (kind !== "deal" || seat === null) announce(words); // a what-if begins with the acts of players
    });
    source.addEventListener("look", (event) => {
      if (JSON.parse(event.data).mark === page().dataset.mark) markPresent();
    });
    source.addEventListener("page", (event) => {
      const change = JSON.parse(event.data);
      window.actions.whenAnswered(() => apply(change));
    });
    for (const kind of ["act", "look", "page"]) source.addEventListener(kind, noteEvent);
    source.onerror = () => {
      markMissing();
      speak();
      if (source.readyState === EventSource.CLOSED) retryLater();
    };
  }

  function apply({ mark, since, html }) {
    if (!mark || (since && since !== page().dataset.mark)) return refresh();
    if (mark !== page().dataset.mark) swap(html);
    window.actions.pageArrived();
  }
  function expectEvent() {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(markMissing, SILENCE_MS);
  }
  function noteEvent({ lastEventId }) {
    expectEvent();
    lastEvent = lastEventId.split(".").map(Number);
    speak();
  }
  function retryLater() {
    clearTimeout(retryTimer);
    retryTimer = setTimeout(wake, RETRY_MS);
  }

  function markMissing() {
    lostTimer ||= setTimeout(() => {
      $("#away").hidden = false;
      markStale();
    }, LOST_MS);
    retryLater();
  }
  function markPresent() {
    if (window.actions.isUnanswered() || document.hidden) return;
    if (document.activeElement === $("#retry")) page().focus();
    clearTimeout(lostTimer);
    clearTimeout(retryTimer);
    lostTimer = 0;
    $("#away").hidden = true;
    document.body.classList.remove("stale");
  }

  // A page that was hidden may be outdated: it stays gray until the table has answered.
  function wake() {
    if (document.hidden || !isLive()) return;
    markMissing();
    refresh();
    listen();
  }
  function sleep() {
    source?.close();
    source = null;
    clearTimeout(retryTimer);
    clearTimeout(silenceTimer);
    fetchControl?.abort();
    if (isLive()) markStale();
  }

  // A stream that was open before can stay open without ever delivering another event.
  function loseNetwork() {
    source?.close();
    markMissing();
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? sleep() : wake()));
  addEventListener("pageshow", (event) => event.persisted && wake());
  addEventListener("pagehide", sleep);
  addEventListener("online", wake);
  addEventListener("offline", loseNetwork);
  $("#retry").addEventListener("click", () => {
    fetchControl?.abort();
    wake();
  });

  // The style sheet places elements above the dock; its height is rounded down so that no gap shows. Only these
  // elements get the height: if the root had it, the browser would compute the styles of the whole page again.
  let dockHeight = "";
  const dockObserver = new ResizeObserver(([{ target }]) => {
    dockHeight = Math.floor(target.getBoundingClientRect().height) + "px";
    placeAboveDock();
  });
  function placeAboveDock() {
    for (const { style } of $$("[data-above-dock]")) style.setProperty("--dock", dockHeight);
  }

  function enhance() {
    $$(".dock").forEach((dock) => dockObserver.observe(dock));
    if (dockHeight) placeAboveDock();
    window.sheets.enhance();
    window.shuffle.show();
    markNews();
  }

  // Marks what happened since this phone last showed the game; the marks stay until more happens.
  let newLog = {}; // the game, and the version after which its log is new
  function markNews() {
    const { game, version } = page().dataset;
    if (!version) return;
    const last = replaceLastVersion("seen-" + game, version);
    if (newLog.game !== game) newLog = { game, after: version };
    if (Number(version) > last) newLog.after = last;
    for (const line of $$(".log li")) {
      const isNew = Number(line.dataset.version) > newLog.after && !line.classList.contains("mine");
      line.classList.toggle("new", isNew);
    }
  }
  function replaceLastVersion(key, version) {
    try {
      const last = sessionStorage.getItem(key) ?? version;
      sessionStorage.setItem(key, version);
      return Number(last);
    } catch {
      return Number(version); // without storage nothing is marked
    }
  }

  const isStreaming = () => source?.readyState === EventSource.OPEN;
  window.actions.start({ refresh, swapCount: () => swapCount, isStreaming });
  window.page = { swap, listen, toast, hideToast, closeAll, words: WORDS };
  enhance();
  listen();
  navigator.serviceWorker?.register("/sw.js").catch(() => {}); // needs https or localhost; all else works without it
})();
