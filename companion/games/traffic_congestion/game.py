"""Traffic Congestion, put together."""

from __future__ import annotations

from companion.games.game import BoardFiles, Game, GameAnalysis, GameRules, GameText, PhysicalGame, choose_at_random
from companion.games.traffic_congestion.board import Roads
from companion.games.traffic_congestion.catalog import boards, files, read
from companion.games.traffic_congestion.help_topics import HELP, topic
from companion.games.traffic_congestion.labels import texts
from companion.games.traffic_congestion.moves import MOVES, LaneId
from companion.games.traffic_congestion.physical import equipment, layout, meaning_of, standing
from companion.games.traffic_congestion.policy import careful
from companion.games.traffic_congestion.rules import State
from companion.games.traffic_congestion.setup import BOARD, OPTIONS, begin, settle
from companion.games.traffic_congestion.text import guide, label, meters, outcome, tell
from companion.text.guidebook import guidebook

GAME: Game[State] = Game(
    rules=GameRules(
        name="traffic-congestion",
        title="Traffic Congestion",
        summary="Everybody wants to get home on the same streets; set the signals so that your cars do first.",
        seats=range(2, 5),
        version=1,
        moves=MOVES,
        identifiers={LaneId: tuple(dict.fromkeys(lane for board in boards().values() for lane in Roads(board).lanes))},
        begin=begin,
        options=OPTIONS,
        resolve_setup=settle,
        boards=BoardFiles(files(), lambda document: Roads(read(document)).as_json()),
    ),
    text=GameText(
        log_line=tell,
        label=label,
        prompt=guide,
        guidebook=lambda: guidebook(HELP),
        help_topic=topic,
        translatable_texts=lambda: texts(boards().values()),
    ),
    physical=PhysicalGame(
        meters=meters,
        components=equipment(Roads(boards()[BOARD.default])),
        meaning_of=meaning_of,
        layout=layout,
        token_placements=standing,
    ),
    analysis=GameAnalysis(
        outcome=outcome,
        policies={"random": choose_at_random, "careful": careful},
        is_stuck=lambda state: state.gridlocked,
    ),
)
