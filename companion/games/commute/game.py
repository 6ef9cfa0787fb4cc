"""The `Game` record of Commute: its rules, text, physical side, policies and playouts."""

from __future__ import annotations

from companion.games.commute.board_reader import boards, files, read
from companion.games.commute.chance import private_reports
from companion.games.commute.moves import MOVES, PHONE_ONLY_MOVES, UhOhId
from companion.games.commute.physical import PHYSICAL
from companion.games.commute.playout_figures import PLAYOUTS
from companion.games.commute.policy import POLICIES
from companion.games.commute.position_json_types import CommutePosition
from companion.games.commute.rules import State
from companion.games.commute.setup import BOARD, OPTIONS, begin, identifiers_for, resolve_setup
from companion.games.commute.suits_and_ranks import DECK, UNSEEN, CardId, Face
from companion.games.commute.text import TEXT
from companion.games.commute.uh_oh_cards import uh_oh_cards
from companion.games.game import BoardFiles, Game, GameRules

GAME: Game[State] = Game(
    rules=GameRules(
        name="commute",
        title="Commute",
        summary="To work in the morning, home in the evening, on foot and by metro: don’t be late, and don’t be early.",
        seats=range(2, 6),
        version=4,
        moves=MOVES,
        identifiers={
            CardId: DECK,
            Face: (*DECK, UNSEEN),
            UhOhId: tuple(uh_oh_cards()),
            **identifiers_for(boards()[BOARD.default]),
        },
        begin=begin,
        options=OPTIONS,
        chance_sources={"cards": "Playing cards", "uh_oh": "“Uh-Oh!” cards"},
        has_hidden_information=True,
        face_down_sources=("cards",),
        private_reports=private_reports,
        phone_only_moves=PHONE_ONLY_MOVES,
        resolve_setup=resolve_setup,
        card_data=lambda: {"cards": list(DECK), "uh_oh": [card.to_json() for card in uh_oh_cards().values()]},
        position_json=CommutePosition,
        boards=BoardFiles(files(), lambda document: read(document).to_json()),
    ),
    text=TEXT,
    physical=PHYSICAL,
    policies=POLICIES,
    playouts=PLAYOUTS,
)
