"""The boards of Traffic Congestion, and the road networks that follow from them.

Law: pure. A board says where intersections and gates are and which streets connect them. Together with the side on
which cars drive, this determines everything else: the lanes, their order around an intersection, and the paths that
cross there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import atan2, tau
from typing import Final, Literal

DrivingSide = Literal["right", "left"]
LaneKind = Literal["entrance", "inner", "exit"]
SignalPath = tuple[str, str]
"""The path of a signal: the lane at whose end the signal stands, and the lane to which it points."""

COLORS: Final = ("blue", "red", "yellow", "green")
"""The colors of cars. By default, seats take them in this order."""

CAPACITY: Final = 5
"""The maximum number of cars in a lane. Exits never fill up, because cars leave them at once."""


@dataclass(frozen=True)
class Node:
    """An intersection or a gate. `x` increases to the east, `y` to the south."""

    id: str
    x: int
    y: int


@dataclass(frozen=True)
class Gate(Node):
    """A gate, where a street ends at the edge of the board. `side`: the side of the board on which the gate is."""

    side: str


@dataclass(frozen=True)
class Board:
    """A board as its file describes it. A street connects two nodes and has one lane in each direction."""

    name: str
    intersections: Mapping[str, Node] = field(hash=False)
    gates: Mapping[str, Gate] = field(hash=False)
    streets: tuple[tuple[str, str], ...]
    sides: Mapping[str, str] = field(hash=False)
    """Maps each color to the side on which its cars must leave to score."""

    def node(self, name: str) -> Node:
        """The intersection or gate with this name. Raises KeyError if there is none."""
        return self.gates.get(name) or self.intersections[name]

    def neighbors(self, name: str) -> Iterator[str]:
        """Yields the nodes at the other ends of a node's streets."""
        for one, other in self.streets:
            if name in (one, other):
                yield other if name == one else one

    def clockwise(self, name: str) -> tuple[str, ...]:
        """The neighbors of an intersection in clockwise order, starting from the north."""
        here = self.node(name)
        return tuple(sorted(self.neighbors(name), key=lambda other: bearing(here, self.node(other))))


def bearing(here: Node, there: Node) -> float:
    """The compass bearing from one node to another, in radians: 0 is north, tau / 4 is east."""
    return atan2(there.x - here.x, here.y - there.y) % tau


@dataclass(frozen=True)
class Lane:
    """One direction of a street, from one node to another."""

    start: str
    end: str
    kind: LaneKind
    side: str | None
    """The side of the board on which the lane's gate is. None for a lane between intersections."""

    @property
    def id(self) -> str:
        """The lane's id: "A>B" for the lane from A to B."""
        return f"{self.start}>{self.end}"


@dataclass(frozen=True, repr=False)
class RoadNetwork:
    """The lanes of a board, and what follows from them. `driving_side`: the side on which cars drive. `u_turns`:
    whether signals may make U-turns. Each property is computed only once, when it is first used."""

    board: Board
    driving_side: DrivingSide = "right"
    u_turns: bool = True

    @cached_property
    def lanes(self) -> Mapping[str, Lane]:
        """All lanes by id: first the entrances, then the inner lanes, then the exits."""
        both_ways = chain.from_iterable(((one, other), (other, one)) for one, other in self.board.streets)
        lanes = sorted((self._lane(*ends) for ends in both_ways), key=lambda lane: _LANE_KINDS.index(lane.kind))
        return {lane.id: lane for lane in lanes}

    def _lane(self, start: str, end: str) -> Lane:
        gates = self.board.gates
        if start in gates:
            return Lane(start, end, "entrance", gates[start].side)
        if end in gates:
            return Lane(start, end, "exit", gates[end].side)
        return Lane(start, end, "inner", None)

    @cached_property
    def lane_ends(self) -> Mapping[str, tuple[str, ...]]:
        """Maps each intersection to the lanes that begin or end there, clockwise from the north.

        The two lanes of a street are adjacent in this order. If cars drive on the right, the incoming lane comes first.
        If they drive on the left, the outgoing lane comes first.
        """
        return {name: tuple(self._lane_ends_at(name)) for name in self.board.intersections}

    def _lane_ends_at(self, here: str) -> Iterator[str]:
        for other in self.board.clockwise(here):
            ends = (f"{other}>{here}", f"{here}>{other}")
            yield from ends if self.driving_side == "right" else reversed(ends)

    @cached_property
    def signal_targets(self) -> Mapping[str, tuple[str, ...]]:
        """Maps each lane that is not an exit to the lanes to which its signal may point, clockwise from the north."""
        return {
            name: tuple(f"{lane.end}>{to}" for to in self.board.clockwise(lane.end) if self.u_turns or to != lane.start)
            for name, lane in self.lanes.items()
            if lane.kind != "exit"
        }

    @cached_property
    def crossing_paths(self) -> Mapping[SignalPath, tuple[SignalPath, ...]]:
        """Maps each possible path of a signal to the paths that cross it, in alphabetical order."""
        crossings: dict[SignalPath, tuple[SignalPath, ...]] = {}
        for here, ends in self.lane_ends.items():
            lanes = sorted(lane for lane in ends if self.lanes[lane].end == here)
            paths = [(lane, to) for lane in lanes for to in sorted(self.signal_targets[lane])]
            crossings |= {path: tuple(other for other in paths if paths_cross(ends, path, other)) for path in paths}
        return crossings

    @cached_property
    def entrances(self) -> tuple[str, ...]:
        """The ids of all entrances, which are the lanes that lead onto the board."""
        return tuple(name for name, lane in self.lanes.items() if lane.kind == "entrance")

    @cached_property
    def scoring_colors(self) -> Mapping[str, frozenset[str]]:
        """Maps each exit to the colors whose cars score there."""
        sides = self.board.sides
        return {
            name: frozenset(color for color, side in sides.items() if side == lane.side)
            for name, lane in self.lanes.items()
            if lane.kind == "exit"
        }

    @cached_property
    def steps_home(self) -> Mapping[str, Mapping[str, int]]:
        """For each color and each lane from which a car of this color can get home, the smallest number of Go moves
        needed to get it there. The number is 0 for the exits where the color scores. All other exits are left out.
        Assumes that U-turns are allowed."""
        return {color: dict(self._steps_home(color)) for color in COLORS}

    def _steps_home(self, color: str) -> Iterator[tuple[str, int]]:
        """Yields each lane with its number of steps, found by a breadth-first search backward from the color's
        exits."""
        unreached = {name: lane.end for name, lane in self.lanes.items() if lane.kind != "exit"}
        reached, steps = {name for name, colors in self.scoring_colors.items() if color in colors}, 0
        while reached:
            yield from ((name, steps) for name in reached)
            starts, steps = {self.lanes[name].start for name in reached}, steps + 1
            reached = {name for name, end in unreached.items() if end in starts}
            unreached = {name: end for name, end in unreached.items() if name not in reached}

    def to_json(self) -> dict[str, object]:
        """The network as JSON, in the form that `tablekeeper board grid-2x2 --json` prints."""
        return {
            "name": self.board.name,
            "intersections": [{"id": name, "around": list(ends)} for name, ends in self.lane_ends.items()],
            "lanes": [{"id": lane.id, "kind": lane.kind, "side": lane.side} for lane in self.lanes.values()],
            "sides": dict(self.board.sides),
        }


_LANE_KINDS: Final[tuple[LaneKind, ...]] = ("entrance", "inner", "exit")


def paths_cross(ends: tuple[str, ...], one: SignalPath, other: SignalPath) -> bool:
    """Whether the paths of two signals cross at an intersection. `ends` are the lanes that begin or end there,
    clockwise. Two paths cross if their lanes alternate around the intersection. Paths that share a lane don't cross."""
    if set(one) & set(other):
        return False
    low, high = sorted(map(ends.index, one))
    return sum(low < ends.index(end) < high for end in other) == 1
