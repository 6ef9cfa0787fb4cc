// Photographs of cards: one is sent as soon as it is taken, or with the button that says what to do with the card.
"use strict";
(() => {
  const { swap, listen, toast, hideToast, closeAll, words: WORDS } = window.page;
  const MAX_BYTES = 11e6; // less than web/access/request_checks.py accepts
  const MAX_PIXELS = 4000; // along the longer side: more than any card needs
  const JPEG_QUALITY = 0.9;
  const TOO_LARGE = 413;

  function setLabel(label, words) {
    const text = label.querySelector("span");
    label.dataset.usual ??= text.textContent;
    text.textContent = words ?? label.dataset.usual;
  }

  document.addEventListener("change", ({ target }) => {
    const { form, files } = target;
    if (!form?.matches("[data-photo]") || !files?.length) return;
    if (![...form.elements].some(({ name }) => name === "move")) return form.requestSubmit();
    const label = target.closest("label");
    label.classList.add("taken");
    setLabel(label, WORDS.taken);
  });

  async function shrink(file) {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, MAX_PIXELS / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = picture.width * scale;
    canvas.height = picture.height * scale;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY));
  }

  async function sendPhoto(form, data) {
    data.set("version", document.getElementById("page").dataset.version);
    data.set("id", window.actions.newId());
    const input = [...form.elements].find(({ type }) => type === "file");
    const label = input.closest("label");
    label.setAttribute("aria-busy", "true");
    document.body.classList.add("busy");
    hideToast(); // it is about the previous photo
    setLabel(label, WORDS.reading);
    document.getElementById("live").textContent = WORDS.reading;
    for (const [name, file] of [...data]) {
      if (file.size > MAX_BYTES) data.set(name, await shrink(file).catch(() => file), file.name);
    }
    try {
      await showAnswer(await fetch(form.action, { method: "POST", body: data, headers: { "X-Fragment": "1" } }));
    } catch {
      toast(WORDS.lost);
    }
    input.value = "";
    label.classList.remove("taken");
    label.removeAttribute("aria-busy");
    setLabel(label);
    document.body.classList.remove("busy");
  }

  async function showAnswer(answer) {
    const html = await answer.text();
    const next = new DOMParser().parseFromString(html, "text/html");
    if (!answer.ok) return toast(refusalIn(next) ?? (answer.status === TOO_LARGE ? WORDS.tooLarge : WORDS.unreadable));
    history.replaceState(null, "", answer.url); // the address says what the photo may mean
    closeAll();
    if (!isOutdated(next)) swap(html);
    listen();
  }

  const refusalIn = (next) => next.querySelector(".refused p, .lead")?.textContent;

  // The event stream may have brought a later version of the page while the photo was read.
  function isOutdated(next) {
    const [answer, now] = [next, document].map((html) => html.getElementById("page")?.dataset);
    return answer?.game === now.game && Number(answer.version) < Number(now.version);
  }

  let lastPhoto = Promise.resolve();

  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (!form.matches("[data-photo]")) return;
    event.preventDefault();
    if (submitter && document.body.classList.contains("busy")) return; // ignores a second tap on the button
    const data = new FormData(form);
    if (submitter?.name) data.append(submitter.name, submitter.value);
    lastPhoto = lastPhoto.then(() => sendPhoto(form, data)); // one after the other, so that none is lost
  });
})();
