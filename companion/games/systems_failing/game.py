"""The `Game` record of Systems Failing: its rules, text, physical side, policies and playouts."""

from __future__ import annotations

from companion.games.game import Game, GameRules
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cube_multiset import COLORS, WHITE, Color
from companion.games.systems_failing.moves import MOVES, CardId, RoleId
from companion.games.systems_failing.physical import PHYSICAL
from companion.games.systems_failing.playout_figures import PLAYOUTS
from companion.games.systems_failing.policy import POLICIES
from companion.games.systems_failing.position_json_types import SystemsFailingPosition
from companion.games.systems_failing.rules import State
from companion.games.systems_failing.setup import OPTIONS, begin
from companion.games.systems_failing.text import TEXT

GAME: Game[State] = Game(
    rules=GameRules(
        name="systems-failing",
        title="Systems Failing",
        summary="Two survivors repair six escape sequences while disasters close in on the ship’s core.",
        seats=range(2, 3),
        version=1,
        moves=MOVES,
        identifiers={
            Color: (*COLORS, WHITE),
            CardId: (*catalog().disasters, *catalog().failing_cards, *catalog().escapes),
            RoleId: tuple(catalog().roles),
        },
        begin=begin,
        options=OPTIONS,
        chance_sources={
            "cards": "Disasters and escape sequences",
            "cubes": "Cubes from the bag",
            "roles": "Role cards",
        },
        position_json=SystemsFailingPosition,
        card_data=lambda: catalog().to_json(),
    ),
    text=TEXT,
    physical=PHYSICAL,
    policies=POLICIES,
    playouts=PLAYOUTS,
)
