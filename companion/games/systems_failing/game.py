"""Systems Failing, put together."""

from __future__ import annotations

from companion.games.game import Game, GameAnalysis, GameRules, GameText, PhysicalGame, choose_at_random
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cubes import COLORS, WHITE, Color
from companion.games.systems_failing.help_topics import HELP, topic
from companion.games.systems_failing.labels import TOKENS, texts
from companion.games.systems_failing.mat import MAT
from companion.games.systems_failing.moves import MOVES, CardId, RoleId
from companion.games.systems_failing.physical import PLACES, layout, meaning_of, thing_of, things
from companion.games.systems_failing.policy import careful
from companion.games.systems_failing.rules import State
from companion.games.systems_failing.setup import OPTIONS, begin
from companion.games.systems_failing.text import guide, label, meters, outcome, pause, stacked, tell
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
            CardId: (*catalog().disasters, *catalog().failing, *catalog().escapes),
            RoleId: tuple(catalog().roles),
        },
        begin=begin,
        options=OPTIONS,
        chance_sources={
            "cards": "Disasters and escape sequences",
            "cubes": "Cubes from the bag",
            "roles": "Role cards",
        },
        card_data=lambda: catalog().as_json(),
    ),
    text=GameText(
        log_line=tell,
        label=label,
        prompt=guide,
        guidebook=lambda: guidebook(HELP),
        help_topic=topic,
        pause_label=pause,
        translatable_texts=texts,
    ),
    physical=PhysicalGame(
        meters=meters,
        components=ComponentSet(prefix="SF-", things=things(), mat=MAT, places=PLACES, tokens=TOKENS, art=_art),
        meaning_of=meaning_of,
        component_of=thing_of,
        layout=layout,
        manual_steps={"cards": stacked},
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        policies={"random": choose_at_random, "careful": careful},
    ),
)
