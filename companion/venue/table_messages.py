"""Parses the messages that tables send to a venue: checks the type and the limits of every value, and removes invisible
characters.

Law: pure. Unknown keys are ignored, because newer tables may send more keys.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct

from companion.mqtt.topics import NAME_PATTERN
from companion.text.player_names import MAX_NAME_LENGTH, clean_line

MAX_BYTES: Final = 32 * 1024
"""The size of the largest message that is read, in bytes."""
MAX_SEATS: Final = 8
MAX_METERS: Final = 60
ROOT: Final = "tablekeeper"
"""The first level of all topics."""

TopicKind = Literal["status", "wall", "result"]
"""The last level of a topic that a venue reads."""
KINDS: Final[tuple[TopicKind, ...]] = ("status", "wall", "result")

Identifier = Annotated[str, Meta(min_length=1, max_length=80, pattern=r"^[!-~]+$(?!\n)")]
GameName = Annotated[str, Meta(max_length=40)]
Label = Annotated[str, Meta(max_length=80)]
TextLine = Annotated[str, Meta(max_length=1000)]
Name = Annotated[str, Meta(max_length=MAX_NAME_LENGTH)]
Score = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Counter = Annotated[int, Meta(ge=0, le=1_000_000_000)]
SeatNumber = Annotated[int, Meta(ge=0, lt=MAX_SEATS)]
SeatCount = Annotated[int, Meta(ge=0, le=MAX_SEATS)]
PlayerNames = Annotated[tuple[Name, ...], Meta(max_length=MAX_SEATS)]
Scores = Annotated[tuple[Score, ...], Meta(max_length=MAX_SEATS)]
Time = Annotated[datetime, Meta(tz=True)]


class BadMessage(Exception):
    """The error for a message that can't be read; its text says why, in English."""


class DeviceReport(Struct, frozen=True):
    """The health of a device of the table."""

    device: Label
    ok: bool
    message: TextLine = ""


class WallReport(Struct, frozen=True):
    """A table's report for the wall, the screen that shows many tables. `game` is None while nothing is being
    played."""

    game: GameName | None = None
    title: Label | None = None
    round: Counter | None = None
    score: Score | None = None
    scores: Scores | None = None
    meters: Annotated[dict[Label, Score], Meta(max_length=MAX_METERS)] = {}
    players: PlayerNames = ()
    free_seats: SeatCount = 0
    started: Time | None = None
    over: bool = False
    matches: bool = True
    needs_help: bool = False
    devices: Annotated[tuple[DeviceReport, ...], Meta(max_length=20)] = ()


class GameEnd(Struct, frozen=True):
    """How a game has ended. If the players win or lose together, `won` says whether they have won. If they play against
    each other, `won` is None, and `winners` lists the seats that have won."""

    won: bool | None = None
    winners: Annotated[tuple[SeatNumber, ...], Meta(max_length=MAX_SEATS)] = ()
    score: Score | None = None


class Result(Struct, frozen=True):
    """The result of a game. A result with the same id and a higher version replaces it."""

    id: Identifier
    table: str
    game: GameName
    players: PlayerNames
    result: GameEnd
    started: Time
    ended: Time
    scores: Scores | None = None
    version: Counter = 0


class Topic(NamedTuple):
    """A topic that a venue reads, such as `tablekeeper/table-1/wall`."""

    table: str
    kind: TopicKind


def parse_topic(topic: str) -> Topic | None:
    """The table and the kind of message that a topic is for; None for a topic that a venue does not read."""
    match topic.split("/"):
        case [root, table, "status" | "wall" | "result" as kind] if root == ROOT and NAME_PATTERN.fullmatch(table):
            return Topic(table, kind)
    return None


def acknowledgment_topic(table: str) -> str:
    """The topic on which a venue acknowledges the results of a table."""
    return f"{ROOT}/{table}/result/ack"


def acknowledgment(result: Result) -> bytes:
    """The message that acknowledges a result."""
    return msgspec.json.encode({"id": result.id, "version": result.version})


def read_status(payload: bytes) -> bool:
    """Whether the table is online. Raises BadMessage if the status is neither online nor offline."""
    if payload not in (b"online", b"offline"):
        raise BadMessage("its status is neither online nor offline")
    return payload == b"online"


def read_wall(payload: bytes) -> WallReport:
    """A table's report for the wall, the screen that shows many tables. Raises BadMessage if the message has another
    form."""
    return _read(payload, WallReport)


def read_result(payload: bytes, table: str) -> Result:
    """The result of a game at `table`. Raises BadMessage if the message has another form, or if the result is that of
    another table."""
    result = _read(payload, Result)
    if result.table != table:
        raise BadMessage("it reports the result of another table")
    return result


R = TypeVar("R", bound=Struct)


def _read(payload: bytes, record: type[R]) -> R:
    if len(payload) > MAX_BYTES:
        raise BadMessage(f"a message has {len(payload)} bytes; {MAX_BYTES} are allowed")
    try:
        return msgspec.convert(_cleaned(msgspec.json.decode(payload)), record)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadMessage(clean_line(str(error))[:200]) from error


def _cleaned(value: Any) -> Any:
    """The JSON value with all texts on one line, without invisible characters."""
    match value:
        case str():
            return clean_line(value)
        case list():
            return [*map(_cleaned, value)]
        case dict():
            return {clean_line(key): _cleaned(each) for key, each in value.items()}
    return value
