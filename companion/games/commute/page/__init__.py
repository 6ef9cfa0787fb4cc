"""The page of Commute on phones and screens."""

from pathlib import Path

from companion.games.commute.page.content import OWN_BUTTONS, content
from companion.games.commute.page.first_game_tips import TIPS
from companion.games.game_page import GamePage

PAGE = GamePage(folder=Path(__file__).parent, content=content, first_game_tips=TIPS, own_buttons=OWN_BUTTONS)
