// The simulated table: shows what lies on it. It knows no rules: the server says where things end up. What hands do is
// in simulator-hands.js. Lengths are millimetres on the mat.
"use strict";

const $ = (id) => document.getElementById(id);
const mat = $("mat");
const WORDS = JSON.parse($("words").textContent);
const say = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const COLOURS = {
  orange: "#ee8020",
  yellow: "#f4d03c",
  red: "#c92c2c",
  blue: "#2860b0",
  green: "#3d9746",
  purple: "#7a3290",
  white: "#f4f4f0",
  black: "#2a2a2c",
};
const POLL_MS = 600;
const CAMERA_MS = 1000;
const REFUSED = 403;
const MAX_BOX_ITEMS = 40; // listed at once; the search finds the rest

let printed = new Map(); // from a thing's id to what is printed on it
let size = [1, 1]; // of the mat
let table = null; // the last state
let chosen = null; // {kind: "piece"|"token", key}
let lastRequest = 0; // an older answer never overwrites a newer one
let lastShown = 0;

// Talking to the server.

async function ask(path, body) {
  const request = ++lastRequest;
  const options =
    body === undefined
      ? {}
      : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    const response = await fetch("/simulator/" + path, options);
    if (response.status === REFUSED) return location.reload(); // may no longer look; the page says why
    answer = await response.json().catch(() => ({ error: { message: WORDS.unreadable } }));
    if (!response.ok) throw new Error(answer.error ? answer.error.message : WORDS.refused);
  } catch (error) {
    return complain(error instanceof TypeError ? WORDS.silent : error.message);
  }
  if (request < lastShown) return;
  lastShown = request;
  if (body !== undefined) {
    complain("");
    chooseNew(answer);
  }
  show(answer);
}

// Chooses the piece that a hand has just laid.
function chooseNew(state) {
  const added = state.lying.filter((piece) => table && !table.lying.some((old) => old.thing === piece.thing));
  if (table && added.length === 1) chosen = { kind: "piece", key: added[0].thing };
}

const act = (action, body = {}) => ask("do/" + action, body);
const complain = (text) => {
  $("error").textContent = text;
};

// Showing the state.

function show(state) {
  if (state.laid !== mat.dataset.laid) return location.reload(); // another game has been laid
  table = state;
  const piles = state.piles.filter((pile) => pile.at && pile.count);
  keyed(mat, ".pile-top", piles, (pile) => pile.name, makePile, placePile);
  keyed(mat, ".piece", state.lying, (p) => p.thing, makePiece, placePiece);
  keyed(mat, ".token", state.tokens, (t) => String(t.number), makeToken, placeToken);
  showHand(state.hand);
  showSide(state);
  showChosen();
  document.dispatchEvent(new CustomEvent("shown", { detail: state }));
}

// Keeps one element for each item, so that cards glide and keep their focus, and a drag goes on.
function keyed(parent, selector, items, key, make, place) {
  const there = new Map([...parent.querySelectorAll(selector)].map((e) => [e.dataset.key, e]));
  items.forEach((item, index) => {
    let element = there.get(key(item));
    there.delete(key(item));
    if (!element) {
      element = make(item);
      element.dataset.key = key(item);
      parent.append(element);
    }
    if (dragged?.element !== element) place(element, item, index);
  });
  there.forEach((element) => element.remove());
}

function at(element, x, y) {
  element.style.left = (x / size[0]) * 100 + "%";
  element.style.top = (y / size[1]) * 100 + "%";
}

function control(className, start) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = className;
  element.addEventListener("pointerdown", start);
  return element;
}

const sized = (element, [w, h]) => {
  element.style.setProperty("--w", w);
  element.style.setProperty("--h", h);
};
const picture = (element, url) => {
  const value = `url("/simulator/${url}")`;
  if (element.style.backgroundImage !== value) element.style.backgroundImage = value;
};

function makePiece(piece) {
  const element = control("piece", (event) => grabPiece(event, element));
  sized(element, printed.get(piece.thing).size);
  element.addEventListener("focus", () => choose("piece", element.dataset.key));
  return element;
}

function placePiece(element, piece, index) {
  const thing = printed.get(piece.thing);
  at(element, piece.x, piece.y);
  element.style.setProperty("--angle", piece.angle + "deg");
  element.style.zIndex = 10 + index;
  picture(element, piece.face_up ? thing.front : thing.back);
  element.setAttribute(
    "aria-label",
    say(piece.face_up ? WORDS.lies : WORDS.liesDown, {
      name: thing.name,
      title: thing.title,
      x: Math.round(piece.x),
      y: Math.round(piece.y),
    }),
  );
}

function makePile(pile) {
  const element = control("pile-top", (event) => grabPile(event, pile.name));
  sized(element, printed.get(pile.thing).size);
  picture(element, printed.get(pile.thing).back);
  element.append(Object.assign(document.createElement("span"), { className: "count" }));
  element.addEventListener("keydown", (event) => pileKey(event, pile.name));
  return element;
}

function placePile(element, pile) {
  at(element, ...pile.at);
  element.querySelector(".count").textContent = pile.count;
  element.setAttribute("aria-label", say(WORDS.pile, { title: pile.title, n: pile.count }));
}

function cube(kind) {
  const element = document.createElement("span");
  element.className = "cube";
  element.style.setProperty("--kind", COLOURS[kind] || kind);
  return element;
}

function makeToken(token) {
  const element = control("token", (event) => grabToken(event, element));
  element.append(cube(token.kind));
  element.addEventListener("focus", () => choose("token", element.dataset.key));
  return element;
}

function placeToken(element, token) {
  at(element, token.x, token.y);
  element.style.setProperty("--angle", token.angle + "deg");
  element.setAttribute("aria-label", printed.tokens[token.kind] || token.kind);
}

function showHand(hand) {
  let element = mat.querySelector(".fingers");
  if (!hand) {
    if (element) element.remove();
    return;
  }
  if (!element) mat.append((element = Object.assign(document.createElement("span"), { className: "fingers" })));
  at(element, ...hand);
}

function showSide(state) {
  $("lamp").dataset.mode = state.lamp;
  $("lamp").querySelector("b").textContent = WORDS.lamp[state.lamp];
  document.querySelectorAll("[data-press]").forEach((b) => {
    b.disabled = !state.pressable;
  });
  $("guide").textContent = [state.guide, state.notice].filter(Boolean).join(" ");
  const lines = state.health.map((h) => `${h.device}: ${h.says}`).concat(state.amiss);
  list($("amiss"), lines.length ? lines : [allFine(state)], (text) => {
    const item = Object.assign(document.createElement("li"), { textContent: text });
    item.classList.toggle("fine", !lines.length);
    return item;
  });
  $("put-right").disabled = !state.playing && !state.lying.length;
  keyed($("piles"), ".pile", state.piles, (pile) => pile.name, makeSidePile, updateSidePile);
  showBox();
}

function updateSidePile(element, pile) {
  element.disabled = !pile.count;
  element.querySelector(".count").textContent = pile.count;
}

function allFine(state) {
  if (!state.playing) return WORDS.nothingPlayed;
  if (!state.in_view) return WORDS.noMat;
  return state.on_phones ? WORDS.onPhones : WORDS.right;
}

// Rebuilds a list only when it has changed, so that it can be scrolled and read.
function list(parent, items, make) {
  const now = JSON.stringify(items);
  if (parent.dataset.now === now) return;
  parent.dataset.now = now;
  parent.replaceChildren(...items.map(make));
}

function makeSidePile(pile) {
  const element = control("pile", (event) => grabPile(event, pile.name));
  const back = Object.assign(document.createElement("span"), { className: "back" });
  picture(back, printed.get(pile.thing).back);
  back.append(Object.assign(document.createElement("span"), { className: "count" }));
  element.append(back, pile.title);
  element.addEventListener("keydown", (event) => pileKey(event, pile.name));
  return element;
}

function showBox() {
  const wanted = $("search").value.trim().toLowerCase();
  const lying = new Set(table.lying.map((piece) => piece.thing));
  const beside = new Set(table.beside);
  const isFound = (thing) => `${thing.name} ${thing.title} ${thing.id}`.toLowerCase().includes(wanted);
  const isListed = (thing) => (wanted ? isFound(thing) : beside.has(thing.id) || !thing.dealt);
  const copies = new Map(); // copies of one kind in the box are interchangeable and listed once
  for (const thing of printed.values()) {
    if (lying.has(thing.id) || !isListed(thing)) continue;
    const key = beside.has(thing.id) ? thing.id : thing.kind;
    copies.set(key, [...(copies.get(key) || []), thing.id]);
  }
  const items = [...copies.values()].slice(0, MAX_BOX_ITEMS);
  list(
    $("box"),
    items.map(([id, ...more]) => [id, beside.has(id), 1 + more.length]),
    ([id, isBeside, count]) => boxItem(printed.get(id), isBeside, count),
  );
  $("box").dataset.none = wanted && !copies.size ? WORDS.nothingFound : "";
}

// The name of some things contains their title.
const isNamed = (thing) => thing.name.toLowerCase().includes(thing.title.toLowerCase());
const called = (thing) => (isNamed(thing) ? thing.name : `${thing.name} · ${thing.title}`);

function boxItem(thing, isBeside, count) {
  const item = document.createElement("li");
  const image = Object.assign(document.createElement("img"), {
    src: "/simulator/" + thing.front,
    alt: "",
    draggable: false,
  });
  image.addEventListener("pointerdown", (event) => grabThing(event, thing));
  const words = document.createElement("div");
  words.append(
    Object.assign(document.createElement("b"), { textContent: thing.name }),
    isNamed(thing) ? "" : " " + thing.title,
    Object.assign(document.createElement("small"), {
      textContent: isBeside ? WORDS.beside : count > 1 ? say(WORDS.many, { n: count }) : thing.home,
    }),
  );
  const lay = Object.assign(document.createElement("button"), {
    type: "button",
    textContent: WORDS.lay,
    ariaLabel: say(WORDS.layThis, { name: thing.name }),
  });
  lay.addEventListener("click", () => act("bring", { thing: thing.id, ...middle() }));
  item.append(image, words, lay);
  return item;
}

function showChosen() {
  const piece = chosen && chosen.kind === "piece" && table.lying.find((p) => p.thing === chosen.key);
  const token = chosen && chosen.kind === "token" && table.tokens.find((t) => String(t.number) === chosen.key);
  if (!piece && !token) chosen = null;
  mat.querySelectorAll(".chosen").forEach((e) => e.classList.remove("chosen"));
  if (chosen) mat.querySelector(`.${chosen.kind}[data-key="${CSS.escape(chosen.key)}"]`).classList.add("chosen");
  const thing = piece && printed.get(piece.thing);
  $("chosen").textContent = thing ? called(thing) : token ? printed.tokens[token.kind] : WORDS.nothingChosen;
  document.querySelectorAll("[data-tool]").forEach((b) => {
    b.disabled = b.dataset.tool === "away" ? !chosen : !piece;
  });
}

// The rest of the page.

for (const button of document.querySelectorAll("[data-press]")) {
  button.addEventListener("click", () => act("press", { button: button.dataset.press }));
}
$("put-right").addEventListener("click", () => act("put-right"));
$("search").addEventListener("input", showBox);

async function poll() {
  if (!document.hidden && !dragged && !nudgeTimer) await ask("state");
  setTimeout(poll, POLL_MS);
}

function watchCamera() {
  const later = () => setTimeout(watchCamera, CAMERA_MS);
  if (document.hidden) return later();
  const next = new Image();
  next.onload = () => {
    $("camera").src = next.src;
    later();
  };
  next.onerror = later;
  next.src = "/simulator/camera.jpg?" + Date.now();
}

async function begin() {
  const answer = await fetch("/simulator/things");
  const { size: matSize, things, tokens } = await answer.json();
  size = matSize;
  printed = new Map(things.map((thing) => [thing.id, thing]));
  printed.tokens = tokens;
  for (const [kind, name] of Object.entries(tokens)) {
    const button = control("kind", (event) => grabKind(event, kind));
    Object.assign(button, { title: name, ariaLabel: say(WORDS.puts, { name }) });
    button.dataset.kind = kind;
    button.addEventListener("keydown", (event) => {
      if (event.key === "Enter") act("put-token", { kind, ...middle() });
    });
    button.append(cube(kind));
    $("tokens").append(button);
  }
  await poll();
  watchCamera();
}

document.addEventListener("DOMContentLoaded", begin); // once all deferred scripts are here
