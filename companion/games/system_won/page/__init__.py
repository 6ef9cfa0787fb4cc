"""System WON's page on phones and screens."""

from pathlib import Path

from companion.games.game_page import GamePage
from companion.games.system_won.page.content import OWN_BUTTONS, content
from companion.games.system_won.page.first_game_tips import TIPS
from companion.games.system_won.page.shortened_log import may_look_back, shortened_log

PAGE = GamePage(
    folder=Path(__file__).parent,
    content=content,
    own_buttons=OWN_BUTTONS,
    log=shortened_log,
    may_look_back=may_look_back,
    asks_for_cards=True,
    first_game_tips=TIPS,
)
