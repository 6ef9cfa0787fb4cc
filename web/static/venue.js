// Keeps the pages of a venue up to date, turns the pages of the wall, and shows the time. The server renders everything
// else.
"use strict";
(() => {
  const { $, $$, morph } = window.dom;
  const page = $("#page");
  const PAGE_MS = 8000; // how long the wall shows each page
  const TICK_MS = 5000;
  const SILENCE_MS = 12000; // longest gap between events, the server's heartbeat included
  const LOST_MS = 1200; // before the page says that it is reconnecting
  const RETRY_MS = 2000;
  const BIG = matchMedia("(min-width: 900px)");

  // The time. The server's clock is used, because the screen's own clock may be wrong.

  const clockError = page.dataset.now ? page.dataset.now * 1000 - Date.now() : 0;
  const language = document.documentElement.lang;

  function showTimes() {
    const now = Date.now() + clockError;
    for (const time of $$("time[data-since]")) {
      const minutes = Math.max(0, Math.floor((now / 1000 - time.dataset.since) / 60));
      time.textContent = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
    }
    const clock = $("#clock");
    if (clock) clock.textContent = new Date(now).toLocaleTimeString(language, { hour: "numeric", minute: "2-digit" });
  }

  // The pages of the wall. A small window shows all tables below each other.

  let shownPage = 0;
  let isPaused = false;
  let pageTimer = 0;

  const cards = () => $$("#cards > *");
  const columnsFor = (count) => (count <= 1 ? 1 : count <= 4 ? 2 : 3);

  function layOut() {
    const count = cards().length;
    page.dataset.columns = columnsFor(count);
    const perPage = BIG.matches ? columnsFor(count) ** 2 : count || 1;
    const pages = Math.max(1, Math.ceil(count / perPage));
    shownPage %= pages;
    cards().forEach((card, n) => (card.style.display = Math.floor(n / perPage) === shownPage ? "" : "none"));
    $("#pager").hidden = pages === 1;
    $("#count").textContent = pages > 1 ? `${shownPage + 1} / ${pages}` : "";
  }
  function turnPage() {
    shownPage += 1;
    layOut();
  }
  function turnPages() {
    clearInterval(pageTimer);
    if (!isPaused) pageTimer = setInterval(turnPage, PAGE_MS);
  }

  if (page.matches(".wall")) {
    $("#pause").addEventListener("click", ({ currentTarget }) => {
      isPaused = !isPaused;
      currentTarget.setAttribute("aria-pressed", isPaused);
      turnPages();
    });
    $("#next").addEventListener("click", () => {
      turnPage();
      turnPages();
    });
    BIG.addEventListener("change", layOut);
    layOut();
    turnPages();
  }
  showTimes();
  setInterval(showTimes, TICK_MS);

  const parse = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [...template.content.children];
  };
  const shown = (key) => $(`[data-key="${CSS.escape(key)}"]`, page);

  const handlers = {
    wall({ shown: names, html }) {
      for (const next of parse(html)) {
        const old = shown(next.dataset.key);
        if (old) morph(old, next);
        else $("#cards").append(next);
      }
      if (names) {
        const keep = new Set(names);
        for (const card of cards()) if (!keep.has(card.dataset.key)) card.remove();
        $("#cards").append(...names.map(shown).filter(Boolean));
      }
      layOut();
      showTimes();
    },
    staff({ html }) {
      for (const next of parse(html)) morph(shown(next.dataset.key), next);
    },
    look() {},
  };

  let source = null;
  let lostTimer = 0;
  let silenceTimer = 0;
  let mark = page.dataset.mark;

  function listen() {
    source?.close();
    const { stream, screen = "" } = page.dataset;
    source = new EventSource("/events?" + new URLSearchParams({ page: stream, screen, mark }));
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, ({ data, lastEventId }) => {
        // The venue was restarted, perhaps with another version.
        if (lastEventId.split(".")[0] !== mark.split(".")[0]) return location.reload();
        mark = lastEventId;
        handle(JSON.parse(data));
        markPresent();
      });
    }
    source.onerror = () => {
      markMissing();
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MS);
    };
  }
  function markMissing() {
    lostTimer ||= setTimeout(() => {
      $("#away").hidden = false;
      document.body.classList.add("stale");
    }, LOST_MS);
  }
  function markPresent() {
    clearTimeout(lostTimer);
    clearTimeout(silenceTimer);
    lostTimer = 0;
    silenceTimer = setTimeout(() => {
      markMissing();
      listen();
    }, SILENCE_MS);
    $("#away").hidden = true;
    document.body.classList.remove("stale");
  }
  if (page.dataset.stream) {
    listen();
    markPresent();
  }
})();
