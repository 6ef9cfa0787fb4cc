// The simulated box: for each seat a button with a lamp, the dial, and two light bars. It knows no rules.
"use strict";

const PIXELS = 8;

document.addEventListener("shown", ({ detail: state }) => {
  if (!state.box) return;
  const seats = state.box.lamps.map((lamp, seat) => ({ lamp, seat }));
  updateKeyed($("seats"), ".seat", seats, (place) => String(place.seat), makeSeat, placeSeat);
  list($("bars"), state.box.bars, makeBar);
  const pixels = (n) => $("bars").children[n]?.querySelectorAll("i") ?? [];
  state.box.fix.forEach((column, n) => pixels(n)[column]?.classList.add("fix"));
  $("dial-position").textContent = state.box.dial
    ? formatText(WORDS.dial, { n: state.box.dial[0] + 1, count: state.box.dial[1] })
    : "";
});

function makeSeat({ seat }) {
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "seat",
    textContent: seat + 1,
  });
  button.addEventListener("click", () => act("press-seat", { seat }));
  return button;
}

function placeSeat(button, { lamp, seat }) {
  button.dataset.lamp = lamp;
  button.setAttribute("aria-label", formatText(WORDS.seatLamp, { n: seat + 1, lamp: WORDS.lamps[lamp] }));
}

function makeBar(meter) {
  const bar = document.createElement("p"),
    above = (meter.value - meter.lowest) / (meter.highest - meter.lowest || 1);
  const lit = above >= 1 ? PIXELS : Math.min(PIXELS - 1, Math.ceil(above * PIXELS));
  bar.dataset.level = meter.level;
  for (let n = 0; n < PIXELS; n++)
    bar.append(Object.assign(document.createElement("i"), { className: n < lit ? "lit" : "" }));
  bar.append(`${meter.name} ${meter.value}`);
  return bar;
}

document.querySelectorAll("[data-dial]").forEach((b) =>
  b.addEventListener("click", () => {
    const steps = Number(b.dataset.dial);
    if (steps) act("turn-dial", { steps });
    else act("push-dial");
  }),
);
