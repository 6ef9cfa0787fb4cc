"""Commute's page on phones and screens."""

from pathlib import Path

from companion.games.commute.page.board import OWN_BUTTONS, board
from companion.games.page import GamePage

PAGE = GamePage(folder=Path(__file__).parent, board=board, own_buttons=OWN_BUTTONS)
