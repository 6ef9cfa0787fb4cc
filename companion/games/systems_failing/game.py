"""The game on the shelf: Systems Failing."""

from __future__ import annotations

from companion.games.game import Game, GameAnalysis, GameRules, GameText, PhysicalGame, choose_at_random
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cubes import COLORS, WHITE, Color
from companion.games.systems_failing.help_topics import HELP, help_topic
from companion.games.systems_failing.labels import TOKENS, translatable_texts
from companion.games.systems_failing.mat import MAT
from companion.games.systems_failing.moves import MOVES, CardId, RoleId
from companion.games.systems_failing.physical import PLACES, component_of, components, layout, meaning_of
from companion.games.systems_failing.policy import careful
from companion.games.systems_failing.position_json import SystemsFailingPosition
from companion.games.systems_failing.rules import State
from companion.games.systems_failing.setup import OPTIONS, begin
from companion.games.systems_failing.text import (
    deck_building_steps,
    label,
    log_line,
    meters,
    outcome,
    pause_label,
    prompt,
)
from companion.tabletop.components import Art, ComponentSet
from companion.text.guidebook import guidebook


def _art() -> Art:
    from companion.games.systems_failing.art import SystemsFailingArt

    return SystemsFailingArt()


GAME: Game[State] = Game(
    rules=GameRules(
        name="systems-failing",
        title="Systems Failing",
        summary="Two survivors repair six escape sequences while disasters close in on the ship's core.",
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
    text=GameText(
        log_line=log_line,
        label=label,
        prompt=prompt,
        guidebook=lambda: guidebook(HELP),
        help_topic=help_topic,
        pause_label=pause_label,
        translatable_texts=translatable_texts,
    ),
    physical=PhysicalGame(
        meters=meters,
        components=ComponentSet(components=components(), mat=MAT, places=PLACES, tokens=TOKENS, art=_art),
        meaning_of=meaning_of,
        component_of=component_of,
        layout=layout,
        manual_steps={"cards": deck_building_steps},
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        policies={"random": choose_at_random, "careful": careful},
    ),
)
