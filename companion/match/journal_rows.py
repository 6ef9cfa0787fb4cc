"""The rows of the journal's database: converts games and acts to the values of their columns, and back.

Law: pure.
"""

from __future__ import annotations

import json
from typing import Any

from companion.games.what_if_origin import WhatIfOrigin
from companion.match.fair_shuffle import FairShuffle
from companion.match.stored_game import ActRecord, Header

HEADER_COLUMNS = "game, rules_version, seats, setup, dealers, players, seed, shuffle"
"""The columns of a header, in the order of the parameters of `header_from_row`."""
RECORD_COLUMNS = "version, kind, seat, request, moves, digest, at, thing"
"""The columns of an act, in the order of the parameters of `record_from_row`."""


def header_from_row(
    game: str, rules: int, seats: int, setup: str, dealers: str, players: str, seed: str, shuffle: str
) -> Header:
    """The header of a game, from the values of HEADER_COLUMNS."""
    value = json.loads(shuffle) if shuffle else {}
    fair = FairShuffle.from_json(value) if "commitment" in value else None
    origin = WhatIfOrigin.from_json(value["what_if"]) if "what_if" in value else None
    names = tuple(json.loads(players))
    return Header(game, rules, seats, json.loads(setup), json.loads(dealers), names, seed, fair, origin)


def row_of_game(id: int, header: Header, started: str, closed: str | None) -> tuple[Any, ...]:
    """The values of GAME_COLUMNS. `started` and `closed`: as in `StoredGame`."""
    return (
        id,
        header.game,
        header.rules_version,
        header.seats,
        json.dumps(header.setup),
        json.dumps(header.dealers),
        header.seed,
        started,
        json.dumps(header.players),
        closed,
        shuffle_column(header),
    )


def shuffle_column(header: Header) -> str:
    """The value of the column `shuffle`: the shuffle, and the origin of a what-if."""
    value = header.shuffle.to_json() if header.shuffle else {}
    value |= {"what_if": header.what_if.to_json()} if header.what_if else {}
    return json.dumps(value) if value else ""


def record_from_row(
    version: int, kind: Any, seat: int | None, request: str | None, moves: str, digest: str, at: str, code: str
) -> ActRecord:
    """The record of an act, from the values of RECORD_COLUMNS."""
    lines = tuple(moves.split("\n")) if moves else ()
    return ActRecord(version, kind, seat, request, lines, digest, at, code)


def row_of_act(game: int, record: ActRecord) -> tuple[Any, ...]:
    """The values of ACT_COLUMNS for an act of the game with the id `game`."""
    who = record.kind, record.seat, record.request
    return game, record.version, *who, "\n".join(record.moves), record.digest, record.at, record.code
