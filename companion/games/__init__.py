"""The shelf: every game there is, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.commute.game import GAME as COMMUTE
from companion.games.game import Game
from companion.games.system_won.game import GAME as SYSTEM_WON
from companion.games.systems_failing.game import GAME as SYSTEMS_FAILING
from companion.games.traffic_congestion.game import GAME as TRAFFIC_CONGESTION

GAMES: Mapping[str, Game[Any]] = {
    game.name: game for game in (SYSTEMS_FAILING, SYSTEM_WON, TRAFFIC_CONGESTION, COMMUTE)
}
