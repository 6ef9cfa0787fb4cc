// Lets the host drag components on the simulated table, move them with the keyboard, turn them and flip them.
// simulator.js shows the table and is loaded first. Lengths are millimeters on the mat.
"use strict";

const STEP_MM = 5;
const LONG_STEP_MM = 25;
const CUBE_MM = 11;
const TURN_DEGREES = 90;
const TAP_PX = 5; // a pointer that moves less has tapped
const NUDGE_MS = 250;

let dragState = null; // the element, the pointer, and where the drag began

function toMat(clientX, clientY) {
  const box = mat.getBoundingClientRect();
  return [((clientX - box.left) / box.width) * size[0], ((clientY - box.top) / box.height) * size[1]];
}

const isOnMat = (x, y) => x >= 0 && y >= 0 && x <= size[0] && y <= size[1];
const clamp = (value, max) => Math.round(Math.min(Math.max(value, 0), max) * 10) / 10;
const clampToMat = (x, y) => ({ x: clamp(x, size[0]), y: clamp(y, size[1]) });

// The middle of the part of the mat that is in view.
function middle() {
  const box = $("scroll").getBoundingClientRect();
  return clampToMat(...toMat(box.left + box.width / 2, box.top + box.height / 2));
}

// Moves `element` with the pointer. `drop(x, y, onMat)` is called with the position of its center when it is dropped.
// `start` is the position of its center before. Without `start`, the element appears only while it is dragged, and a
// tap drops it in the middle of the view.
function drag(event, element, drop, start) {
  if (dragState || event.button > 0) return;
  event.preventDefault();
  const [x, y] = toMat(event.clientX, event.clientY);
  const shift = start ? [start[0] - x, start[1] - y] : [0, 0];
  dragState = { element, id: event.pointerId, from: [event.clientX, event.clientY], moved: false };
  const place = (e) => {
    const [x, y] = toMat(e.clientX, e.clientY);
    return [x + shift[0], y + shift[1]];
  };
  const move = (e) => {
    if (e.pointerId !== dragState.id) return;
    dragState.moved ||= Math.hypot(e.clientX - dragState.from[0], e.clientY - dragState.from[1]) > TAP_PX;
    if (!dragState.moved) return;
    element.classList.add("held");
    if (start) {
      setPosition(element, ...place(e));
    } else {
      element.hidden = false;
      element.style.left = e.clientX + "px";
      element.style.top = e.clientY + "px";
    }
  };
  const end = (e) => {
    if (e.pointerId !== dragState.id) return;
    for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener);
    const { moved } = dragState;
    dragState = null;
    element.classList.remove("held");
    if (!start) element.remove();
    if (e.type === "pointerup" && moved) drop(...place(e), isOnMat(...toMat(e.clientX, e.clientY)));
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
  if (url) setPicture(element, url);
  document.body.append(element);
  return element;
}

function grabPiece(event, element) {
  const piece = table.on_mat.find((p) => p.code === element.dataset.key);
  element.focus({ preventScroll: true });
  select("piece", piece.code);
  drag(
    event,
    element,
    (x, y, onMat) => {
      if (onMat) act("put", { code: piece.code, ...clampToMat(x, y) });
      else act("put-away", { code: piece.code });
    },
    [piece.x, piece.y],
  );
}

function grabToken(event, element) {
  const token = table.tokens.find((t) => String(t.number) === element.dataset.key);
  element.focus({ preventScroll: true });
  drag(
    event,
    element,
    (x, y, onMat) => {
      if (onMat) act("move-token", { number: token.number, ...clampToMat(x, y) });
      else act("take-token", { number: token.number });
    },
    [token.x, token.y],
  );
}

function grabPile(event, name) {
  const pile = table.piles.find((p) => p.name === name);
  const component = components.get(pile.code);
  if (!pile.count) return;
  drag(event, ghost(component.back, component.size), (x, y, onMat) => {
    if (onMat) act("draw", { pile: name, ...clampToMat(x, y) });
  });
}

function grabComponent(event, component) {
  drag(event, ghost(component.front, component.size), (x, y, onMat) => {
    if (onMat) act("put", { code: component.id, ...clampToMat(x, y) });
  });
}

function grabKind(event, kind) {
  const shape = ghost("", [CUBE_MM, CUBE_MM]);
  shape.append(cube(kind));
  drag(event, shape, (x, y, onMat) => {
    if (onMat) act("put-token", { kind, ...clampToMat(x, y) });
  });
}

function select(kind, key) {
  selection = { kind, key };
  showChosen();
}

const TOOLS = {
  left: () => act("rotate", { code: selection.key, degrees: -TURN_DEGREES }),
  right: () => act("rotate", { code: selection.key, degrees: TURN_DEGREES }),
  flip: () => act("flip", { code: selection.key }),
  away: () =>
    selection.kind === "piece"
      ? act("put-away", { code: selection.key })
      : act("take-token", { number: Number(selection.key) }),
};

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let nudgeTimer = null; // a piece moved by arrow keys is sent when no key has been pressed for NUDGE_MS

function nudge([dx, dy], step) {
  const piece =
    selection.kind === "piece"
      ? table.on_mat.find((p) => p.code === selection.key)
      : table.tokens.find((t) => String(t.number) === selection.key);
  const place = clampToMat(piece.x + dx * step, piece.y + dy * step);
  Object.assign(piece, place);
  const element = mat.querySelector(`.${selection.kind}[data-key="${CSS.escape(selection.key)}"]`);
  setPosition(element, piece.x, piece.y);
  const { kind, key } = selection;
  lastShown = ++lastRequest; // no answer to an earlier request knows this place
  if (nudgeTimer) clearTimeout(nudgeTimer);
  nudgeTimer = setTimeout(() => {
    nudgeTimer = null;
    if (kind === "piece") act("put", { code: key, ...place });
    else act("move-token", { number: Number(key), ...place });
  }, NUDGE_MS);
}

mat.addEventListener("keydown", (event) => {
  if (!selection || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(".pile-top")) return;
  const piece = selection.kind === "piece";
  if (ARROWS[event.key]) nudge(ARROWS[event.key], event.shiftKey ? LONG_STEP_MM : STEP_MM);
  else if (event.key.toLowerCase() === "r" && piece) TOOLS[event.shiftKey ? "left" : "right"]();
  else if (event.key.toLowerCase() === "f" && piece) TOOLS.flip();
  else if (event.key === "Delete" || event.key === "Backspace") TOOLS.away();
  else return;
  event.preventDefault();
});

function pileKey(event, name) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act("draw", { pile: name, ...middle() });
}

for (const button of document.querySelectorAll("[data-tool]")) {
  button.addEventListener("click", () => TOOLS[button.dataset.tool]());
}
$("hand").addEventListener("click", () => {
  const holds = $("hand").getAttribute("aria-pressed") !== "true";
  $("hand").setAttribute("aria-pressed", holds);
  act(holds ? "hold-hand" : "withdraw-hand", holds ? middle() : {});
});
