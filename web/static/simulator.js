// The simulated table: shows what lies there and sends what hands do. It knows no rules: the server says where
// things come to lie. Lengths are millimetres on the mat.
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
const KEY_STEP = 5,
  LONG_STEP = 25,
  TURN = 90,
  LOOK_MS = 600,
  CAMERA_MS = 1000,
  TAP_PX = 5,
  REFUSED = 403;

let printed = new Map(); // thing id -> what is printed
let size = [1, 1]; // of the mat
let table = null; // the last state
let held = null; // the drag that goes on
let chosen = null; // {kind: "piece"|"token", key}
let asked = 0; // requests so far: an older answer never overwrites a newer one
let shown = 0;

// Talking to the server -----------------------------------------------------------------------------------

async function ask(path, body) {
  const mine = ++asked;
  const options =
    body === undefined
      ? {}
      : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    const response = await fetch("/simulator/" + path, options);
    if (response.status === REFUSED) {
      location.reload();
      return;
    } // this browser may no longer look; the page says why
    answer = await response.json().catch(() => ({ error: { message: WORDS.unreadable } }));
    if (!response.ok) throw new Error(answer.error ? answer.error.message : WORDS.refused);
  } catch (error) {
    complain(error instanceof TypeError ? WORDS.silent : error.message);
    return;
  }
  if (mine < shown) return;
  shown = mine;
  if (body !== undefined) complain("");
  const came =
    table && body !== undefined && answer.lying.filter((p) => !table.lying.some((old) => old.thing === p.thing));
  if (came && came.length === 1) chosen = { kind: "piece", key: came[0].thing }; // what a hand just laid
  show(answer);
}

const act = (deed, body = {}) => ask("do/" + deed, body);
const complain = (text) => {
  $("error").textContent = text;
};

// Showing -------------------------------------------------------------------------------------------------

function show(state) {
  if (state.laid !== mat.dataset.laid) {
    location.reload();
    return;
  } // another game has been laid
  table = state;
  keyed(
    mat,
    ".pile-top",
    state.piles.filter((p) => p.at && p.count),
    (p) => p.name,
    makePile,
    placePile,
  );
  keyed(mat, ".piece", state.lying, (p) => p.thing, makePiece, placePiece);
  keyed(mat, ".token", state.tokens, (t) => String(t.number), makeToken, placeToken);
  showHand(state.hand);
  showSide(state);
  showChosen();
  document.dispatchEvent(new CustomEvent("shown", { detail: state }));
}

// Keeps one element for each item, so that cards glide, and focus and drags survive.
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
    if (!held || held.element !== element) place(element, item, index);
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
  const fine = !state.playing
    ? WORDS.nothingPlayed
    : !state.in_view
      ? WORDS.noMat
      : state.on_phones
        ? WORDS.onPhones
        : WORDS.right;
  list($("amiss"), lines.length ? lines : [fine], (text) => {
    const item = Object.assign(document.createElement("li"), { textContent: text });
    item.classList.toggle("fine", !lines.length);
    return item;
  });
  $("put-right").disabled = !state.playing && !state.lying.length;
  keyed(
    $("piles"),
    ".pile",
    state.piles,
    (p) => p.name,
    makeSidePile,
    (element, pile) => {
      element.disabled = !pile.count;
      element.querySelector(".count").textContent = pile.count;
    },
  );
  showBox();
}

// Builds a list anew only when it changed, so that it can be scrolled and read.
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
  const lying = new Set(table.lying.map((p) => p.thing)),
    beside = new Set(table.beside);
  const off = [...printed.values()]
    .filter((t) => !lying.has(t.id))
    .filter((t) =>
      wanted ? `${t.name} ${t.title} ${t.id}`.toLowerCase().includes(wanted) : beside.has(t.id) || !t.dealt,
    );
  const alike = new Map(); // of copies in the box one is as good as another
  for (const thing of off) {
    const key = beside.has(thing.id) ? thing.id : thing.kind;
    alike.set(key, [...(alike.get(key) || []), thing.id]);
  }
  list(
    $("box"),
    [...alike.values()].slice(0, 40).map(([id, ...more]) => [id, beside.has(id), 1 + more.length]),
    ([id, aside, count]) => boxItem(printed.get(id), aside, count),
  );
  $("box").dataset.none = wanted && !alike.size ? WORDS.nothingFound : "";
}

// Some things are called by their title already.
const isNamed = (thing) => thing.name.toLowerCase().includes(thing.title.toLowerCase());
const called = (thing) => (isNamed(thing) ? thing.name : `${thing.name} · ${thing.title}`);

function boxItem(thing, aside, count) {
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
      textContent: aside ? WORDS.beside : count > 1 ? say(WORDS.many, { n: count }) : thing.home,
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

// The place in the middle of what is in view of the mat.
function middle() {
  const box = $("scroll").getBoundingClientRect();
  return inside(...where(box.left + box.width / 2, box.top + box.height / 2));
}

// Dragging ------------------------------------------------------------------------------------------------

function where(clientX, clientY) {
  const box = mat.getBoundingClientRect();
  return [((clientX - box.left) / box.width) * size[0], ((clientY - box.top) / box.height) * size[1]];
}

const onMat = (x, y) => x >= 0 && y >= 0 && x <= size[0] && y <= size[1];
const round = (v) => Math.round(v * 10) / 10;
const inside = (x, y) => ({ x: round(Math.min(Math.max(x, 0), size[0])), y: round(Math.min(Math.max(y, 0), size[1])) });

// `element` moves with the pointer from where it was seized; `drop(x, y, on)` says where its middle was let go.
// A ghost (no `start`) that is only tapped is dropped in the middle of what is in view of the mat.
function drag(event, element, drop, start) {
  if (held || event.button > 0) return;
  event.preventDefault();
  const shift = start
    ? [start[0] - where(event.clientX, event.clientY)[0], start[1] - where(event.clientX, event.clientY)[1]]
    : [0, 0];
  held = { element, id: event.pointerId, from: [event.clientX, event.clientY], moved: false };
  const place = (e) => {
    const [x, y] = where(e.clientX, e.clientY);
    return [x + shift[0], y + shift[1]];
  };
  const move = (e) => {
    if (e.pointerId !== held.id) return;
    held.moved ||= Math.hypot(e.clientX - held.from[0], e.clientY - held.from[1]) > TAP_PX;
    if (!held.moved) return;
    element.classList.add("held");
    if (start) at(element, ...place(e));
    else {
      element.hidden = false;
      element.style.left = e.clientX + "px";
      element.style.top = e.clientY + "px";
    }
  };
  const end = (e) => {
    if (e.pointerId !== held.id) return;
    for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener);
    const { moved } = held;
    held = null;
    element.classList.remove("held");
    if (!start) element.remove();
    if (e.type === "pointerup" && moved) drop(...place(e), onMat(...where(e.clientX, e.clientY)));
    else if (e.type === "pointerup" && !start) drop(middle().x, middle().y, true);
    else show(table);
  };
  const listeners = { pointermove: move, pointerup: end, pointercancel: end };
  for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener);
}

function ghost(url, [w, h]) {
  const element = Object.assign(document.createElement("span"), { className: "ghost", hidden: true });
  const scale = mat.getBoundingClientRect().width / size[0];
  element.style.width = w * scale + "px";
  element.style.height = h * scale + "px";
  if (url) picture(element, url);
  document.body.append(element);
  return element;
}

function grabPiece(event, element) {
  const piece = table.lying.find((p) => p.thing === element.dataset.key);
  element.focus({ preventScroll: true });
  choose("piece", piece.thing);
  drag(
    event,
    element,
    (x, y, on) => (on ? act("lay", { thing: piece.thing, ...inside(x, y) }) : act("put-away", { thing: piece.thing })),
    [piece.x, piece.y],
  );
}

function grabToken(event, element) {
  const token = table.tokens.find((t) => String(t.number) === element.dataset.key);
  element.focus({ preventScroll: true });
  drag(
    event,
    element,
    (x, y, on) =>
      on ? act("move-token", { number: token.number, ...inside(x, y) }) : act("take-token", { number: token.number }),
    [token.x, token.y],
  );
}

function grabPile(event, name) {
  const pile = table.piles.find((p) => p.name === name),
    thing = printed.get(pile.thing);
  if (pile.count)
    drag(event, ghost(thing.back, thing.size), (x, y, on) => {
      if (on) act("take", { pile: name, ...inside(x, y) });
    });
}

function grabThing(event, thing) {
  drag(event, ghost(thing.front, thing.size), (x, y, on) => {
    if (on) act("lay", { thing: thing.id, ...inside(x, y) });
  });
}

function grabKind(event, kind) {
  const shape = ghost("", [11, 11]);
  shape.append(cube(kind));
  drag(event, shape, (x, y, on) => {
    if (on) act("put-token", { kind, ...inside(x, y) });
  });
}

// Keys and tools ------------------------------------------------------------------------------------------

function choose(kind, key) {
  chosen = { kind, key };
  showChosen();
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

const TOOLS = {
  left: () => act("turn", { thing: chosen.key, degrees: -TURN }),
  right: () => act("turn", { thing: chosen.key, degrees: TURN }),
  flip: () => act("flip", { thing: chosen.key }),
  away: () =>
    chosen.kind === "piece"
      ? act("put-away", { thing: chosen.key })
      : act("take-token", { number: Number(chosen.key) }),
};

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let nudge = null; // a walk by arrow keys is told once it rests

function nudged([dx, dy], step) {
  const piece =
    chosen.kind === "piece"
      ? table.lying.find((p) => p.thing === chosen.key)
      : table.tokens.find((t) => String(t.number) === chosen.key);
  const place = inside(piece.x + dx * step, piece.y + dy * step);
  Object.assign(piece, place);
  const element = mat.querySelector(`.${chosen.kind}[data-key="${CSS.escape(chosen.key)}"]`);
  at(element, piece.x, piece.y);
  const { kind, key } = chosen;
  if (nudge) clearTimeout(nudge);
  nudge = setTimeout(() => {
    nudge = null;
    if (kind === "piece") act("lay", { thing: key, ...place });
    else act("move-token", { number: Number(key), ...place });
  }, 250);
}

mat.addEventListener("keydown", (event) => {
  if (!chosen || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(".pile-top")) return;
  const piece = chosen.kind === "piece";
  if (ARROWS[event.key]) nudged(ARROWS[event.key], event.shiftKey ? LONG_STEP : KEY_STEP);
  else if (event.key.toLowerCase() === "r" && piece) TOOLS[event.shiftKey ? "left" : "right"]();
  else if (event.key.toLowerCase() === "f" && piece) TOOLS.flip();
  else if (event.key === "Delete" || event.key === "Backspace") TOOLS.away();
  else return;
  event.preventDefault();
});

function pileKey(event, name) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act("take", { pile: name, ...middle() });
}

// The rest of the page ------------------------------------------------------------------------------------

document.querySelectorAll("[data-tool]").forEach((b) => b.addEventListener("click", () => TOOLS[b.dataset.tool]()));
document
  .querySelectorAll("[data-press]")
  .forEach((b) => b.addEventListener("click", () => act("press", { button: b.dataset.press })));
$("put-right").addEventListener("click", () => act("put-right"));
$("search").addEventListener("input", showBox);
$("hand").addEventListener("click", () => {
  const holds = $("hand").getAttribute("aria-pressed") !== "true";
  $("hand").setAttribute("aria-pressed", holds);
  act(holds ? "hold-hand" : "withdraw-hand", holds ? middle() : {});
});

async function look() {
  if (!document.hidden && !held && !nudge) await ask("state");
  setTimeout(look, LOOK_MS);
}

function watch() {
  const image = $("camera"),
    again = () => setTimeout(watch, CAMERA_MS);
  if (document.hidden) return again();
  const next = new Image();
  next.onload = () => {
    image.src = next.src;
    again();
  };
  next.onerror = again;
  next.src = "/simulator/camera.jpg?" + Date.now();
}

async function begin() {
  const told = await (await fetch("/simulator/things")).json();
  size = told.size;
  printed = new Map(told.things.map((thing) => [thing.id, thing]));
  printed.tokens = told.tokens;
  for (const [kind, name] of Object.entries(told.tokens)) {
    const button = control("kind", (event) => grabKind(event, kind));
    Object.assign(button, { title: name, ariaLabel: say(WORDS.puts, { name }) });
    button.dataset.kind = kind;
    button.addEventListener("keydown", (event) => {
      if (event.key === "Enter") act("put-token", { kind, ...middle() });
    });
    button.append(cube(kind));
    $("tokens").append(button);
  }
  await look();
  watch();
}

begin();
