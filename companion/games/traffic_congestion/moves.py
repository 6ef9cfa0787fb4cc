"""The moves of Traffic Congestion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NewType

from companion.games.rules import Move, SeatMove

LaneId = NewType("LaneId", str)
"""The id of a lane, such as "north1>A"."""


@dataclass(frozen=True, kw_only=True)
class Enter(SeatMove):
    """Puts a car of the player's color on the board: "Enqueue a car at the back of an entrance lane that is not
    full." """

    NAME: ClassVar[str] = "enter"
    lane: LaneId


@dataclass(frozen=True, kw_only=True)
class Signal(SeatMove):
    """Places a new signal that points from `lane` to the lane `to`: "Place a directional signal at the end of any
    non-exit lane." """

    NAME: ClassVar[str] = "signal"
    lane: LaneId
    to: LaneId


@dataclass(frozen=True)
class Redirect:
    """Turns the signal after a Go, so that it points to the lane `to`: "Change the signal to a new direction." """

    to: LaneId


SignalChange = Literal["keep", "remove"] | Redirect
"""What happens to a signal after cars have moved through it."""


@dataclass(frozen=True, kw_only=True)
class Go(SeatMove):
    """Moves cars out of `lane`, then does with the signal what `then` says: "Move cars through a signal, then change or
    remove the signal." """

    NAME: ClassVar[str] = "go"
    lane: LaneId
    then: SignalChange


@dataclass(frozen=True, kw_only=True)
class Pass(SeatMove):
    """Does nothing in this turn. Legal only if there is no other legal move."""

    NAME: ClassVar[str] = "pass"


MOVES: tuple[type[Move], ...] = (Enter, Signal, Go, Pass)
