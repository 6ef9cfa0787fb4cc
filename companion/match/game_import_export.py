"""Exports games to files and imports them. A file has a header line, then one line per act; each line is a JSON object.

Importing checks the format only; `history.fold` checks whether the game replays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar, get_args

import msgspec

from companion.games.rules import Json
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.fair_shuffle import ALGORITHM, SECRET_PATTERN, FairShuffle, Share, ShareRound
from companion.match.history import History, ReplayError, fold
from companion.match.journal_error import JournalError
from companion.match.shuffle_record import draw_records, exported_shuffle
from companion.match.shuffle_verification import companion_draws
from companion.match.stored_game import ActKind, ActRecord, Header, StoredGame
from companion.text.player_names import clean_name

FORMAT = 1
CODE_PATTERN = re.compile(r"[A-Z]{2}-[A-Z0-9]{1,12}")
"""Matches the code of a component, such as `SF-D07`."""

T = TypeVar("T")


def export_lines(stored: StoredGame) -> Iterator[str]:
    """Yields a game as lines of JSON. The seed determines every later card, so it is left out until the game has ended
    or is closed. From then on, the seed, the shares and the options of each draw are included."""
    history = _history_at_end(stored)
    keys = [field.name for field in fields(Header) if field.name not in ("seed", "shuffle", "what_if")]
    header = {key: getattr(stored.header, key) for key in keys}
    if stored.header.what_if:
        header["what_if"] = stored.header.what_if.to_json()
    if shuffle := exported_shuffle(stored.header, is_open=history is not None):
        header["shuffle"] = shuffle.to_json()
    dates = {"started": stored.started, "closed": stored.closed}
    yield json.dumps({"tablekeeper": FORMAT, **header, **dates, "acts": len(stored.records)})
    draws = _draws_by_version(history, stored.header) if history else {}
    for record in stored.records:
        act = {key: value for key, value in vars(record).items() if key not in ("request", "code")}
        drawn = {"draws": draws[record.version]} if record.version in draws else {}
        yield json.dumps({**act, "thing": record.code, "moves": [json.loads(line) for line in record.moves], **drawn})


def _history_at_end(stored: StoredGame) -> History | None:
    """The history of a game that has ended or was closed; None for a running game, and for a game without a checkable
    shuffle."""
    if stored.header.shuffle is None:
        return None
    try:
        history = fold(stored)
    except ReplayError:
        return None
    return history if stored.closed or history.state.turn is None else None


def _draws_by_version(history: History, header: Header) -> Mapping[int, list[Json]]:
    """Maps versions to the draws that led to them, as JSON."""
    by_version: dict[int, list[Json]] = {}
    draws = companion_draws(history, header)
    for draw, record in zip(draws, draw_records(draws), strict=True):
        by_version.setdefault(draw.version, []).append(msgspec.to_builtins(record))
    return by_version


def version_with_wrong_draws(lines: Sequence[str], stored: StoredGame, history: History) -> int | None:
    """Finds the first act in an exported file whose `draws` do not match the moves of the act. Returns the version of
    this act; None if there is no such act. `stored` is the game in the file, and `history` is the history of that game.
    A file whose shuffle is not revealed has no draws."""
    expected = _draws_by_version(history, stored.header) if stored.header.shuffle else {}
    for act in map(json.loads, lines[1:]):
        if act.get("draws", []) != json.loads(json.dumps(expected.get(act["version"], []))):
            return int(act["version"])
    return None


def import_lines(lines: Iterable[str], seed: str) -> StoredGame:
    """The game in an exported file. `seed` becomes the game's seed if the file has none. If a line is faulty, raises
    JournalError, which names the line."""
    first, *rest = [*lines] or [""]
    stored, count = _read_header(first, seed)
    records = tuple(_read_record(number, line, stored.header.seats) for number, line in enumerate(rest, 2))
    if count is not None and count != len(records):
        why = "cut off" if len(records) < count else "changed"
        raise JournalError(f"The file holds {len(records)} of {count} acts: it was {why}.")
    return replace(stored, records=records)


def _read_header(line: str, seed: str) -> tuple[StoredGame, int | None]:
    """The game without its acts, and the number of acts that the header gives (None in the oldest exports)."""
    value = _read_line(1, line)
    if value.get("tablekeeper") != FORMAT:
        raise JournalError(f"Line 1 must be the header of an exported game of format {FORMAT}.")
    try:
        game, rules, seats = (
            _field(str, value, "game"),
            _field(int, value, "rules_version"),
            _field(int, value, "seats"),
        )
        setup, dealers = _field(dict, value, "setup"), _field(dict, value, "dealers")
        players = tuple(_field(list, value, "players"))
        are_names_valid = all(isinstance(name, str) and name and name == clean_name(name) for name in players)
        _require(are_names_valid and len(players) == seats, f"players must be {seats} short names")
        closed = None if value.get("closed") is None else _time_text(value, "closed")
        shuffle = _read_shuffle(value.get("shuffle"))
        seed = value["shuffle"]["seed"] if shuffle else seed
        header = Header(game, rules, seats, setup, dealers, players, seed, shuffle, _read_what_if(value))
        return StoredGame(0, header, (), _time_text(value, "started"), closed), _field(
            int, value, "acts"
        ) if "acts" in value else None
    except (KeyError, ValueError) as error:
        raise JournalError(f"Line 1 is not the header of an exported game ({_reason(error)}).") from error


def _read_what_if(value: Mapping[str, Any]) -> WhatIfOrigin | None:
    if value.get("what_if") is None:
        return None
    origin = _field(dict, value, "what_if")
    return WhatIfOrigin(_field(int, origin, "game"), _time_text(origin, "started"), _field(int, origin, "acts"))


def _read_shuffle(value: Any) -> FairShuffle | None:
    """The shuffle in the header of an export; None if the export has no shuffle, or if its shuffle is not revealed
    yet."""
    if value is None or (isinstance(value, dict) and "seed" not in value):
        return None
    _require(isinstance(value, dict), "shuffle is not an object")
    _require(value.get("algorithm") == ALGORITHM, f"the shuffle’s algorithm is not {ALGORITHM}")
    _secret(value, "seed")
    rounds = [ShareRound((), _first_draws(each)) for each in _field(list, value, "rounds")]
    for share in _field(list, value, "shares"):
        number = _field(int, share, "round")
        _require(0 <= number < len(rounds), "a share belongs to no round")
        secret = _secret(share, "share") if share.get("share") is not None else ""
        opened = Share(_field(int, share, "seat"), _secret(share, "commitment"), secret)
        rounds[number] = replace(rounds[number], shares=(*rounds[number].shares, opened))
    return FairShuffle(_secret(value, "commitment"), tuple(rounds))


def _first_draws(value: Any) -> Mapping[str, int]:
    draws = _field(dict, value, "first_draws")
    return {source: _field(int, draws, source) for source in draws}


def _secret(value: Any, key: str) -> str:
    text = _field(str, value, key)
    _require(SECRET_PATTERN.fullmatch(text) is not None, f"{key} is not 64 hexadecimal digits")
    return text


def _read_record(number: int, line: str, seats: int) -> ActRecord:
    value = _read_line(number, line)
    try:
        moves = tuple(json.dumps(move, separators=(",", ":")) for move in _field(list, value, "moves"))
        kind, seat = value["kind"], None if value["seat"] is None else _field(int, value, "seat")
        is_kind_valid = kind in get_args(ActKind) and bool(moves) == (kind in ("deal", "move"))
        _require(is_kind_valid, f"{kind!r} with {len(moves)} moves")
        _require(seat is None or 0 <= seat < seats, f"there is no seat {seat}")
        code = _field(str, value, "thing") if "thing" in value else ""
        _require(not code or CODE_PATTERN.fullmatch(code) is not None, "thing is not a code")
        version, digest = _field(int, value, "version"), _field(str, value, "digest")
        return ActRecord(version, kind, seat, None, moves, digest, _time_text(value, "at"), code)
    except (KeyError, ValueError, RecursionError) as error:
        raise JournalError(f"Line {number} is not an act of an exported game ({_reason(error)}).") from error


def _read_line(number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise JournalError(f"Line {number} is not JSON.") from error
    if not isinstance(value, dict):
        raise JournalError(f"Line {number} is not a JSON object.")
    return value


def _field(kind: type[T], value: Mapping[str, Any], key: str) -> T:
    """The value of a key in a JSON object. Raises KeyError if the key is missing, ValueError if the value is not of
    type `kind`."""
    _require(isinstance(value, dict), f"an object with {key} is missing")
    found = value[key]
    if type(found) is not kind:
        raise ValueError(f"{key} is not of type {kind.__name__}")
    return found


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _time_text(value: Mapping[str, Any], key: str) -> str:
    datetime.fromisoformat(_field(str, value, key))
    return str(value[key])


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
