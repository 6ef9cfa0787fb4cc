"""The boards of Traffic Congestion: where everything lies, and what follows from it.

Law: pure. A board says where intersections and gates lie and which streets join them. Which lanes there are, what
stands around an intersection and which paths cross there follows from that and from the side on which one drives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import atan2, tau
from typing import Final, Literal

Driving = Literal["right", "left"]
Kind = Literal["entrance", "inner", "exit"]
Path = tuple[str, str]
"""From a lane to the lane that its signal points to."""

COLORS: Final = ("blue", "red", "yellow", "green")
""" "The possible colors as represented on the board are Blue, Red, Yellow, and Green", in the order seats take them."""

CAPACITY: Final = 5
""" "Lanes have a maximum capacity of 5 cars." """


@dataclass(frozen=True)
class Spot:
    """An intersection or a gate: x counts to the east, y to the south."""

    id: str
    x: int
    y: int


@dataclass(frozen=True)
class Gate(Spot):
    """Where a street leaves the board, on a side of it."""

    side: str


@dataclass(frozen=True)
class Board:
    """A board as it is drawn. A street joins two spots and has one lane each way."""

    name: str
    intersections: Mapping[str, Spot]
    gates: Mapping[str, Gate]
    streets: tuple[tuple[str, str], ...]
    sides: Mapping[str, str]
    """The side on which each color's cars are to leave."""

    def spot(self, name: str) -> Spot:
        """The intersection or gate of this name."""
        return self.gates.get(name) or self.intersections[name]

    def neighbours(self, name: str) -> Iterator[str]:
        """Where the streets of a spot lead."""
        for one, other in self.streets:
            if name in (one, other):
                yield other if name == one else one

    def clockwise(self, name: str) -> tuple[str, ...]:
        """The neighbours of an intersection, clockwise from the north."""
        here = self.spot(name)
        return tuple(sorted(self.neighbours(name), key=lambda other: bearing(here, self.spot(other))))


def bearing(here: Spot, there: Spot) -> float:
    """The direction as a compass tells it, in radians: 0 is north, a quarter turn is east."""
    return atan2(there.x - here.x, here.y - there.y) % tau


@dataclass(frozen=True)
class Lane:
    """One direction of a street. `side` is the gate's, for entrances and exits."""

    start: str
    end: str
    kind: Kind
    side: str | None

    @property
    def id(self) -> str:
        """ "lane `A>B` runs from A to B"."""
        return f"{self.start}>{self.end}"


@dataclass(frozen=True)
class Roads:
    """A board with its traffic rules: the side on which one drives, and whether a signal may point back."""

    board: Board
    driving: Driving = "right"
    u_turns: bool = True

    @cached_property
    def lanes(self) -> Mapping[str, Lane]:
        """Every lane: entrances, then inner ones, then exits."""
        both_ways = chain.from_iterable(((one, other), (other, one)) for one, other in self.board.streets)
        lanes = sorted((self._lane(*ends) for ends in both_ways), key=lambda lane: _KINDS.index(lane.kind))
        return {lane.id: lane for lane in lanes}

    def _lane(self, start: str, end: str) -> Lane:
        gates = self.board.gates
        if start in gates:
            return Lane(start, end, "entrance", gates[start].side)
        if end in gates:
            return Lane(start, end, "exit", gates[end].side)
        return Lane(start, end, "inner", None)

    @cached_property
    def around(self) -> Mapping[str, tuple[str, ...]]:
        """Every lane end around each intersection, clockwise.

        Seen from the intersection, who drives on the right comes in on the near side of a street, clockwise, and
        goes out on the far side; on the left it is the other way about.
        """
        return {name: tuple(self._ends(name)) for name in self.board.intersections}

    def _ends(self, here: str) -> Iterator[str]:
        for other in self.board.clockwise(here):
            ends = (f"{other}>{here}", f"{here}>{other}")
            yield from ends if self.driving == "right" else reversed(ends)

    @cached_property
    def turns(self) -> Mapping[str, tuple[str, ...]]:
        """Where a signal of each lane that isn't an exit may point, clockwise."""
        return {
            name: tuple(f"{lane.end}>{to}" for to in self.board.clockwise(lane.end) if self.u_turns or to != lane.start)
            for name, lane in self.lanes.items()
            if lane.kind != "exit"
        }

    @cached_property
    def crossings(self) -> Mapping[Path, frozenset[Path]]:
        """For each path that there can be: the paths that cross it."""
        found: dict[Path, frozenset[Path]] = {}
        for here, around in self.around.items():
            paths = [(lane, to) for lane in around if self.lanes[lane].end == here for to in self.turns[lane]]
            found |= {path: frozenset(other for other in paths if cross(around, path, other)) for path in paths}
        return found

    @cached_property
    def entrances(self) -> tuple[str, ...]:
        """ "Entrance lanes are those lanes that come from outside of the board." """
        return tuple(name for name, lane in self.lanes.items() if lane.kind == "entrance")

    @cached_property
    def goals(self) -> Mapping[str, frozenset[str]]:
        """For each exit lane: the colors whose cars score there."""
        sides = self.board.sides
        return {
            name: frozenset(color for color, side in sides.items() if side == lane.side)
            for name, lane in self.lanes.items()
            if lane.kind == "exit"
        }

    def as_json(self) -> dict[str, object]:
        """The shape that `tablekeeper board grid-2x2 --json` prints."""
        return {
            "name": self.board.name,
            "intersections": [{"id": name, "around": list(ends)} for name, ends in self.around.items()],
            "lanes": [{"id": lane.id, "kind": lane.kind, "side": lane.side} for lane in self.lanes.values()],
            "sides": dict(self.board.sides),
        }


_KINDS: Final[tuple[Kind, ...]] = ("entrance", "inner", "exit")


def cross(around: tuple[str, ...], one: Path, other: Path) -> bool:
    """Whether two paths cross: their ends alternate around the intersection. A shared end lane is no crossing."""
    if set(one) & set(other):
        return False
    low, high = sorted(map(around.index, one))
    return sum(low < around.index(end) < high for end in other) == 1
