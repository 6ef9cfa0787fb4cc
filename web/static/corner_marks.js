// Lets a host mark the corners of the mat in the live picture of /setup: four handles, dragged or moved with the arrow
// keys. Positions are shares of the picture's width and height. The server checks them.
"use strict";
(() => {
  const group = document.getElementById("handles");
  const marking = document.getElementById("marking");
  if (!group || !marking) return;
  const handles = [...group.querySelectorAll(".handle")];
  const outline = group.querySelector("polygon");
  const loupe = group.querySelector("canvas");
  const marks = document.getElementById("marks");
  const status = document.getElementById("marking-status");
  const problem = marking.querySelector("[role=alert]");
  const DEFAULT_CORNERS = [
    [0.1, 0.1],
    [0.9, 0.1],
    [0.9, 0.9],
    [0.1, 0.9],
  ];
  const LONG_STEP_PX = 10;
  const LOUPE_SHARE = 0.06; // of the picture's width is seen in the loupe
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  let corners = DEFAULT_CORNERS;
  let game; // the name of the game whose mat is marked
  let grabbed = null; // the number of the dragged handle, and the distance from the pointer to its middle

  const clamp = (share) => Math.min(Math.max(share, 0), 1);

  // Where the camera believes the mat to be; a frame near the edges of the picture if it doesn't know.
  function estimatedCorners() {
    const polygon = document.querySelector(".seen polygon.mat");
    if (!polygon) return DEFAULT_CORNERS;
    const { width, height } = polygon.ownerSVGElement.viewBox.baseVal;
    return [...polygon.points].map(({ x, y }) => [clamp(x / width), clamp(y / height)]);
  }

  function place(number, [x, y]) {
    corners = corners.map((corner, each) => (each === number ? [clamp(x), clamp(y)] : corner));
    draw();
  }

  function draw() {
    corners.forEach(([x, y], number) => {
      handles[number].style.left = `${100 * x}%`;
      handles[number].style.top = `${100 * y}%`;
    });
    outline.setAttribute("points", corners.join(" "));
  }

  // A finger hides the corner, so its surroundings are shown magnified, on the other side of the picture.
  function magnify([x, y]) {
    const image = document.querySelector(".seen img");
    loupe.hidden = !image;
    if (!image) return;
    loupe.classList.toggle("right", x < 0.5);
    const side = LOUPE_SHARE * image.naturalWidth;
    const [left, top] = [x * image.naturalWidth - side / 2, y * image.naturalHeight - side / 2];
    const pen = loupe.getContext("2d");
    pen.fillRect(0, 0, loupe.width, loupe.height);
    pen.drawImage(image, left, top, side, side, 0, 0, loupe.width, loupe.height);
    for (const [color, width] of [
      ["#0b1020", 6],
      ["#fff", 2],
    ]) {
      pen.strokeStyle = color;
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(loupe.width / 2, 0);
      pen.lineTo(loupe.width / 2, loupe.height);
      pen.moveTo(0, loupe.height / 2);
      pen.lineTo(loupe.width, loupe.height / 2);
      pen.stroke();
    }
  }

  function start(button) {
    game = button.dataset.game;
    corners = estimatedCorners();
    draw();
    setOpen(true);
    handles[0].focus();
  }

  function setOpen(isOpen) {
    group.hidden = marking.hidden = !isOpen;
    marks.hidden = isOpen;
    problem.hidden = true;
    status.textContent = "";
  }

  function close(message) {
    setOpen(false);
    status.textContent = message;
    marks.querySelector("button")?.focus();
  }

  async function send(newCorners) {
    let refusal = document.getElementById("camera-picture").dataset.silent;
    try {
      const body = JSON.stringify({ corners: newCorners, game });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch("/setup/corners", { method: "POST", headers, body });
      if (answer.ok) return close(newCorners ? marking.dataset.saved : "");
      refusal = (await answer.json()).error.message;
    } catch {
      // The table isn't answering.
    }
    marking.hidden = false;
    problem.hidden = false;
    problem.textContent = refusal;
  }

  handles.forEach((handle, number) => {
    handle.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      const box = group.getBoundingClientRect();
      const [x, y] = corners[number];
      grabbed = { number, dx: x - event.clientX / box.width, dy: y - event.clientY / box.height };
      handle.setPointerCapture(event.pointerId);
      magnify(corners[number]);
    });
    handle.addEventListener("pointermove", (event) => {
      if (grabbed?.number !== number) return;
      const box = group.getBoundingClientRect();
      place(number, [event.clientX / box.width + grabbed.dx, event.clientY / box.height + grabbed.dy]);
      magnify(corners[number]);
    });
    handle.addEventListener("lostpointercapture", () => {
      grabbed = null;
      loupe.hidden = true;
    });
    handle.addEventListener("keydown", (event) => {
      const [dx, dy] = ARROWS[event.key] ?? [0, 0];
      if (!dx && !dy) return;
      event.preventDefault(); // the page would scroll
      const box = group.getBoundingClientRect();
      const step = event.shiftKey ? LONG_STEP_PX : 1;
      const [x, y] = corners[number];
      place(number, [x + (step * dx) / box.width, y + (step * dy) / box.height]);
      magnify(corners[number]);
      const [left, top] = corners[number].map((share) => Math.round(100 * share));
      status.textContent = marking.dataset.position.replace("{x}", left).replace("{y}", top);
    });
    handle.addEventListener("blur", () => {
      loupe.hidden = true;
    });
  });
  const ACTIONS = { mark: start, save: () => send(corners), cancel: () => close(""), unmark: () => send(null) };
  for (const part of [marks, marking]) {
    part.addEventListener("click", (event) => {
      const button = event.target.closest("[data-do]");
      ACTIONS[button?.dataset.do]?.(button);
    });
  }
})();
