"""The parts of the service's answers that drills read. Other fields of the JSON are ignored."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from companion.games.rules import Json


class PositionState(Struct):
    """Whose turn it is in the match, and whether the game is over. `turn` is None at the end of the game."""

    turn: int | Literal["house"] | None
    over: bool


class MatchView(Struct):
    """The match as a phone may know it. `legal`: the legal moves of the phone's seat. `reports`: the moves with which
    the phone may report what people have dealt."""

    version: int
    state: PositionState
    legal: list[Json]
    reports: list[dict[str, Json]]


class MoveResult(Struct):
    """The version to which a move has led."""

    version: int


class ReportedDevice(Struct):
    """The health of a device: its name, whether it works, and a sentence for people about its state."""

    device: str
    ok: bool
    says: str


class ServiceHealth(Struct):
    """The health of all devices."""

    devices: list[ReportedDevice]


class SimulatedTableState(Struct):
    """The simulated table. `in_view`: whether a camera sees the mat; None if there is no game. `discrepancies`:
    sentences about components that lie in the wrong place."""

    in_view: bool | None
    discrepancies: list[str]
