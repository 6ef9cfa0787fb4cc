"""Traffic Congestion's page on phones and screens."""

from pathlib import Path

from companion.games.page import GamePage
from companion.games.traffic_congestion.page.board import OWN_BUTTONS, board

PAGE = GamePage(folder=Path(__file__).parent, board=board, own_buttons=OWN_BUTTONS)
