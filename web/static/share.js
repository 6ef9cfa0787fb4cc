// Shares the picture that a link leads to, with the phone's own share sheet. If the phone can't share files, for
// example without https, the link downloads the picture.
"use strict";
(() => {
  const canShare = () => navigator.canShare?.({ files: [new File([], "picture.png", { type: "image/png" })] }) ?? false;

  async function share(link) {
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(link.href);
      if (!answer.ok) throw new Error(answer.statusText);
      const file = new File([await answer.blob()], "tablekeeper.png", { type: "image/png" });
      await navigator.share({ files: [file] });
    } catch (error) {
      if (error.name !== "AbortError") location.href = link.href; // nothing to do if people changed their minds
    } finally {
      link.removeAttribute("aria-busy");
    }
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-share]");
    if (!link || !canShare()) return;
    event.preventDefault();
    share(link);
  });
})();
