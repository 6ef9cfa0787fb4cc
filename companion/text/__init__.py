"""Words: translation, player names, refusals, data files, the guidebook."""
