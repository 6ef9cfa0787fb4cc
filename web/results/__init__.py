"""Games that have been played: their results, their statistics, and what is shown at the end of a game. The pages
themselves are in `web.pages`."""
