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
from companion.games.game import BoardFiles, Game, GameAnalysis, GameRules, GameText, PhysicalGame, choose_at_random
from companion.text.guidebook import guidebook

GAME: Game[State] = Game(
    rules=GameRules(
        name="commute",
        title="Commute",
        summary="To work in the morning, home in the evening, on foot and by metro: be neither late nor early.",
        seats=range(2, 6),
        version=4,
        moves=MOVES,
        identifiers={
            CardId: DECK,
            Face: (*DECK, UNSEEN),
            UhOhId: tuple(uh_oh_cards()),
            **names_on(boards()[BOARD.default]),
        },
        begin=begin,
        options=OPTIONS,
        chance_sources={"cards": "Playing cards", "uh_oh": "“Uh-Oh!” cards"},
        has_hidden_information=True,
        face_down_sources=("cards",),
        private_reports=tells,
        phone_only_moves=TOLD,
        resolve_setup=settle,
        card_data=lambda: {"cards": list(DECK), "uh_oh": [card.as_json() for card in uh_oh_cards().values()]},
        boards=BoardFiles(files(), lambda document: read(document).as_json()),
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
        virtual_sources=("cards", "uh_oh"),
        meters=meters,
        dial_moves=dial,
        components=equipment_on(boards()[BOARD.default]),
        meaning_of=meaning_of,
        component_of=thing_of,
        layout=layout,
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        compare=compare,
        legend=LEGEND,
        details=details,
        policies={"careful": careful, "random": choose_at_random},
    ),
)
