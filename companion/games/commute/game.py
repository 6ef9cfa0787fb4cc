"""Commute, put together."""

from __future__ import annotations

from companion.games.commute.balance import LEGEND, compare, outcome
from companion.games.commute.catalog import boards, files, read
from companion.games.commute.chance import tells
from companion.games.commute.components import equipment_on
from companion.games.commute.deck import DECK, UNSEEN, CardId, Face
from companion.games.commute.details import details
from companion.games.commute.help_topics import HELP, topic
from companion.games.commute.labels import texts
from companion.games.commute.moves import MOVES, TOLD, UhOhId
from companion.games.commute.physical import dial, layout, meaning_of, thing_of
from companion.games.commute.policy import careful
from companion.games.commute.rules import State
from companion.games.commute.setup import BOARD, OPTIONS, begin, names_on, settle
from companion.games.commute.text import guide, label, meters, pause, tell
from companion.games.commute.uh_oh import uh_oh_cards
from companion.games.rules import Boards, Game, choose_at_random
from companion.text.guidebook import guidebook

GAME: Game[State] = Game(
    name="commute",
    title="Commute",
    summary="To work in the morning, home in the evening, on foot and by metro: be neither late nor early.",
    seats=range(2, 6),
    rules_version=4,
    moves=MOVES,
    names={
        CardId: DECK,
        Face: (*DECK, UNSEEN),
        UhOhId: tuple(uh_oh_cards()),
        **names_on(boards()[BOARD.default]),
    },
    begin=begin,
    tell=tell,
    label=label,
    options=OPTIONS,
    components={"cards": "Playing cards", "uh_oh": "“Uh-Oh!” cards"},
    secrets=True,
    unseen=("cards",),
    tells=tells,
    told=TOLD,
    virtual=("cards", "uh_oh"),
    outcome=outcome,
    compare=compare,
    legend=LEGEND,
    details=details,
    policies={"careful": careful, "random": choose_at_random},
    guide=guide,
    guidebook=lambda: guidebook(HELP),
    topic=topic,
    pause=pause,
    meters=meters,
    dial=dial,
    equipment=equipment_on(boards()[BOARD.default]),
    meaning_of=meaning_of,
    thing_of=thing_of,
    layout=layout,
    settle=settle,
    texts=texts,
    data=lambda: {"cards": list(DECK), "uh_oh": [card.as_json() for card in uh_oh_cards().values()]},
    boards=Boards(files(), lambda document: read(document).as_json()),
)
