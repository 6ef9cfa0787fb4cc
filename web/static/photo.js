// A photograph of a card: sent as soon as it is taken, or with the button that says what is done with the card.
"use strict";
(() => {
  const { swap, toast, hush, shut, words: WORDS } = window.page;
  const LIMIT = 11e6; // bytes, less than web/origin_check.py takes

  function says(label, words) {
    label.dataset.usual ??= label.querySelector("span").textContent;
    label.querySelector("span").textContent = words ?? label.dataset.usual;
  }
  document.addEventListener("change", (event) => {
    const { form, files } = event.target;
    if (!form?.matches("[data-photo]") || !files?.length) return;
    if (![...form.elements].some(({ name }) => name === "move")) return form.requestSubmit();
    const label = event.target.closest("label");
    label.classList.add("taken");
    says(label, WORDS.taken);
  });

  // A camera with more pixels than any card needs.
  async function smaller(file) {
    const picture = await createImageBitmap(file),
      shrink = Math.min(1, 4000 / Math.max(picture.width, picture.height));
    const canvas = Object.assign(document.createElement("canvas"), {
      width: picture.width * shrink,
      height: picture.height * shrink,
    });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  }

  async function sendPhoto(form, button) {
    if (document.body.classList.contains("busy")) return;
    const data = new FormData(form),
      input = [...form.elements].find(({ type }) => type === "file");
    if (button?.name) data.append(button.name, button.value);
    const label = input.closest("label");
    label.setAttribute("aria-busy", "true");
    document.body.classList.add("busy");
    hush(); // what was said of the last one
    says(label, WORDS.reading);
    document.getElementById("live").textContent = WORDS.reading;
    for (const [name, file] of [...data])
      if (file.size > LIMIT) data.set(name, await smaller(file).catch(() => file), file.name);
    try {
      const answer = await fetch(form.action, { method: "POST", body: data, headers: { "X-Fragment": "1" } });
      const html = await answer.text();
      if (!answer.ok)
        toast(
          new DOMParser().parseFromString(html, "text/html").querySelector(".refused p, .lead")?.textContent ??
            (answer.status === 413 ? WORDS.tooLarge : WORDS.unreadable),
        );
      else {
        history.replaceState(null, "", answer.url); // what a photo may mean stands in the address
        shut();
        swap(html);
      }
    } catch {
      toast(WORDS.lost);
    }
    input.value = "";
    label.classList.remove("taken");
    label.removeAttribute("aria-busy");
    says(label);
    document.body.classList.remove("busy");
  }

  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-photo]")) return;
    event.preventDefault();
    sendPhoto(event.target, event.submitter);
  });
})();
