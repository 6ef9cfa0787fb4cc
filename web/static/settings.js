// The settings page: a newly chosen look takes effect at once.
"use strict";
(() => {
  for (const choice of document.querySelectorAll('[name="theme"]')) {
    choice.checked = choice.value === window.theme.chosen();
    choice.addEventListener("change", () => window.theme.choose(choice.value));
  }

  // The tips of first games: `first_game_tips.js` keeps how many of them are done, by game.
  const panel = document.getElementById("tips-settings");
  const games = JSON.parse(panel.dataset.games);
  panel.hidden = false;
  panel.addEventListener("click", ({ target }) => {
    const choice = target.closest("[data-tips-all]");
    if (!choice) return;
    try {
      for (const game of games) {
        if (choice.dataset.tipsAll === "show") localStorage.removeItem("coach-" + game);
        else localStorage.setItem("coach-" + game, 99);
      }
      if (choice.dataset.tipsAll === "show") localStorage.setItem("coach-since", "now");
      panel.querySelector("[role=status]").textContent = choice.dataset.done;
    } catch {} // without storage no steps are shown
  });
})();
