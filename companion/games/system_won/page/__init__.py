"""System WON's page on phones and screens."""

from pathlib import Path

from companion.games.page import GamePage
from companion.games.system_won.page.board import OWN_BUTTONS, board
from companion.games.system_won.page.log import shortened_log

PAGE = GamePage(folder=Path(__file__).parent, board=board, own_buttons=OWN_BUTTONS, log=shortened_log)
