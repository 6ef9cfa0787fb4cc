// The look that this phone's player has chosen: "light" or "dark"; without a choice, that of the system. Style sheets
// have their dark colors in media rules. This script makes those rules follow the choice as soon as the style sheet has
// loaded.
"use strict";
window.theme = (() => {
  const KEY = "tablekeeper-theme";
  const DARK = "(prefers-color-scheme: dark)";
  const darkRules = new Set();
  let chosen = "";
  try {
    chosen = localStorage.getItem(KEY) ?? "";
  } catch {
    /* without storage: the look of the system */
  }

  const darkMedia = () => ({ light: "not all", dark: "all" })[chosen] ?? DARK;

  function applyTo(sheet) {
    for (const rule of sheet?.cssRules ?? []) {
      if (rule.media?.mediaText === DARK) darkRules.add(rule);
    }
    for (const { media } of darkRules) media.mediaText = darkMedia();
  }

  function apply() {
    document.documentElement.style.colorScheme = chosen;
    for (const sheet of document.styleSheets) applyTo(sheet);
    for (const meta of document.querySelectorAll("meta[data-scheme]")) {
      const { scheme } = meta.dataset;
      const ofChoice = scheme === chosen ? "all" : "not all";
      meta.media = chosen ? ofChoice : `(prefers-color-scheme: ${scheme})`;
    }
  }

  function choose(theme) {
    chosen = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      /* without storage the choice holds for this page only */
    }
    apply();
  }

  // The style sheets of single pages are loaded later.
  document.addEventListener("load", ({ target }) => target.rel === "stylesheet" && applyTo(target.sheet), true);
  apply();
  return { choose, chosen: () => chosen };
})();
