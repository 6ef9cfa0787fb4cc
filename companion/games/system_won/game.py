"""System WON, put together."""

from __future__ import annotations

from companion.games.game import Game, GameAnalysis, GameRules, GameText, PhysicalGame, choose_at_random
from companion.games.system_won.catalog import FEWEST_SEATS, MOST_SEATS, catalog
from companion.games.system_won.components import PREFIX, things
from companion.games.system_won.help_topics import HELP, topic
from companion.games.system_won.knowledge import UNKNOWN
from companion.games.system_won.labels import texts
from companion.games.system_won.mat import MAT
from companion.games.system_won.moves import MOVES, Color, Dealt, Face, RoleId
from companion.games.system_won.physical import PLACES, could_mean, dial, held, layout, meaning_of, thing_of
from companion.games.system_won.policy.policy import careful
from companion.games.system_won.rules import State
from companion.games.system_won.setup import OPTIONS, begin
from companion.games.system_won.text import guide, label, meters, outcome, tell
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
        seats=range(FEWEST_SEATS, MOST_SEATS + 1),
        version=1,
        moves=MOVES,
        identifiers={
            Color: catalog().colors,
            Face: catalog().faces,
            Dealt: (*catalog().faces, UNKNOWN),
            RoleId: tuple(catalog().roles),
        },
        begin=begin,
        options=OPTIONS,
        chance_sources={"cards": "System cards", "roles": "Role cards"},
        has_hidden_information=True,
        face_down_sources=("cards",),
        card_data=lambda: catalog().as_json(),
    ),
    text=GameText(
        log_line=tell,
        label=label,
        prompt=guide,
        guidebook=lambda: guidebook(HELP),
        help_topic=topic,
        translatable_texts=texts,
    ),
    physical=PhysicalGame(
        virtual_sources=("cards",),
        meters=meters,
        dial_moves=dial,
        components=ComponentSet(prefix=PREFIX, things=things(), mat=MAT, places=PLACES, art=_art),
        meaning_of=meaning_of,
        could_mean=could_mean,
        component_of=thing_of,
        hands=held,
        layout=layout,
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        policies={"random": choose_at_random, "careful": careful},
    ),
)
