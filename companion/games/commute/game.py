"""Commute, put together."""

from __future__ import annotations

from companion.games.commute.balance import LEGEND, compare, outcome
from companion.games.commute.catalog import boards, files, read
from companion.games.commute.chance import private_reports
from companion.games.commute.component_set import component_set_for
from companion.games.commute.deck import DECK, UNSEEN, CardId, Face
from companion.games.commute.help_topics import HELP, help_topic
from companion.games.commute.labels import translatable_texts
from companion.games.commute.moves import MOVES, PHONE_ONLY_MOVES, UhOhId
from companion.games.commute.physical import component_of, dial_moves, layout, meaning_of
from companion.games.commute.policy import careful
from companion.games.commute.position_json import CommutePosition
from companion.games.commute.rules import State
from companion.games.commute.setup import BOARD, OPTIONS, begin, names_for, resolve_setup
from companion.games.commute.text import button_path, log_line, meters, pause_label, prompt
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
            **names_for(boards()[BOARD.default]),
        },
        begin=begin,
        options=OPTIONS,
        chance_sources={"cards": "Playing cards", "uh_oh": "“Uh-Oh!” cards"},
        has_hidden_information=True,
        face_down_sources=("cards",),
        private_reports=private_reports,
        phone_only_moves=PHONE_ONLY_MOVES,
        resolve_setup=resolve_setup,
        card_data=lambda: {"cards": list(DECK), "uh_oh": [card.as_json() for card in uh_oh_cards().values()]},
        position_json=CommutePosition,
        boards=BoardFiles(files(), lambda document: read(document).as_json()),
    ),
    text=GameText(
        log_line=log_line,
        label=button_path,
        prompt=prompt,
        guidebook=lambda: guidebook(HELP),
        help_topic=help_topic,
        pause_label=pause_label,
        translatable_texts=translatable_texts,
    ),
    physical=PhysicalGame(
        virtual_sources=("cards", "uh_oh"),
        meters=meters,
        dial_moves=dial_moves,
        components=component_set_for(boards()[BOARD.default]),
        meaning_of=meaning_of,
        component_of=component_of,
        layout=layout,
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        compare=compare,
        legend=LEGEND,
        policies={"careful": careful, "random": choose_at_random},
    ),
)
