"""The page of Systems Failing, for phones and screens."""

from pathlib import Path

from companion.games.game_page import GamePage
from companion.games.systems_failing.page.content import content
from companion.games.systems_failing.page.first_game_tips import TIPS

PAGE = GamePage(folder=Path(__file__).parent, content=content, first_game_tips=TIPS)
