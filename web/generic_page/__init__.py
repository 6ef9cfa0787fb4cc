"""The generic page, for games that have no page of their own."""

from pathlib import Path

from companion.games.game_page import GamePage
from web.generic_page.content import content

PAGE = GamePage(folder=Path(__file__).parent, content=content)
