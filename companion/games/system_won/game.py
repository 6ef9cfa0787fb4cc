"""System WON, put together."""

from __future__ import annotations

from companion.games.rules import Game, choose_at_random
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
    name="system-won",
    title="System WON",
    summary="Together you build four traffic systems, and everybody sees all the cards but their own.",
    seats=range(FEWEST_SEATS, MOST_SEATS + 1),
    rules_version=1,
    moves=MOVES,
    names={
        Color: catalog().colors,
        Face: catalog().faces,
        Dealt: (*catalog().faces, UNKNOWN),
        RoleId: tuple(catalog().roles),
    },
    begin=begin,
    tell=tell,
    label=label,
    options=OPTIONS,
    components={"cards": "System cards", "roles": "Role cards"},
    secrets=True,
    unseen=("cards",),
    virtual=("cards",),
    outcome=outcome,
    policies={"random": choose_at_random, "careful": careful},
    guide=guide,
    guidebook=lambda: guidebook(HELP),
    topic=topic,
    meters=meters,
    dial=dial,
    equipment=ComponentSet(prefix=PREFIX, things=things(), mat=MAT, places=PLACES, art=_art),
    meaning_of=meaning_of,
    could_mean=could_mean,
    thing_of=thing_of,
    held=held,
    layout=layout,
    texts=texts,
    data=lambda: catalog().as_json(),
)
