"""The page of Systems Failing, for phones and screens."""

from pathlib import Path

from companion.games.game_page import GamePage
from companion.games.systems_failing.page.content import content
from companion.games.systems_failing.page.first_game_tips import TIPS
from companion.games.systems_failing.page.grouped_log import grouped_log

PAGE = GamePage(
    folder=Path(__file__).parent,
    content=content,
    first_game_tips=TIPS,
    group_log=grouped_log,
    heads_every_turn=True,
)
