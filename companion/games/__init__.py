"""The list of games (`GAMES`) and their pages, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.commute.game import GAME as COMMUTE
from companion.games.commute.page import PAGE as COMMUTE_PAGE
from companion.games.game import Game
from companion.games.game_page import GamePage
from companion.games.system_won.game import GAME as SYSTEM_WON
from companion.games.system_won.page import PAGE as SYSTEM_WON_PAGE
from companion.games.systems_failing.game import GAME as SYSTEMS_FAILING
from companion.games.systems_failing.page import PAGE as SYSTEMS_FAILING_PAGE
from companion.games.traffic_congestion.game import GAME as TRAFFIC_CONGESTION
from companion.games.traffic_congestion.page import PAGE as TRAFFIC_CONGESTION_PAGE

GAMES: Mapping[str, Game[Any]] = {
    game.name: game for game in (SYSTEMS_FAILING, SYSTEM_WON, TRAFFIC_CONGESTION, COMMUTE)
}

PAGES: Mapping[str, GamePage] = {
    SYSTEMS_FAILING.name: SYSTEMS_FAILING_PAGE,
    SYSTEM_WON.name: SYSTEM_WON_PAGE,
    TRAFFIC_CONGESTION.name: TRAFFIC_CONGESTION_PAGE,
    COMMUTE.name: COMMUTE_PAGE,
}
"""The pages of the games that have their own; all other games use the generic page."""
