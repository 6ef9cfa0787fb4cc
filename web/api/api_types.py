"""The types of the API's requests and answers.

`web.api.openapi` makes the API's description from these types, and `read` checks requests against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from companion.games import move_json
from companion.games.rules import Json
from web.error_responses import RequestError, bad_request

# `must` is the end of the error message for a value of a wrong type, such as: "seats" must be a whole number.
TextValue = Annotated[str, Meta(extra={"must": "be text"})]
Version = Annotated[
    int,
    Meta(
        description="counts the acts at this table",
        extra_json_schema={"minimum": 0},
        extra={"must": "be a whole number, the version of the view that the request is based on"},
    ),
]
ActionId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        pattern=r"^[ -~]+$(?!\n)",
        description="a name for this request; a repeated request with the same name is carried out only once",
        extra={"must": "be text of 1 to 64 plain characters, another one for each request"},
    ),
]
SeatNumber = Annotated[
    int, Meta(description="a seat from 0", extra_json_schema={"minimum": 0}, extra={"must": "be a whole number"})
]
SeatToTake = Annotated[SeatNumber, Meta(extra={"must": "be a whole number, or left out to watch"})]
SeatCount = Annotated[
    int, Meta(description="the game’s smallest number if left out", extra={"must": "be a whole number"})
]
AnyMove = Annotated[Any, Meta(extra_json_schema={"$ref": "#/components/schemas/Move"})]
AnyPosition = Annotated[Any, Meta(extra_json_schema={"$ref": "#/components/schemas/Position"})]


class Join(Struct):
    """The body of a request to join: the join code, the seat to take and the player's name. With a `seat` of null, the
    player only watches."""

    code: TextValue = ""
    seat: SeatToTake | None = None
    name: TextValue = ""


class ActBody(Struct):
    """An action that needs no data, such as undo. `version`: the version of the view on which the action is based.
    `id`: a name for the request; a repeated request with the same name is carried out only once."""

    version: Version | None = None
    id: ActionId | None = None


class MakeMove(Struct):
    """The body of a request to make a move."""

    move: AnyMove
    version: Version
    id: ActionId


class Ignore(Struct):
    """The component to ignore: the code that is printed on it, or "tokens" for all cubes."""

    code: TextValue


class Ask(Struct):
    """The body of a request for another player's consent to a move."""

    move: AnyMove
    version: Version | None = None


class Answer(Struct):
    """The answer to a request for consent. `move` is the requested move, so that an answer that arrives late can't be
    taken for an answer to the next request."""

    agreed: Annotated[bool, Meta(extra={"must": "be true or false"})]
    move: AnyMove = None


class StartGame(Struct, forbid_unknown_fields=True):
    """A game to start: the number of seats, the players, the options, who deals each chance source, and which seats the
    companion plays."""

    game: TextValue
    seats: SeatCount | None = None
    players: Annotated[
        list[str], Meta(description="names by seat, not more than seats", extra={"must": "be a list of texts"})
    ] = []
    options: Annotated[dict[str, str], Meta(extra={"must": "be an object of texts"})] = {}
    dealers: Annotated[
        dict[str, str],
        Meta(
            extra={"must": "be an object of texts"},
            extra_json_schema={"additionalProperties": {"enum": ["companion", "table", "unseen"]}},
        ),
    ] = {}
    companions: Annotated[
        dict[str, str],
        Meta(
            description="the policies of the seats that the companion plays, by seat",
            extra={"must": "be an object of texts"},
        ),
    ] = {}


class HandOver(Struct):
    """The seat that the companion is to play, and the policy with which it plays. With a `policy` of null, people play
    the seat again."""

    seat: SeatNumber
    policy: Annotated[str | None, Meta(extra={"must": "be text, or null to take the seat back"})]


class FreeSeat(Struct):
    """The seat to free, so that another phone can take it."""

    seat: SeatNumber


RoundNumber = Annotated[int, Meta(extra_json_schema={"minimum": 0}, extra={"must": "be a whole number"})]
Secret = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)", extra={"must": "be 64 hexadecimal digits"})]


class ShareBody(Struct):
    """A phone's contribution to the shuffle: first the commitment to its share, and once all phones have committed, the
    share itself. `shuffle` and `round` have the same values as in the request for the share, which came over the event
    stream."""

    shuffle: Secret
    round: RoundNumber
    commitment: Secret | None = None
    share: Secret | None = None


class Problem(Struct):
    """The reason for a refusal: a code for programs, and a message for people."""

    code: str
    message: str


class Error(Struct):
    """The answer to a request that is refused."""

    error: Problem


class DeviceState(Struct):
    """The health of a device: the name of the device, whether it works, and a sentence about its state for people."""

    device: str
    ok: bool
    says: str


HealthStatus = Literal["ok", "degraded", "failing", "stopped"]


class Health(Struct):
    """The health of the service: its version and the state of each device. `degraded`: the disk is nearly full, or a
    device has failed. `failing`: moves can't be stored. `stopped`: the service could not start, and only answers with
    the reason."""

    status: HealthStatus
    version: str
    devices: list[DeviceState]


class SeatResponse(Struct, omit_defaults=True):
    """A seat and the name of its player. `seat` is null for a watcher."""

    seat: SeatNumber | None
    name: str | UnsetType | None = UNSET


class ShareTaken(Struct):
    """The answer to a phone that has sent its share, or its commitment to a share. `counts`: whether the share or
    commitment was accepted. It is not if it came too late, or if the phone had already sent a different one."""

    counts: bool


class ViewResponse(Struct):
    """The match as the requesting phone may know it. `legal`: the legal moves of the phone's seat. `reports`: the moves
    with which the phone may report what people have dealt. `companions`: the policies of the seats that the companion
    plays, by seat."""

    version: Version
    game: str
    seat: SeatNumber | None
    state: AnyPosition
    legal: list[AnyMove]
    reports: list[AnyMove]
    companions: dict[str, str]


class Done(Struct):
    """The answer to a request that was carried out. `version` is the version right after the request. The other fields
    are the current view and, in `words`, the instructions for people at the real table. If something has happened since
    the request, all fields but `version` are left out."""

    version: Version
    game: str | UnsetType = UNSET
    seat: SeatNumber | UnsetType | None = UNSET
    state: AnyPosition = UNSET
    legal: list[AnyMove] | UnsetType = UNSET
    reports: list[AnyMove] | UnsetType = UNSET
    companions: dict[str, str] | UnsetType = UNSET
    words: list[str] | UnsetType = UNSET


class PhotoDone(Done):
    """The answer to a request with a photograph. If the photograph led to a move, the answer is the same as `Done`.
    Otherwise no move was made, and `meant` lists the moves that the photograph can mean, from which the player
    chooses."""

    meant: list[AnyMove] | UnsetType = UNSET


R = TypeVar("R", bound=Struct)


def read(record: type[R], values: Mapping[str, Json]) -> R:
    """Checks the values of a JSON object and returns them as a record of this type. Raises RequestError if they do not
    fit. A number such as 1.0 counts as an integer, because JSON has only one type of number. A missing `move` counts as
    null, which the game refuses like any illegal move."""
    known = {field.name: field for field in msgspec.structs.fields(record)}
    if record.__struct_config__.forbid_unknown_fields and (unknown := [key for key in values if key not in known]):
        raise bad_request(f"{move_json.dumps(unknown[0][:20])} is unknown; the keys are {', '.join(known)}.")
    values = {key: _as_whole_number(value) if key != "move" else value for key, value in values.items()}
    try:
        if bad := [key for key in known.keys() & values.keys() - {"move"} if _has_surrogate(values[key])]:
            raise _field_error(record, bad[0])
        return msgspec.convert({"move": None, **values} if "move" in known else values, record)
    except msgspec.ValidationError as error:
        raise _field_error(record, next(name for name in _field_names_in(str(error)) if name in known)) from error


def read_texts(record: type[R], values: Mapping[str, str]) -> R:
    """Checks the texts of a form or a query and returns them as a record of this type. Raises RequestError if they do
    not fit. Empty texts count as missing."""
    known = {field.name: field for field in msgspec.structs.fields(record)}
    given = {key: value for key, value in values.items() if key in known and value}
    try:
        return msgspec.convert(given, record, strict=False)
    except msgspec.ValidationError as error:
        raise _field_error(record, next(name for name in _field_names_in(str(error)) if name in known)) from error


def _as_whole_number(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _has_surrogate(value: Json) -> bool:
    """Whether a JSON value contains half of a surrogate pair, which can't be written as UTF-8."""
    match value:
        case str():
            return any("\ud800" <= c <= "\udfff" for c in value)
        case list():
            return any(map(_has_surrogate, value))
        case dict():
            return any(map(_has_surrogate, (*value, *value.values())))
    return False


def _field_names_in(message: str) -> Iterator[str]:
    """Yields the names of the fields in an error message of msgspec, the last one first. Such messages look like "…
    missing required field `seat`" or "… - at `$.seats`"."""
    for quoted in message.split("`")[-2::-2]:
        yield quoted.removeprefix("$.").partition("[")[0].partition(".")[0]


def _field_error(record: type[Struct], name: str) -> RequestError:
    field = next(field for field in msgspec.inspect.type_info(record).fields if field.name == name)  # type: ignore[attr-defined]
    return bad_request(f'"{name}" must {_requirement(field.type)}.')


def _requirement(kind: Any) -> str:
    """The end of the error message for a value that is not of this type, such as "be a whole number": the value of
    `must` in the type's `Meta`. "" if there is none."""
    extra: Mapping[str, str] = getattr(kind, "extra", None) or {}
    return extra.get("must") or next(filter(None, map(_requirement, getattr(kind, "types", ()))), "")
