"""What pages and policies need of a position beyond what the contract's state holds, and the position made of both.

Law: pure. Only a board, houses and what lies open: nothing that a viewer may not know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from companion.games.commute.board import Board
from companion.games.commute.catalog import boards, files
from companion.games.commute.position_types import Todo, Trade
from companion.games.commute.rules import State
from companion.games.rules import Seat, Viewer


def details(state: State, viewer: Viewer) -> dict[str, Any]:
    """`player` whose turn it is, whoever must act; `drawer` of the "Uh-Oh!" card in play, or null; `question` what it
    asks (an `Asks`), or null; `board` a name, or the whole of a board of one's own; `history` each past commute's
    minutes, and the reputation after it."""
    return {
        "player": state.player,
        "drawer": _drawer(state),
        "discard": list(state.discard),
        "question": state.question.asks if state.question else None,
        "board": state.board.name if state.board.name in files() else state.board.as_json(),
        "houses": list(state.houses),
        "rounds": state.commutes // 2 if state.commutes % 2 == 0 else state.commutes / 2,
        "history": [{"minutes": list(done.minutes), "reputation": list(done.reputation)} for done in state.past],
    }


def _drawer(state: State) -> Seat | None:
    match state.tasks[:1]:
        case (Todo(seat=seat) | Trade(drawer=seat),):
            return seat
    return None


def board_of(told: Mapping[str, Any]) -> Board:
    """The board that details name or hold."""
    board = told["board"]
    return _board(board if isinstance(board, str) else json.dumps(board))


@lru_cache(maxsize=8)
def _board(name: str) -> Board:
    return boards()[name] if name in boards() else Board.from_json(json.loads(name))
