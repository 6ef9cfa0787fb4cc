"""Where a board's streets lie on its mat.

Law: pure geometry, millimetres, origin at the mat's top left corner, x right, y down; angles are degrees clockwise from
the mat's top, as a compass has them. A street is two lanes wide; where it meets an intersection stands a stop line,
and the square of a lane's width beyond it is for the lane's signal. Between the lines there is room for five cars.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

from companion.games.traffic_congestion.board import CAPACITY, Lane, Roads
from companion.tabletop.mat import Point

SIZE: Final = (608.0, 342.0)
"""16:9, so that it fills a camera's picture."""
WIDEST: Final = 35.0
"""A lane is this wide where the board has room."""
CAR: Final = 8.0
"""The side of a cube that stands for a car."""
PITCH: Final = 8.4
"""From car to car in a file, at least; where there is less room they stand two abreast."""
STONE: Final = 4.0
"""About the side of a square of the pavement: half a car's, so that no car hides one and shows none beside it."""
ROOM: Final = 27.0
"""The least length for five cars, two abreast."""
SIGN: Final = 12.0
"""The depth of the sign at the outer end of a street."""
BAND: Final = 40.0
"""What streets leave free at the left and the right, for the corner codes and the scores."""
INSETS: Final = ((46.0, 3.0), (80.0, 42.0))
"""From the mat's edges to the outermost gates, across and down: the first that keeps all streets within."""


@dataclass(frozen=True)
class Stretch:
    """A lane on the mat: the middle of its stop line (of an exit: its outer end), the way one drives, how far cars can
    queue back, and how wide it is."""

    lane: Lane
    stop: Point
    degrees: float
    length: float
    width: float
    inner: int
    """On which side is the oncoming lane: 1 to the right, -1 to the left."""

    def at(self, back: float, right: float = 0.0) -> Point:
        """A point so far behind the stop line, and so far to the right of the lane's middle, as one drives."""
        ahead = math.radians(self.degrees)
        dx, dy = math.sin(ahead), -math.cos(ahead)
        return self.stop[0] - dx * back - dy * right, self.stop[1] - dy * back + dx * right

    def area(self, back: float, length: float) -> tuple[Point, ...]:
        """The rectangle across the lane that begins so far behind the stop line."""
        return self._piece(back, -self.width / 2, length, self.width)

    def _piece(self, back: float, right: float, length: float, width: float) -> tuple[Point, ...]:
        """A rectangle of the lane, by the corner that is next to the stop line and farthest to the left."""
        return (
            self.at(back, right),
            self.at(back, right + width),
            self.at(back + length, right + width),
            self.at(back + length, right),
        )

    @property
    def signal(self) -> tuple[Point, ...]:
        """The square beyond the stop line."""
        return self.area(-self.width, self.width)

    @property
    def cars(self) -> tuple[Point, ...]:
        """Where the cars queue."""
        return self.area(0.0, self.length)

    @property
    def in_file(self) -> bool:
        """Whether five cars can stand one behind the other."""
        return self.length >= CAPACITY * PITCH

    @property
    def queue(self) -> tuple[Point, ...]:
        """How far behind the stop line and to the right of the lane's middle each car stands, the first at the line:
        in file, or else two abreast."""
        if self.in_file:
            pitch = min(self.length / CAPACITY, CAR * 1.5)
            return tuple(((n + 0.5) * pitch, 0.0) for n in range(CAPACITY))
        row, aside = self.length / 3, self.width / 4
        return ((row / 2, 0.0), *((row * (n + 0.5), side) for n in (1, 2) for side in (aside, -aside)))

    @property
    def paving(self) -> tuple[tuple[Point, ...], ...]:
        """The light squares of a chequered pavement where the cars queue. The queue's places lie between columns, so
        that what marks them hides no square."""
        rows, columns = max(1, round(self.length / STONE)), 4 * max(1, round(self.width / STONE / 4))
        deep, wide = self.length / rows, self.width / columns
        return tuple(
            self._piece(row * deep, column * wide - self.width / 2, deep, wide)
            for row in range(rows)
            for column in range(row % 2, columns, 2)
        )


@dataclass(frozen=True)
class Plan:
    """A board with its traffic rules, laid out on the mat."""

    roads: Roads
    inset: Point
    width: float
    """Of a lane."""

    @cached_property
    def spots(self) -> Mapping[str, Point]:
        """The places of intersections and gates."""
        return _spots(self.roads, self.inset)

    def bearing(self, here: str, there: str) -> float:
        """The direction from one spot to another, degrees."""
        return _bearing(self.spots[here], self.spots[there])

    @cached_property
    def stretches(self) -> Mapping[str, Stretch]:
        """Every lane, by its name."""
        return {name: self._stretch(lane) for name, lane in self.roads.lanes.items()}

    def _stretch(self, lane: Lane) -> Stretch:
        here, there = self.spots[lane.start], self.spots[lane.end]
        before, after = self._reach(lane.start, lane.end), self._reach(lane.end, lane.start)
        inner = -1 if self.roads.driving == "right" else 1
        middle = Stretch(lane, there, _bearing(here, there), math.dist(here, there), self.width, inner)
        stop = middle.at(after, -inner * self.width / 2)
        return replace(middle, stop=stop, length=middle.length - before - after)

    def _reach(self, spot: str, other: str) -> float:
        """How far the street to another spot is not for cars: to the stop line, or under the sign."""
        return SIGN if spot in self.roads.board.gates else self.width * _spread(self.roads, self.spots, spot, other)

    def footprint(self, one: str, other: str) -> tuple[Point, ...]:
        """The whole street between two spots."""
        here, there = self.spots[one], self.spots[other]
        length = math.dist(here, there)
        lane = self.roads.lanes[f"{one}>{other}"]
        return Stretch(lane, there, _bearing(here, there), length, 2 * self.width, 0).cars


def plan(roads: Roads) -> Plan:
    """The board as large as the mat allows."""
    plans = [Plan(roads, inset, _width(roads, inset)) for inset in INSETS]
    return next((each for each in plans if _within(each)), plans[-1])


def _within(plan: Plan) -> bool:
    corners = [corner for street in plan.roads.board.streets for corner in plan.footprint(*street)]
    return all(BAND <= x <= SIZE[0] - BAND and 0 <= y <= SIZE[1] for x, y in corners)


def _spots(roads: Roads, inset: Point) -> Mapping[str, Point]:
    board = roads.board
    spots = {**board.intersections, **board.gates}
    across = _scale([spot.x for spot in spots.values()], inset[0], SIZE[0] - inset[0])
    down = _scale([spot.y for spot in spots.values()], inset[1], SIZE[1] - inset[1])
    return {name: (across[spot.x], down[spot.y]) for name, spot in spots.items()}


def _scale(values: list[int], low: float, high: float) -> Mapping[int, float]:
    """The values spread from one number to another; in the middle if there is but one."""
    first, last = min(values), max(values)
    if first == last:
        return {first: (low + high) / 2}
    return {value: low + (value - first) * (high - low) / (last - first) for value in values}


def _bearing(here: Point, there: Point) -> float:
    return math.degrees(math.atan2(there[0] - here[0], here[1] - there[1])) % 360


def _spread(roads: Roads, spots: Mapping[str, Point], here: str, other: str) -> float:
    """How far from an intersection a street to another spot is clear of its neighbours, in widths of a lane."""
    bearings = sorted(_bearing(spots[here], spots[there]) for there in roads.board.neighbours(here))
    around = [bearings[-1] - 360, *bearings, bearings[0] + 360]
    own = bearings.index(_bearing(spots[here], spots[other])) + 1
    gap = min(after - before for before, after in pairwise(around[own - 1 : own + 2]))
    return max(1.0, 1 / math.tan(math.radians(min(gap, 180) / 2)))


def _width(roads: Roads, inset: Point) -> float:
    """The width of a lane at which each street still has room for its cars; it may come to nothing."""
    return max(1.0, min([WIDEST, *_widths(roads, _spots(roads, inset))]))


def _widths(roads: Roads, spots: Mapping[str, Point]) -> Iterator[float]:
    gates = roads.board.gates
    for one, other in roads.board.streets:
        ends = [(one, other), (other, one)]
        signs = sum(SIGN for end, _ in ends if end in gates)
        spreads = sum(_spread(roads, spots, end, far) for end, far in ends if end not in gates)
        yield (math.dist(spots[one], spots[other]) - signs - ROOM) / spreads
