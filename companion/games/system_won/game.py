"""System WON, put together."""

from __future__ import annotations

from companion.games.game import Game, GameAnalysis, GameRules, GameText, PhysicalGame, choose_at_random
from companion.games.rules import UNSEEN
from companion.games.system_won.catalog import MAX_SEATS, MIN_SEATS, catalog
from companion.games.system_won.components import components
from companion.games.system_won.help_topics import HELP_FILE, help_topic
from companion.games.system_won.labels import translatable_texts
from companion.games.system_won.mat import MAT
from companion.games.system_won.moves import MOVES, Color, DealtFace, Face, RoleId
from companion.games.system_won.physical import PLACES, component_of, could_mean, dial_moves, hands, layout, meaning_of
from companion.games.system_won.policy.policy import choose_carefully
from companion.games.system_won.position_json import SystemWonPosition
from companion.games.system_won.rules import State
from companion.games.system_won.setup import OPTIONS, begin
from companion.games.system_won.text import label, log_line, meters, outcome, prompt
from companion.tabletop.components import Art, ComponentSet
from companion.text.guidebook import guidebook


def _art() -> Art:
    from companion.games.system_won.art import SystemWonArt

    return SystemWonArt()


GAME: Game[State] = Game(
    rules=GameRules(
        name="system-won",
        title="System WON",
        summary="Together you build four traffic systems, and everybody sees all the cards but their own.",
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
        card_data=lambda: catalog().as_json(),
    ),
    text=GameText(
        log_line=log_line,
        label=label,
        prompt=prompt,
        guidebook=lambda: guidebook(HELP_FILE),
        help_topic=help_topic,
        translatable_texts=translatable_texts,
    ),
    physical=PhysicalGame(
        virtual_sources=("cards",),
        meters=meters,
        dial_moves=dial_moves,
        components=ComponentSet(components=components(), mat=MAT, places=PLACES, art=_art),
        meaning_of=meaning_of,
        could_mean=could_mean,
        component_of=component_of,
        hands=hands,
        layout=layout,
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        policies={"random": choose_at_random, "careful": choose_carefully},
    ),
)
