"""The page of any game without a page of its own."""

from pathlib import Path

from companion.games.game_page import GamePage
from web.generic_page.content import content

PAGE = GamePage(folder=Path(__file__).parent, content=content)
