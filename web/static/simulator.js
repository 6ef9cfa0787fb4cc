// Shows the simulated table. It knows no rules: the server says where components end up. Dragging and keys are in
// simulator_drag.js. Lengths are millimeters on the mat.
"use strict";

const $ = (id) => document.getElementById(id);
const mat = $("mat");
const WORDS = JSON.parse($("words").textContent);
const formatText = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const COLORS = {
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

let components = new Map(); // by id: the names, pictures and sizes
let tokenNames = {}; // by kind
let size = [1, 1]; // of the mat
let table = null; // the last state
let selection = null; // {kind: "piece"|"token", key}
let lastRequest = 0; // an older answer never overwrites a newer one
let lastShown = 0; // answers to earlier requests are out of date

async function ask(path, body) {
  const request = ++lastRequest;
  const before = table;
  if (body !== undefined) lastShown = request;
  const options =
    body === undefined
      ? {}
      : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    const response = await fetch("/simulator/" + path, options);
    if (response.status === REFUSED) return location.reload(); // no longer allowed; the page says why
    answer = await response.json().catch(() => ({ error: { message: WORDS.unreadable } }));
    if (!response.ok) throw new Error(answer.error ? answer.error.message : WORDS.refused);
  } catch (error) {
    return complain(error instanceof TypeError ? WORDS.silent : error.message);
  }
  if (body !== undefined) {
    complain("");
    if (before) selectNew(before, answer);
  }
  if (request < lastShown) return showChosen();
  lastShown = request;
  show(answer);
}

// Selects the piece that was just put on the table. A later answer may have shown it already.
function selectNew(before, after) {
  const added = after.on_mat.filter((piece) => !before.on_mat.some((old) => old.code === piece.code));
  if (added.length === 1) selection = { kind: "piece", key: added[0].code };
}

const act = (action, body = {}) => ask("do/" + action, body);
const complain = (text) => {
  $("error").textContent = text;
};

function show(state) {
  if (state.image_set !== mat.dataset.imageSet) return location.reload(); // the table has been set up for another game
  table = state;
  const piles = state.piles.filter((pile) => pile.at && pile.count);
  updateKeyed(mat, ".pile-top", piles, (pile) => pile.name, makePile, placePile);
  updateKeyed(mat, ".piece", state.on_mat, (p) => p.code, makePiece, placePiece);
  updateKeyed(mat, ".token", state.tokens, (t) => String(t.number), makeToken, placeToken);
  showFixes(state.fixes);
  showHand(state.hand);
  showSide(state);
  showChosen();
  document.dispatchEvent(new CustomEvent("shown", { detail: state }));
}

// Keeps the element of each item, so that cards glide, keep their focus, and can still be dragged.
function updateKeyed(parent, selector, items, key, make, place) {
  const existing = new Map([...parent.querySelectorAll(selector)].map((e) => [e.dataset.key, e]));
  items.forEach((item, index) => {
    let element = existing.get(key(item));
    existing.delete(key(item));
    if (!element) {
      element = make(item);
      element.dataset.key = key(item);
      parent.append(element);
    }
    if (dragState?.element !== element) place(element, item, index);
  });
  existing.forEach((element) => element.remove());
}

function setPosition(element, x, y) {
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

const setSize = (element, [w, h]) => {
  element.style.setProperty("--w", w);
  element.style.setProperty("--h", h);
};
const setPicture = (element, url) => {
  const value = `url("/simulator/${url}")`;
  if (element.style.backgroundImage !== value) element.style.backgroundImage = value;
};

function makePiece(piece) {
  const element = control("piece", (event) => grabPiece(event, element));
  setSize(element, components.get(piece.code).size);
  element.addEventListener("focus", () => select("piece", element.dataset.key));
  return element;
}

function placePiece(element, piece, index) {
  const component = components.get(piece.code);
  setPosition(element, piece.x, piece.y);
  element.style.setProperty("--angle", piece.angle + "deg");
  element.style.zIndex = 10 + index;
  setPicture(element, piece.face_up ? component.front : component.back);
  element.setAttribute(
    "aria-label",
    formatText(piece.face_up ? WORDS.faceUpAt : WORDS.faceDownAt, {
      name: component.name,
      title: component.title,
      x: Math.round(piece.x),
      y: Math.round(piece.y),
    }),
  );
}

function makePile(pile) {
  const element = control("pile-top", (event) => grabPile(event, pile.name));
  setSize(element, components.get(pile.code).size);
  setPicture(element, components.get(pile.code).back);
  element.append(Object.assign(document.createElement("span"), { className: "count" }));
  element.addEventListener("keydown", (event) => pileKey(event, pile.name));
  return element;
}

function placePile(element, pile) {
  setPosition(element, ...pile.at);
  element.querySelector(".count").textContent = pile.count;
  element.setAttribute("aria-label", formatText(WORDS.pile, { title: pile.title, n: pile.count }));
}

function cube(kind) {
  const element = document.createElement("span");
  element.className = "cube";
  element.style.setProperty("--kind", COLORS[kind] || kind);
  return element;
}

function makeToken(token) {
  const element = control("token", (event) => grabToken(event, element));
  element.append(cube(token.kind));
  element.addEventListener("focus", () => select("token", element.dataset.key));
  return element;
}

function placeToken(element, token) {
  setPosition(element, token.x, token.y);
  element.style.setProperty("--angle", token.angle + "deg");
  element.setAttribute("aria-label", tokenNames[token.kind] || token.kind);
}

function showHand(hand) {
  let element = mat.querySelector(".fingers");
  if (!hand) {
    if (element) element.remove();
    return;
  }
  if (!element) mat.append((element = Object.assign(document.createElement("span"), { className: "fingers" })));
  setPosition(element, ...hand);
}

function showSide(state) {
  $("lamp").dataset.mode = state.lamp;
  $("lamp").querySelector("b").textContent = WORDS.lamp[state.lamp];
  document.querySelectorAll("[data-press]").forEach((b) => {
    b.disabled = !state.pressable;
  });
  $("guide").textContent = [state.guide, state.notice].filter(Boolean).join(" ");
  const lines = state.health.map((h) => `${h.device}: ${h.says}`).concat(state.discrepancies);
  list($("discrepancies"), lines.length ? lines : [allFine(state)], (text) => {
    const item = Object.assign(document.createElement("li"), { textContent: text });
    item.classList.toggle("fine", !lines.length);
    return item;
  });
  $("tidy").disabled = !state.playing && !state.on_mat.length;
  $("tidy").hidden = state.playing && state.in_view && state.settled && !state.discrepancies.length;
  updateKeyed($("piles"), ".pile", state.piles, (pile) => pile.name, makeSidePile, updateSidePile);
  showBox();
}

// Marks what to fix on the mat: the component, the zone where it belongs, the way there, how it must point.
function showFixes(fixes) {
  const svg = $("fixes");
  const draw = (name, kind, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    element.setAttribute("class", kind);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    svg.append(element);
  };
  svg.replaceChildren();
  for (const { at, zone, degrees } of fixes) {
    const middle = zone && [0, 1].map((axis) => zone.reduce((sum, point) => sum + point[axis], 0) / zone.length);
    const moves = at && middle && Math.hypot(at[0] - middle[0], at[1] - middle[1]) > 40;
    if (zone) draw("polygon", "right", { points: zone.join(" ") });
    if (moves) draw("path", "way", { d: `M${at}L${middle}`, "marker-end": "url(#fix-tip)" });
    if (at) draw("circle", "wrong", { cx: at[0], cy: at[1], r: 26 });
    if (middle && degrees !== null) {
      draw("path", "pointer", {
        d: "M0 16V-34",
        transform: `translate(${middle}) rotate(${degrees})`,
        "marker-end": "url(#fix-tip-right)",
      });
    }
  }
}

function updateSidePile(element, pile) {
  element.disabled = !pile.count;
  element.querySelector(".count").textContent = pile.count;
}

function allFine(state) {
  if (!state.playing) return state.setting_up ? state.guide : WORDS.nothingPlayed;
  if (!state.in_view) return WORDS.noMat;
  return state.on_phones ? WORDS.onPhones : WORDS.tableMatches;
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
  setPicture(back, components.get(pile.code).back);
  back.append(Object.assign(document.createElement("span"), { className: "count" }));
  element.append(back, pile.title);
  element.addEventListener("keydown", (event) => pileKey(event, pile.name));
  return element;
}

function showBox() {
  const query = $("search").value.trim().toLowerCase();
  const onTable = new Set(table.on_mat.map((piece) => piece.code));
  const offMat = new Set(table.off_mat);
  const matchesQuery = ({ name, title, id }) => `${name} ${title} ${id}`.toLowerCase().includes(query);
  const isListed = (component) => (query ? matchesQuery(component) : offMat.has(component.id) || !component.dealt);
  const copies = new Map(); // equal copies in the box are listed once
  for (const component of components.values()) {
    if (onTable.has(component.id) || !isListed(component)) continue;
    const key = offMat.has(component.id) ? component.id : component.kind;
    copies.set(key, [...(copies.get(key) || []), component.id]);
  }
  const items = [...copies.values()].slice(0, MAX_BOX_ITEMS);
  list(
    $("box"),
    items.map(([id, ...more]) => [id, offMat.has(id), 1 + more.length]),
    ([id, isOffMat, count]) => boxItem(components.get(id), isOffMat, count),
  );
  $("box").dataset.none = query && !copies.size ? WORDS.nothingFound : "";
}

// The names of some components contain their titles.
const nameHasTitle = (component) => component.name.toLowerCase().includes(component.title.toLowerCase());
const fullName = (component) => (nameHasTitle(component) ? component.name : `${component.name} · ${component.title}`);

function boxItem(component, isOffMat, count) {
  const item = document.createElement("li");
  const image = Object.assign(document.createElement("img"), {
    src: "/simulator/" + component.front,
    alt: "",
    draggable: false,
  });
  image.addEventListener("pointerdown", (event) => grabComponent(event, component));
  const words = document.createElement("div");
  words.append(
    Object.assign(document.createElement("b"), { textContent: component.name }),
    nameHasTitle(component) ? "" : " " + component.title,
    Object.assign(document.createElement("small"), {
      textContent: isOffMat ? WORDS.offMat : count > 1 ? formatText(WORDS.many, { n: count }) : component.home,
    }),
  );
  const put = Object.assign(document.createElement("button"), {
    type: "button",
    textContent: WORDS.put,
    ariaLabel: formatText(WORDS.putThis, { name: component.name }),
  });
  put.addEventListener("click", () => act("put-near", { code: component.id, ...middle() }));
  item.append(image, words, put);
  return item;
}

function showChosen() {
  const piece = selection && selection.kind === "piece" && table.on_mat.find((p) => p.code === selection.key);
  const token = selection && selection.kind === "token" && table.tokens.find((t) => String(t.number) === selection.key);
  if (!piece && !token) selection = null;
  mat.querySelectorAll(".chosen").forEach((e) => e.classList.remove("chosen"));
  if (selection) {
    const { kind, key } = selection;
    mat.querySelector(`.${kind}[data-key="${CSS.escape(key)}"]`).classList.add("chosen");
  }
  const component = piece && components.get(piece.code);
  $("chosen").textContent = component ? fullName(component) : token ? tokenNames[token.kind] : WORDS.nothingChosen;
  document.querySelectorAll("[data-tool]").forEach((b) => {
    b.disabled = b.dataset.tool === "away" ? !selection : !piece;
  });
}

for (const button of document.querySelectorAll("[data-press]")) {
  button.addEventListener("click", () => act("press", { button: button.dataset.press }));
}
$("tidy").addEventListener("click", () => act("tidy"));
$("search").addEventListener("input", showBox);

async function poll() {
  if (!document.hidden && !dragState && !nudgeTimer) await ask("state");
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

async function startPage() {
  const answer = await fetch("/simulator/components");
  const { size: matSize, components: all, tokens } = await answer.json();
  size = matSize;
  components = new Map(all.map((component) => [component.id, component]));
  tokenNames = tokens;
  for (const [kind, name] of Object.entries(tokens)) {
    const button = control("kind", (event) => grabKind(event, kind));
    Object.assign(button, { title: name, ariaLabel: formatText(WORDS.putToken, { name }) });
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

document.addEventListener("DOMContentLoaded", startPage); // once all deferred scripts are loaded
