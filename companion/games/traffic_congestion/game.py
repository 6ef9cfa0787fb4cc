"""The `Game` record of Traffic Congestion: its rules, text, physical side, policies and playouts."""

from __future__ import annotations

from companion.games.game import BoardFiles, Game, GameRules
from companion.games.traffic_congestion.board import RoadNetwork
from companion.games.traffic_congestion.board_reader import board_files, boards, read_board
from companion.games.traffic_congestion.moves import MOVES, LaneId
from companion.games.traffic_congestion.physical import PHYSICAL
from companion.games.traffic_congestion.playout_figures import PLAYOUTS
from companion.games.traffic_congestion.policy import POLICIES
from companion.games.traffic_congestion.position_json_types import TrafficCongestionPosition
from companion.games.traffic_congestion.rules import State
from companion.games.traffic_congestion.setup import OPTIONS, begin, resolve_setup
from companion.games.traffic_congestion.text import TEXT

GAME: Game[State] = Game(
    rules=GameRules(
        name="traffic-congestion",
        title="Traffic Congestion",
        summary="Everyone wants to get home on the same streets. Set the signals so that your cars get there first.",
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
    text=TEXT,
    physical=PHYSICAL,
    policies=POLICIES,
    playouts=PLAYOUTS,
)
