"""The game on the shelf: Traffic Congestion."""

from __future__ import annotations

from companion.games.game import BoardFiles, Game, GameAnalysis, GameRules, GameText, PhysicalGame, choose_at_random
from companion.games.traffic_congestion.board import RoadNetwork
from companion.games.traffic_congestion.catalog import board_files, boards, read_board
from companion.games.traffic_congestion.help_topics import HELP, help_topic
from companion.games.traffic_congestion.labels import translatable_texts
from companion.games.traffic_congestion.legality import is_gridlocked
from companion.games.traffic_congestion.moves import MOVES, LaneId
from companion.games.traffic_congestion.physical import component_set, layout, meaning_of, token_placements
from companion.games.traffic_congestion.policy import careful
from companion.games.traffic_congestion.position_json import TrafficCongestionPosition
from companion.games.traffic_congestion.rules import State
from companion.games.traffic_congestion.setup import BOARD, OPTIONS, begin, resolve_setup
from companion.games.traffic_congestion.text import label, log_line, meters, outcome, prompt
from companion.text.guidebook import guidebook

GAME: Game[State] = Game(
    rules=GameRules(
        name="traffic-congestion",
        title="Traffic Congestion",
        summary="Everybody wants to get home on the same streets; set the signals so that your cars do first.",
        seats=range(2, 5),
        version=1,
        moves=MOVES,
        identifiers={
            LaneId: tuple(dict.fromkeys(lane for board in boards().values() for lane in RoadNetwork(board).lanes))
        },
        begin=begin,
        options=OPTIONS,
        resolve_setup=resolve_setup,
        position_json=TrafficCongestionPosition,
        boards=BoardFiles(board_files(), lambda document: RoadNetwork(read_board(document)).to_json()),
    ),
    text=GameText(
        log_line=log_line,
        label=label,
        prompt=prompt,
        guidebook=lambda: guidebook(HELP),
        help_topic=help_topic,
        translatable_texts=lambda: translatable_texts(boards().values()),
    ),
    physical=PhysicalGame(
        meters=meters,
        components=component_set(RoadNetwork(boards()[BOARD.default])),
        meaning_of=meaning_of,
        layout=layout,
        token_placements=token_placements,
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        policies={"random": choose_at_random, "careful": careful},
        is_stuck=is_gridlocked,
    ),
)
