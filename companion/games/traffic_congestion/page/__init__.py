"""Traffic Congestion's page on phones and screens."""

from pathlib import Path

from companion.games.game_page import GamePage
from companion.games.traffic_congestion.page.content import OWN_BUTTONS, content
from companion.games.traffic_congestion.page.first_game_tips import TIPS

PAGE = GamePage(folder=Path(__file__).parent, content=content, first_game_tips=TIPS, own_buttons=OWN_BUTTONS)
