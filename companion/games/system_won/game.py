"""The `Game` record of System WON: its rules, text, physical side, policies and playouts."""

from __future__ import annotations

from companion.games.game import Game, GameRules
from companion.games.rules import UNSEEN
from companion.games.system_won.catalog import MAX_SEATS, MIN_SEATS, catalog
from companion.games.system_won.moves import MOVES, Color, DealtFace, Face, RoleId
from companion.games.system_won.physical import (
    PHYSICAL,
)
from companion.games.system_won.playout_figures import PLAYOUTS
from companion.games.system_won.policy import POLICIES
from companion.games.system_won.position_json_types import SystemWonPosition
from companion.games.system_won.rules import State
from companion.games.system_won.setup import OPTIONS, begin
from companion.games.system_won.text import TEXT

GAME: Game[State] = Game(
    rules=GameRules(
        name="system-won",
        title="System WON",
        summary="Together you build four traffic systems, and everyone sees every card except their own.",
        seats=range(MIN_SEATS, MAX_SEATS + 1),
        version=1,
        moves=MOVES,
        identifiers={
            Color: catalog().colors,
            Face: catalog().faces,
            DealtFace: (*catalog().faces, UNSEEN),
            RoleId: tuple(catalog().roles),
        },
        begin=begin,
        options=OPTIONS,
        chance_sources={"cards": "System cards", "roles": "Role cards"},
        has_hidden_information=True,
        face_down_sources=("cards",),
        position_json=SystemWonPosition,
        card_data=lambda: catalog().to_json(),
    ),
    text=TEXT,
    physical=PHYSICAL,
    policies=POLICIES,
    playouts=PLAYOUTS,
)
