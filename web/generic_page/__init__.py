"""The generic page, for games that have no page of their own."""

from pathlib import Path

from companion.games.first_game_tips import FirstGameTip
from companion.games.game_page import GamePage
from companion.games.rules import Move
from companion.text.messages import gettext_noop
from web.generic_page.content import content

TIPS = (FirstGameTip(".dock .actions", gettext_noop("It’s your turn. These are your moves: tap one."), moves=(Move,)),)
PAGE = GamePage(folder=Path(__file__).parent, content=content, first_game_tips=TIPS)
