// Keeps a page in step with the table. No rules live here: the server renders what may be done, this fetches it
// anew when an event says so, and sends what was tapped.
"use strict";
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const page = () => $("#page");
  const WORDS = JSON.parse($("#words").textContent);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const shown = new WeakSet(),
    offers = new WeakMap();
  const PATIENCE = 10000,
    SILENCE = 12000; // ms: a table without power refuses nothing, it is silent
  let gliding = null,
    source = null,
    fetching = null,
    asking = null,
    again = false,
    lost = 0,
    sending = null,
    unanswered = false;
  let told = [0, 0],
    unsaid = null; // game and version of the last event; what the page says once those up to it came

  // Swapping the page in, element by element, so that focus, scroll, open sheets and ticked boxes stay.

  // Not `node.id`: a form's own is hidden by a field of that name.
  const keyOf = (node) => (node.nodeType === 1 ? node.dataset.key || node.getAttribute("id") || "" : "");
  const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

  function attributes(old, now) {
    for (const { name } of [...old.attributes])
      if (!now.hasAttribute(name) && !["open", "style", "tabindex"].includes(name)) old.removeAttribute(name);
    for (const { name, value } of [...now.attributes])
      if (old.getAttribute(name) !== value && name !== "open" && !(name === "hidden" && shown.has(old)))
        old.setAttribute(name, value);
    if (old.nodeName === "INPUT" && old.type === "hidden") old.value = now.value;
  }

  function morph(old, now) {
    if (old.nodeType !== 1) {
      if (old.nodeValue !== now.nodeValue) old.nodeValue = now.nodeValue;
      return;
    }
    attributes(old, now);
    const keyed = new Map([...old.children].filter(keyOf).map((child) => [child.nodeName + keyOf(child), child]));
    // What goes, goes first: else everything after it would be moved up past it, and what is moved closes its sheets.
    const stays = new Set([...now.children].filter(keyOf).map((child) => child.nodeName + keyOf(child)));
    for (const [key, child] of keyed)
      if (!stays.has(key)) {
        child.remove();
        keyed.delete(key);
      }
    let at = old.firstChild;
    for (const next of [...now.childNodes]) {
      const known = keyOf(next) && keyed.get(next.nodeName + keyOf(next));
      if (known) {
        if (known !== at) old.insertBefore(known, at);
        else at = at.nextSibling;
        morph(known, next);
      } else if (at && alike(at, next)) {
        const same = at;
        at = at.nextSibling;
        morph(same, next);
      } else old.insertBefore(next, at);
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  }

  function swap(html) {
    const now = new DOMParser().parseFromString(html, "text/html").getElementById("page");
    if (!now || now.matches(".play") !== page().matches(".play")) return location.reload(); // has another bar
    const said = new Set(spoken()),
      called = calls(),
      moved = now.dataset.version - page().dataset.version === 1,
      changed = now.dataset.mark !== page().dataset.mark;
    const another = now.dataset.game !== page().dataset.game;
    const change = () => {
      const held = hold();
      morph(page(), now);
      enhance();
      held();
      if (another) {
        shut();
        scrollTo(0, 0);
      }
      present();
    };
    if (document.startViewTransition && changed && !calm.matches && !document.hidden && !$(".sheet:popover-open")) {
      // What has no name of its own says with `data-from` what it was called one act ago, where it lay then.
      const names = (after) =>
        $$("[data-glide]").forEach((el) => {
          el.style.viewTransitionName = "glide-" + ((after && el.dataset.from) || el.dataset.glide);
        });
      names(false);
      const transition = (gliding = document.startViewTransition(() => {
        change();
        names(moved);
      }));
      const done = () => {
        if (gliding === transition) {
          gliding = null;
          $$("[data-glide]").forEach((el) => {
            el.style.viewTransitionName = "";
          });
        }
      };
      transition.finished.then(done, done);
      transition.ready.catch(() => {}); // skipped, as on a locked phone: the page has changed all the same
    } else change();
    requestAnimationFrame(() => {
      const words = spoken().filter((words) => !said.has(words)),
        call = calls() !== "" && calls() !== called;
      unsaid = { words: [...(unsaid?.words ?? []), ...words], call: call || unsaid?.call };
      speak();
    });
  }

  // While things glide a tap meets the page as a whole, never what it aims at: it ends that, and counts all the same.
  let glided = false,
    touched = false;
  document.addEventListener(
    "pointerdown",
    ({ pointerType }) => {
      touched = pointerType !== "mouse";
      glided = Boolean(gliding);
      gliding?.skipTransition();
    },
    true,
  );
  document.addEventListener("click", ({ target, isTrusted, clientX, clientY }) => {
    if (isTrusted && glided && target === document.documentElement)
      document
        .elementFromPoint(clientX, clientY)
        ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1, clientX, clientY }));
  });

  // The second tap of a double tap would meet the next page, or what a sheet shows in the same place: it does nothing.
  const TWICE = 400; // ms
  let tapped = { timeStamp: -TWICE };
  document.addEventListener(
    "click",
    (event) => {
      const { timeStamp, detail, clientX, clientY } = event,
        button = event.target.closest("button");
      const near = Math.hypot(clientX - tapped.clientX, clientY - tapped.clientY) < 30;
      if (near && timeStamp - tapped.timeStamp < TWICE && (detail > 1 || (detail && touched))) {
        event.preventDefault();
        event.stopImmediatePropagation();
      } else if (button?.popoverTargetElement || button?.form?.matches("[data-act]")) tapped = event;
    },
    true,
  );

  // What had the focus keeps it, or what now goes by its name gets it; else what it stood in: never the top of the
  // page, and no other button, which a second press would act on.
  function hold() {
    const held = document.activeElement,
      around = [],
      ring = held.matches(":focus-visible"),
      key = keyOf(held);
    if (!page().contains(held) || held === page()) return () => {};
    for (let el = held.parentElement; el !== page().parentElement; el = el.parentElement) around.push(el);
    return () => {
      if (document.activeElement === held && usable(held)) return;
      const home = around.find(usable);
      const same = usable(held)
        ? held
        : key && $$(`${held.nodeName}[data-key="${CSS.escape(key)}"]`, home).find(usable);
      if (!same && !home.hasAttribute("tabindex")) {
        home.tabIndex = -1;
        home.addEventListener("blur", () => home.removeAttribute("tabindex"), { once: true });
      }
      (same || home).focus({ preventScroll: !ring });
    };
  }
  const usable = (el) => el.isConnected && !el.disabled && el.getClientRects().length > 0;

  const spoken = () => $$("[data-announce]").map((el) => el.textContent.trim());
  const calls = () =>
    $$('[data-announce="call"]')
      .map((el) => el.id + el.closest("[data-version]").dataset.version)
      .join();
  // Whose turn it is follows what led to it, whichever the network brings first.
  function speak() {
    const { game = 0, version = 0 } = page().dataset;
    if (!unsaid || (source?.readyState === EventSource.OPEN && (game - told[0] || version - told[1]) > 0)) return;
    const { words, call } = unsaid;
    unsaid = null;
    announce(words, call);
  }
  // Each time a line of its own, so that what comes next takes no words from what is being read; the same is said once.
  function announce(said, call = false) {
    const words = said
      .filter((text, n) => text && text !== said[n - 1])
      .map((text) => text.replace(/[^.?!…]$/, "$&."))
      .join(" ");
    if (!words) return;
    const line = document.createElement("p");
    line.textContent = words;
    $("#live").append(line);
    if ($("#live").childElementCount > 4) $("#live").firstElementChild.remove();
    senses.tell(words, call);
  }

  // Fetching: one at a time, and once more if something happened meanwhile.

  async function refresh() {
    if (fetching) {
      again = true;
      return fetching;
    }
    fetching = (async () => {
      try {
        if (unanswered) await settle();
        const asked = (asking = new AbortController());
        setTimeout(() => asked.abort(), PATIENCE);
        const answer = await fetch(location.href, {
          headers: { "X-Fragment": page().dataset.mark || "1" },
          cache: "no-store",
          signal: asked.signal,
        });
        if (answer.redirected) return location.assign(answer.url);
        if (answer.status >= 500) throw new Error(answer.status);
        swap(await answer.text());
        if (sending?.answered) release();
      } catch {
        if (!document.hidden) missing();
      }
    })();
    await fetching;
    fetching = null;
    if (again) {
      again = false;
      return refresh();
    }
  }

  // Events: one stream a page, closed while nobody looks.

  function listen() {
    if (!live() || document.hidden) return;
    source?.close();
    source = new EventSource("/api/events");
    awaitNext();
    source.addEventListener("act", (event) => {
      announce(JSON.parse(event.data).words);
      refresh();
    });
    source.addEventListener("look", (event) => {
      if (JSON.parse(event.data).mark === page().dataset.mark) present();
      else refresh();
    });
    for (const kind of ["act", "look"]) source.addEventListener(kind, hears);
    source.onerror = () => {
      missing();
      speak();
      if (source.readyState === EventSource.CLOSED) wait();
    };
  }

  let retrying = 0,
    silent = 0;
  function awaitNext() {
    clearTimeout(silent);
    silent = setTimeout(missing, SILENCE);
  }
  function hears({ lastEventId }) {
    awaitNext();
    told = lastEventId.split(".").map(Number);
    speak();
  }
  function wait() {
    clearTimeout(retrying);
    retrying = setTimeout(wake, 2000);
  }
  function missing() {
    lost =
      lost ||
      setTimeout(() => {
        $("#away").hidden = false;
        stale();
      }, 1200);
    wait();
  }
  function present() {
    if (unanswered || document.hidden) return;
    if (document.activeElement === $("#retry")) page().focus();
    clearTimeout(lost);
    clearTimeout(retrying);
    lost = 0;
    $("#away").hidden = true;
    document.body.classList.remove("stale");
  }
  const stale = () => document.body.classList.add("stale");
  const live = () => page()?.hasAttribute("data-events");
  // What a page showed when it fell asleep may be old: it is grey until the table has answered.
  function wake() {
    if (!document.hidden && live()) {
      missing();
      refresh();
      listen();
    }
  }
  function sleep() {
    source?.close();
    source = null;
    clearTimeout(retrying);
    clearTimeout(silent);
    asking?.abort();
    if (live()) stale();
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? sleep() : wake()));
  addEventListener("pageshow", (event) => {
    if (event.persisted) wake();
  });
  addEventListener("pagehide", sleep);
  addEventListener("online", wake);
  addEventListener("offline", missing);
  $("#retry").addEventListener("click", () => {
    asking?.abort();
    wake();
  });

  // Acting.

  const ANSWERS = { yes: true, no: false };
  function request(form, button) {
    const version = Number(form.elements.version.value),
      id = form.elements.id.value;
    if (button.name === "move") return ["/api/moves", { move: composed(form, JSON.parse(button.value)), version, id }];
    if (button.name === "ask") return ["/api/ask", { move: JSON.parse(button.value), version }];
    if (button.value in ANSWERS)
      return ["/api/answer", { agreed: ANSWERS[button.value], move: JSON.parse(form.elements.asked.value) }];
    return ["/api/" + button.value, { version, id }];
  }

  // A move with what its form adds (see web/form_moves.py); empty fields add nothing.
  function composed(form, move) {
    for (const [name, value] of new FormData(form)) {
      const [type, path] = name.split(":");
      if (!path || value === "") continue;
      const steps = path.split("."),
        last = steps.pop();
      const at = steps.reduce((part, step) => part[step], move);
      if (type === "list") (at[last] ??= []).push(Number(value));
      else if (type === "texts") (at[last] ??= []).push(value);
      else if (type === "text") at[last] = value;
      else if (type === "json") at[last] = JSON.parse(value);
    }
    return move;
  }

  async function act(form, button) {
    if (sending || document.body.matches(".stale")) {
      if (unanswered || !sending) toast(sending ? WORDS.waiting : WORDS.stepLost);
      return;
    }
    const [path, body] = request(form, button);
    sending = { path, body, button };
    button.setAttribute("aria-busy", "true");
    document.body.classList.add("busy");
    try {
      answered(await send());
    } catch {
      unanswered = true;
    }
    await refresh();
    if (unanswered) toast(WORDS.asking);
  }

  // Why it was refused, or "" if it is done; throws if no answer comes.
  async function send() {
    const { path, body } = sending;
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const text = await answer.text();
    try {
      return answer.ok ? "" : JSON.parse(text).error.message;
    } catch {
      return WORDS.unreadable;
    }
  }

  function answered(refused) {
    sending.answered = true;
    unanswered = false;
    if (refused) toast(refused);
    else shut();
  }

  // Only the next page, with a request id of its own, may act again.
  function release() {
    sending.button.removeAttribute("aria-busy");
    document.body.classList.remove("busy");
    sending = null;
  }

  // An answer was lost on the way, or the request was. The same request once more acts once; one without an id might
  // act twice, so people look themselves. Until then the page offers nothing new.
  async function settle() {
    if (!sending.body.id) return answered(WORDS.lost);
    const refused = await send();
    answered(refused && WORDS.undone.replace("{why}", () => refused));
    if (!refused) toast(WORDS.late);
  }

  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-act]") || !event.submitter) return;
    event.preventDefault();
    act(event.target, event.submitter);
  });

  const shut = () => $$(".sheet:popover-open").forEach((sheet) => sheet.hidePopover());

  let fading = 0;
  function toast(words) {
    const box = $("#toast");
    box.textContent = words;
    box.hidden = false;
    box.hidePopover?.(); // what is opened last lies above an open sheet
    box.showPopover?.();
    clearTimeout(fading);
    fading = setTimeout(hush, Math.max(6000, words.length * 70));
  }
  function hush() {
    $("#toast").hidePopover?.();
    $("#toast").hidden = true;
  }
  $("#toast").addEventListener("click", hush);

  // Sheets: a card on the board opens its own branch; a search narrows; things are picked together.

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    const branch = opener && document.getElementById(opener.dataset.open);
    if (branch?.type === "radio") branch.checked = true;
    else if (branch) {
      branch.open = true;
      requestAnimationFrame(() => branch.scrollIntoView({ block: "nearest" }));
    }
  });

  // Which button's sheet is open, said for whoever can't see it, and for the style sheet: not every browser gives what
  // was tapped the focus.
  const expanded = () =>
    $$(".sheet[popover]").forEach((sheet) =>
      $$(`[popovertarget="${sheet.id}"]:not([popovertargetaction])`).forEach((button) =>
        button.setAttribute("aria-expanded", sheet.matches(":popover-open")),
      ),
    );
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target.matches(".sheet[popover]")) expanded();
      else if (target.open) target.querySelector("summary").scrollIntoView({ block: "nearest" }); // the dock may have come over it
    },
    true,
  );
  // Who leaves a sheet by the keyboard has done with it: what has the focus must not lie below it.
  document.addEventListener("focusin", ({ target }) =>
    $$(".sheet:popover-open").forEach((sheet) => {
      if (!sheet.contains(target) && target.matches(":focus-visible")) sheet.hidePopover();
    }),
  );

  // Browsers leave what is half in sight where it is.
  document.addEventListener("focusin", ({ target }) => {
    const { left, right } = target.getBoundingClientRect();
    if (target.matches(":focus-visible") && (left < 0 || right > innerWidth))
      target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-search]")) search(event.target);
    if (event.target.closest("[data-pick]")) pick(event.target.closest("[data-pick]"));
  });

  function search(field) {
    const wanted = field.value.trim().toLowerCase();
    $$(".way, .branch", field.parentElement).forEach((el) => {
      el.classList.toggle("passed", !el.textContent.toLowerCase().includes(wanted));
    });
  }

  const show = (el, on = true) => {
    el.hidden = !on;
    shown.add(el);
  };
  const order = (a, b) => (a[0] === "+") - (b[0] === "+") || (a < b ? -1 : 1);
  const picked = (box) =>
    $$("input:checked", box)
      .map((input) => input.value)
      .sort(order)
      .join(" ");
  const ways = (box) => $$(".way:not(.none)", box);
  // What must be picked for a way: the names in its move's list, then its switches.
  const parts = ({ value }) =>
    Object.entries(JSON.parse(value))
      .flatMap(([name, part]) => (part?.push ? part : part === true ? "+" + name : []))
      .sort(order);

  function pick(box) {
    const key = picked(box),
      none = $(".none", box),
      all = ways(box),
      move = JSON.parse(all[0].value);
    const sizes = new Set(all.map((way) => parts(way).length)),
      same = sizes.size === 1;
    for (const way of all) way.classList.toggle("passed", parts(way).join(" ") !== key);
    show(none, !$(".way:not(.none, .passed)", box));
    none.disabled = same || !key;
    none.textContent = same ? WORDS.chooseSome.replace("{n}", [...sizes]) : key ? WORDS.impossible : WORDS.choose;
    // Tapped all the same, the table says why not.
    for (const name in move) if (move[name]?.push) move[name] = key.match(/(?<!\+)\b\w+/g) ?? [];
    for (const { value, checked } of $$(".switch input", box)) move[value.slice(1)] = checked;
    none.value = JSON.stringify(move);
  }

  function propose(box) {
    const sets = ways(box).map((way) => parts(way).filter((item) => item[0] !== "+"));
    const most = Math.max(...sets.map((set) => set.length));
    if (sets.every((set) => set.length === most)) return;
    const best = sets.find((set) => set.length === most);
    for (const input of $$("input", box))
      if (best.includes(input.value)) {
        input.checked = true;
        best.splice(best.indexOf(input.value), 1);
      }
  }

  // What lies on the dock must know how high it is; rounded down, nothing shines through between them.
  const dock = new ResizeObserver(([{ target }]) =>
    document.documentElement.style.setProperty("--dock", Math.floor(target.getBoundingClientRect().height) + "px"),
  );

  function enhance() {
    $$(".dock").forEach((el) => dock.observe(el));
    expanded();
    $$("[data-search]").forEach((field) => {
      show(field);
      search(field);
    });
    $$("[data-pick]").forEach((box) => {
      const offer = ways(box)
        .map(({ value }) => value)
        .join();
      show($(".chips", box));
      if (offers.get(box) !== offer) {
        offers.set(box, offer);
        $$("input", box).forEach((input) => {
          input.checked = false;
        });
        propose(box);
      }
      pick(box);
    });
    seen();
  }

  // What happened since this phone was last looked at; it stays marked until more happens.

  let fresh = {};
  function seen() {
    const { game, version } = page().dataset;
    if (!version) return;
    let last = Number(version);
    try {
      const key = "seen-" + game;
      last = Number(sessionStorage.getItem(key) ?? version);
      sessionStorage.setItem(key, version);
    } catch {
      /* no storage, nothing is highlighted */
    }
    if (fresh.game !== game) fresh = { game, after: version };
    if (Number(version) > last) fresh.after = last;
    $$(".log li").forEach((li) => {
      li.classList.toggle("new", Number(li.dataset.version) > fresh.after && !li.classList.contains("mine"));
    });
  }

  window.page = { swap, toast, hush, shut, words: WORDS };
  enhance();
  listen();
  navigator.serviceWorker?.register("/sw.js").catch(() => {}); // only by https or on this machine; without it all works
})();
