"""A game as one readable file: the header, then an act a line, each a JSON object.

What is read is checked to be an export; whether it replays, `history.fold` says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar, get_args

from companion.match.journal import Header, JournalError, Kept, Kind, Record
from companion.text.player_names import clean_name

FORMAT = 1
CODE = re.compile(r"[A-Z]{2}-[A-Z0-9]{1,12}")

T = TypeVar("T")


def export_lines(kept: Kept) -> Iterator[str]:
    """A game as lines of JSON. The seed stays at home: it would tell what comes."""
    header = {key: value for key, value in vars(kept.header).items() if key != "seed"}
    dates = {"started": kept.started, "closed": kept.closed}
    yield json.dumps({"tablekeeper": FORMAT, **header, **dates, "acts": len(kept.records)})
    for record in kept.records:
        act = {key: value for key, value in vars(record).items() if key != "request"}
        yield json.dumps({**act, "moves": [json.loads(line) for line in record.moves]})


def import_lines(lines: Iterable[str], seed: str) -> Kept:
    """The game in an exported file; raises JournalError that names the line. `seed` is for playing on."""
    first, *rest = [*lines] or [""]
    kept, said = _read_header(first, seed)
    records = tuple(_read_record(number, line, kept.header.seats) for number, line in enumerate(rest, 2))
    if said is not None and said != len(records):
        why = "cut off" if len(records) < said else "changed"
        raise JournalError(f"The file holds {len(records)} of {said} acts: it was {why}.")
    return replace(kept, records=records)


def _read_header(line: str, seed: str) -> tuple[Kept, int | None]:
    """The game without its acts, and how many there are; the first files did not say."""
    value = _read_line(1, line)
    if value.get("tablekeeper") != FORMAT:
        raise JournalError(f"Line 1 must be the header of an exported game of format {FORMAT}.")
    try:
        game, rules, seats = _the(str, value, "game"), _the(int, value, "rules_version"), _the(int, value, "seats")
        setup, dealers = _the(dict, value, "setup"), _the(dict, value, "dealers")
        players = tuple(_the(list, value, "players"))
        named = all(isinstance(name, str) and name and name == clean_name(name) for name in players)
        _demand(named and len(players) == seats, f"players must be {seats} short names")
        closed = None if value.get("closed") is None else _time(value, "closed")
        header = Header(game, rules, seats, setup, dealers, players, seed)
        return Kept(0, header, (), _time(value, "started"), closed), _the(
            int, value, "acts"
        ) if "acts" in value else None
    except (KeyError, ValueError) as error:
        raise JournalError(f"Line 1 is no header of an exported game ({_words(error)}).") from error


def _read_record(number: int, line: str, seats: int) -> Record:
    value = _read_line(number, line)
    try:
        moves = tuple(json.dumps(move, separators=(",", ":")) for move in _the(list, value, "moves"))
        kind, seat = value["kind"], None if value["seat"] is None else _the(int, value, "seat")
        known = kind in get_args(Kind) and bool(moves) == (kind in ("deal", "move"))
        _demand(known, f"{kind!r} with {len(moves)} moves")
        _demand(seat is None or 0 <= seat < seats, f"there is no seat {seat}")
        thing = _the(str, value, "thing") if "thing" in value else ""
        _demand(not thing or CODE.fullmatch(thing) is not None, "thing is no code")
        version, digest = _the(int, value, "version"), _the(str, value, "digest")
        return Record(version, kind, seat, None, moves, digest, _time(value, "at"), thing)
    except (KeyError, ValueError, RecursionError) as error:
        raise JournalError(f"Line {number} is no act of an exported game ({_words(error)}).") from error


def _read_line(number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise JournalError(f"Line {number} is no JSON.") from error
    if not isinstance(value, dict):
        raise JournalError(f"Line {number} is no JSON object.")
    return value


def _the(kind: type[T], value: Mapping[str, Any], key: str) -> T:
    """The value of a key; raises KeyError, or ValueError if it is of another type."""
    found = value[key]
    if type(found) is not kind:
        raise ValueError(f"{key} is no {kind.__name__}")
    return found


def _demand(truth: bool, says: str) -> None:
    if not truth:
        raise ValueError(says)


def _time(value: Mapping[str, Any], key: str) -> str:
    datetime.fromisoformat(_the(str, value, key))
    return str(value[key])


def _words(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
