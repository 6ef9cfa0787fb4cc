"""How templates are compiled and rendered: the Jinja environment, its tags, and each game's page."""
