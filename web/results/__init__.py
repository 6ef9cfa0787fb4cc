"""Games that have been played: their results, the statistics, and what the end of a game shows. No pages."""
