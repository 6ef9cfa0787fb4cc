"""The format of a recording: lines of JSON. The first line describes the game and the table when the recording began;
each further line describes one thing that happened, in order.

Law: pure. A recording has neither the players' names nor the seed from which the companion deals. It contains the moves
as the referee knows them, with hidden cards. So nobody gets it before the game is closed: nobody can continue a closed
game.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, Literal, TypeVar

import msgspec

from companion.games.rules import SPECTATOR
from companion.match.match import Match
from companion.match.stored_game import ActRecord
from companion.match.view_builder import tabletop_of_match
from companion.table.table_changes import ActMade, ComponentIgnored, ConsentRequested, Origin, TableChange, TableMoment
from companion.tabletop.discrepancy_timing import MIN_DELAY_S, DiscrepancyTiming, FixKey, fix_key
from companion.tabletop.observations import CardGone, CardHidden, CardInView, CardSeen, MatSeen, TokensCounted
from companion.tabletop.tracked_table import TrackedTable
from companion.text.default_names import default_name
from companion.text.player_names import clean_line

T = TypeVar("T")

FORMAT = 1
MAX_BURST_S = MIN_DELAY_S
"""Changes that follow each other by at most this many seconds count as one burst. No new discrepancy is reported during
a burst."""
LONG_AGO = -1e9
"""A time in seconds that means minus infinity, which JSON does not have."""


class RecordingError(Exception):
    """The error for a file that is not a recording, or that can't be replayed. The message names the line. It is itself
    one printable line without a period, whatever the file contains."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {clean_line(reason).removesuffix('.')}")


class RecordingHeader(msgspec.Struct, kw_only=True):
    """The first line of a recording. `product`: the version of Tablekeeper that recorded it. `acts`: the acts of the
    game so far. `early_deals`: the sightings of cards that were dealt too early. `companion_seats`: the seats that the
    companion plays. The other fields are as in `Header` and `PhysicalTable`."""

    recording: int
    product: str
    game: str
    rules_version: int
    seats: int
    setup: dict[str, Any]
    dealers: dict[str, str]
    started: str
    acts: tuple[ActRecord, ...]
    tracked: TrackedTable
    timing: DiscrepancyTiming
    early_deals: tuple[CardSeen, ...]
    companion_seats: tuple[int, ...] = ()


class ReportedDiscrepancy(msgspec.Struct, frozen=True):
    """A discrepancy that everyone at the table was told about, with its message in English."""

    code: str
    fix: str
    place: str | None
    message: str

    @property
    def key(self) -> FixKey:
        """The key by which discrepancies are compared. It does not depend on the wording of the message."""
        return self.code, self.fix, self.place


class RecordingLine(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A further line of a recording: something that happened at the time `at` of the table's clock, in seconds. Only
    one other field is set, except that `origin` is set together with `act`. `reported`: the discrepancies that everyone
    was told about just before the next change. `companion_seats`: the seats that the companion plays from then on.
    `picture`: a picture of what everyone may see, as WebP."""

    at: float
    seen: CardSeen | None = None
    gone: CardGone | None = None
    in_view: CardInView | None = None
    hidden: CardHidden | None = None
    counted: TokensCounted | None = None
    mat: MatSeen | None = None
    act: ActRecord | None = None
    origin: Origin = "phone"
    ignored: str | None = None
    happened: Literal["consent requested", "camera left"] | None = None
    reported: tuple[ReportedDiscrepancy, ...] | None = None
    companion_seats: tuple[int, ...] | None = None
    picture: bytes | None = None

    @property
    def observation(self) -> CardSeen | CardGone | CardInView | CardHidden | TokensCounted | MatSeen | None:
        """The observation of the camera on this line; None if there is none."""
        return self.seen or self.gone or self.in_view or self.hidden or self.counted or self.mat

    @property
    def is_empty(self) -> bool:
        """Whether the line says neither that something happened, nor what was reported, nor who plays."""
        if self.reported is not None or self.companion_seats is not None:
            return False
        return not (self.observation or self.act or self.ignored or self.happened)


def first_line(before: TableMoment, acts: Iterable[ActRecord], product: str) -> bytes:
    """The first line of a recording that begins with the state `before` of the table. `acts`: the acts of the game so
    far."""
    header, timing = before.match.header, before.discrepancy_timing
    return _encoded(
        RecordingHeader(
            recording=FORMAT,
            product=product,
            game=header.game,
            rules_version=header.rules_version,
            seats=header.seats,
            setup=dict(header.setup),
            dealers=dict(header.dealers),
            started=before.match.started,
            acts=tuple(replace(act, request=None) for act in acts),
            tracked=before.tracked,
            timing=replace(timing, acted_at=max(timing.acted_at, LONG_AGO)),
            early_deals=before.early_deals,
            companion_seats=before.companion_seats,
        )
    )


def line_of(change: TableChange, at: float) -> bytes:
    """The line for a change of the table."""
    match change:
        case CardSeen(mm=mm):
            place = mm and (round(mm[0], 3), round(mm[1], 3))
            seen = replace(change, t=round(change.t, 3), mm=place, angle=round(change.angle, 3))
            line = RecordingLine(at=at, seen=seen)
        case CardGone():
            line = RecordingLine(at=at, gone=replace(change, t=round(change.t, 3)))
        case CardInView():
            line = RecordingLine(at=at, in_view=replace(change, t=round(change.t, 3)))
        case CardHidden():
            line = RecordingLine(at=at, hidden=replace(change, t=round(change.t, 3)))
        case TokensCounted():
            line = RecordingLine(at=at, counted=replace(change, t=round(change.t, 3)))
        case MatSeen():
            line = RecordingLine(at=at, mat=replace(change, t=round(change.t, 3)))
        case ActMade(history, origin):
            line = RecordingLine(at=at, act=history.record(None), origin=origin)
        case ComponentIgnored(code):
            line = RecordingLine(at=at, ignored=code)
        case ConsentRequested():
            line = RecordingLine(at=at, happened="consent requested")
        case _:
            line = RecordingLine(at=at, happened="camera left")
    return _encoded(line)


def reported_line(reported: tuple[ReportedDiscrepancy, ...], at: float) -> bytes:
    """The line with the discrepancies that everyone is told about from now on."""
    return _encoded(RecordingLine(at=at, reported=reported))


def companion_seats_line(seats: tuple[int, ...], at: float) -> bytes:
    """The line with the seats that the companion plays from now on."""
    return _encoded(RecordingLine(at=at, companion_seats=seats))


def picture_line(webp: bytes, at: float) -> bytes:
    """The line with a picture."""
    return _encoded(RecordingLine(at=at, picture=webp))


def _encoded(value: RecordingHeader | RecordingLine) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def reported_at(
    match: Match, tracked: TrackedTable, timing: DiscrepancyTiming, at: float, companion_seats: Collection[int]
) -> tuple[ReportedDiscrepancy, ...]:
    """The discrepancies that everyone at the table is told about at the time `at`. The messages contain default names,
    such as "Player 1", instead of the players' names. `companion_seats`: the seats that the companion plays."""
    anonymous = copy.copy(match)
    anonymous.take_names([str(default_name(seat)) for seat in range(match.header.seats)])
    view = tabletop_of_match(
        anonymous, SPECTATOR, tracked, lambda found: timing.is_due(found, at), companion_seats
    ).view
    keys = {fix_key(found): str(found.message) for found in view.discrepancies}
    return tuple(ReportedDiscrepancy(*key, message) for key, message in keys.items())


def read_recording(data: bytes) -> tuple[RecordingHeader, list[tuple[int, RecordingLine]]]:
    """The first line of a recording, and the further lines with their numbers, without the pictures. If the last line
    is incomplete, it is left out. Raises RecordingError if the file is not a recording."""
    whole = data if data.endswith(b"\n") else data[: data.rfind(b"\n") + 1]
    texts = whole.split(b"\n")[:-1] or [data]
    first = _decoded(1, texts[0], RecordingHeader)
    if first.recording != FORMAT:
        raise RecordingError(1, f"the recording has format {first.recording}, but this Tablekeeper reads {FORMAT}")
    lines = [(number, _decoded(number, text, RecordingLine)) for number, text in enumerate(texts[1:], 2)]
    happened = [(number, line) for number, line in lines if line.picture is None]
    if (empty := next((number for number, line in happened if line.is_empty), None)) is not None:
        raise RecordingError(empty, "nothing happens there")
    return first, happened


def _decoded(number: int, text: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        what = "this is not the first line of a recording" if number == 1 else "this is no line of a recording"
        raise RecordingError(number, f"{what} ({error})") from error
