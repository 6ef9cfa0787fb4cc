"""The moves of Traffic Congestion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NewType

from companion.games.rules import Move, SeatMove

LaneId = NewType("LaneId", str)
"""The id of a lane, such as "north1>A"."""


@dataclass(frozen=True, kw_only=True)
class Enter(SeatMove):
    """Adds a car of the player's color to the back of `lane`, which is an entrance that is not full."""

    NAME: ClassVar[str] = "enter"
    lane: LaneId


@dataclass(frozen=True, kw_only=True)
class Signal(SeatMove):
    """Places a new signal at the end of `lane`, which may be any lane except an exit. The signal points to the lane
    `to`."""

    NAME: ClassVar[str] = "signal"
    lane: LaneId
    to: LaneId


@dataclass(frozen=True)
class Redirect:
    """The choice to redirect a signal after a Go, so that it points to the lane `to`."""

    to: LaneId


SignalChange = Literal["keep", "remove"] | Redirect
"""What happens to a signal after cars have moved through it."""


@dataclass(frozen=True, kw_only=True)
class Go(SeatMove):
    """Moves cars from the head of `lane` through its signal, as many as the next lane has room for. The signal is then
    kept, removed or redirected, as `then` says."""

    NAME: ClassVar[str] = "go"
    lane: LaneId
    then: SignalChange


@dataclass(frozen=True, kw_only=True)
class Pass(SeatMove):
    """Does nothing in this turn. Legal only if there is no other legal move."""

    NAME: ClassVar[str] = "pass"


MOVES: tuple[type[Move], ...] = (Enter, Signal, Go, Pass)
