// The settings page: the look of this phone changes as soon as it is chosen.
"use strict";
(() => {
  for (const choice of document.querySelectorAll('[name="theme"]')) {
    choice.checked = choice.value === window.theme.chosen();
    choice.addEventListener("change", () => window.theme.choose(choice.value));
  }
})();
