"""Systems Failing's page on phones and screens."""

from pathlib import Path

from companion.games.page import GamePage
from companion.games.systems_failing.page.board import board

PAGE = GamePage(folder=Path(__file__).parent, board=board)
