"""The geometry of a board's streets on its mat.

Law: pure. Lengths are in millimeters. The origin is the mat's top left corner; x points right and y points down. Angles
are in degrees, clockwise from the mat's top, like compass bearings.

A street is two lanes wide. A lane ends at a stop line. Just beyond this line is the place for the lane's signal, a
square as wide as the lane. Behind the line, there is room for five cars.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from companion.games.traffic_congestion.board import CAPACITY, Lane, RoadNetwork
from companion.tabletop.mat import Point

SIZE: Final = (608.0, 342.0)
"""The width and height of the mat, in mm. The mat is 16:9, so that it fills a camera's picture."""
MAX_LANE_WIDTH_MM: Final = 35.0
CAR_MM: Final = 8.0
"""The side of a cube that represents a car."""
MIN_CAR_PITCH_MM: Final = 8.4
"""The minimum distance between the middles of two cars in single file. If there is less room, cars stand two
abreast."""
PAVING_SQUARE_MM: Final = 4.0
"""The approximate side of a square in the pavement. It is half the side of a car, so that a car never covers exactly
one square."""
MIN_QUEUE_MM: Final = 27.0
"""The minimum length of a queue area. It has room for five cars, two abreast."""
SIGN_DEPTH_MM: Final = 12.0
"""The depth of the sign at the outer end of a street."""
SIDE_MARGIN_MM: Final = 40.0
"""The width of the strips at the left and right edges that are kept free of streets, for the corner codes and the
scores."""
GATE_INSETS_MM: Final = ((46.0, 3.0), (80.0, 42.0))
"""Pairs of a horizontal and a vertical distance from the mat's edges to the outermost gates. `street_plan` uses the
first pair with which all streets stay within the margins."""


@dataclass(frozen=True)
class LaneGeometry:
    """The position, direction and size of a lane on the mat."""

    lane: Lane
    stop: Point
    """The middle of the lane's stop line. For an exit, the middle of its outer end."""
    heading: float
    """The direction in which cars drive, in degrees clockwise from the mat's top."""
    length: float
    """The length of the part of the lane, behind the stop line, in which cars can queue."""
    width: float
    oncoming_side: int
    """The side of the oncoming lane, as a driver sees it: 1 for right, -1 for left."""

    def point(self, back: float, right: float = 0.0) -> Point:
        """The point `back` mm behind the stop line and `right` mm to the right of the lane's middle, as a driver sees
        it."""
        ahead = math.radians(self.heading)
        dx, dy = math.sin(ahead), -math.cos(ahead)
        return self.stop[0] - dx * back - dy * right, self.stop[1] - dy * back + dx * right

    def area(self, back: float, length: float) -> tuple[Point, ...]:
        """The corners of a rectangle that is as wide as the lane, is `length` mm long, and begins `back` mm behind the
        stop line."""
        return self._rectangle(back, -self.width / 2, length, self.width)

    def _rectangle(self, back: float, right: float, length: float, width: float) -> tuple[Point, ...]:
        """The corners of a rectangle whose front left corner is `point(back, right)`."""
        return (
            self.point(back, right),
            self.point(back, right + width),
            self.point(back + length, right + width),
            self.point(back + length, right),
        )

    @property
    def signal_area(self) -> tuple[Point, ...]:
        """The corners of the square for the lane's signal, which is just beyond the stop line."""
        return self.area(-self.width, self.width)

    @property
    def queue_area(self) -> tuple[Point, ...]:
        """The corners of the rectangle in which cars queue."""
        return self.area(0.0, self.length)

    @property
    def is_single_file(self) -> bool:
        """Whether the lane has room for five cars in single file."""
        return self.length >= CAPACITY * MIN_CAR_PITCH_MM

    @property
    def car_offsets(self) -> tuple[Point, ...]:
        """The places of the cars in a full queue, beginning at the stop line. For each car: the distance from the stop
        line to the middle of the car, and the distance of the car to the right of the lane's middle, both in mm."""
        if self.is_single_file:
            pitch = min(self.length / CAPACITY, CAR_MM * 1.5)
            return tuple(((n + 0.5) * pitch, 0.0) for n in range(CAPACITY))
        row, aside = self.length / 3, self.width / 4
        return ((row / 2, 0.0), *((row * (n + 0.5), side) for n in (1, 2) for side in (aside, -aside)))

    @property
    def pavement(self) -> tuple[tuple[Point, ...], ...]:
        """The corners of each light square of the checkered pavement on which cars queue. The number of columns is a
        multiple of four, so the small sign printed at each car's place lies on the border of two columns and hides no
        square."""
        rows, columns = (
            max(1, round(self.length / PAVING_SQUARE_MM)),
            4 * max(1, round(self.width / PAVING_SQUARE_MM / 4)),
        )
        deep, wide = self.length / rows, self.width / columns
        return tuple(
            self._rectangle(row * deep, column * wide - self.width / 2, deep, wide)
            for row in range(rows)
            for column in range(row % 2, columns, 2)
        )


@dataclass(frozen=True)
class StreetPlan:
    """The streets of a road network on the mat."""

    network: RoadNetwork
    inset: Point
    """The horizontal and the vertical distance from the mat's edges to the outermost gates."""
    lane_width: float

    @cached_property
    def nodes(self) -> Mapping[str, Point]:
        """The points of intersections and gates, by name."""
        return _node_points(self.network, self.inset)

    def bearing(self, here: str, there: str) -> float:
        """The direction from one node to another, in degrees clockwise from the mat's top."""
        return _bearing(self.nodes[here], self.nodes[there])

    @cached_property
    def lanes(self) -> Mapping[str, LaneGeometry]:
        """All lanes, by id."""
        return {name: self._lane_geometry(lane) for name, lane in self.network.lanes.items()}

    def _lane_geometry(self, lane: Lane) -> LaneGeometry:
        here, there = self.nodes[lane.start], self.nodes[lane.end]
        start_setback, end_setback = self._setback(lane.start, lane.end), self._setback(lane.end, lane.start)
        oncoming_side = -1 if self.network.driving_side == "right" else 1
        middle = LaneGeometry(
            lane, there, _bearing(here, there), math.dist(here, there), self.lane_width, oncoming_side
        )
        stop = middle.point(end_setback, -oncoming_side * self.lane_width / 2)
        return replace(middle, stop=stop, length=middle.length - start_setback - end_setback)

    def _setback(self, node: str, other: str) -> float:
        """The length, in mm, of the part of a street next to `node` where no car may stand. At an intersection, this
        part ends at the stop line. At a gate, it is as long as the gate's sign. `other` is the node at the other end of
        the street."""
        if node in self.network.board.gates:
            return SIGN_DEPTH_MM
        return self.lane_width * _setback_in_lane_widths(self.network, self.nodes, node, other)

    def street_area(self, one: str, other: str) -> tuple[Point, ...]:
        """The corners of the whole street between two nodes."""
        here, there = self.nodes[one], self.nodes[other]
        length = math.dist(here, there)
        lane = self.network.lanes[f"{one}>{other}"]
        return LaneGeometry(lane, there, _bearing(here, there), length, 2 * self.lane_width, 0).queue_area


@lru_cache(maxsize=16)  # cached, because every layout needs the plan; limited, because hosts may draw many boards
def street_plan(network: RoadNetwork) -> StreetPlan:
    """The plan of a network's streets, as large as the mat allows."""
    plans = [StreetPlan(network, inset, _lane_width(network, inset)) for inset in GATE_INSETS_MM]
    return next((plan for plan in plans if _is_within_margins(plan)), plans[-1])


def _is_within_margins(plan: StreetPlan) -> bool:
    corners = [corner for street in plan.network.board.streets for corner in plan.street_area(*street)]
    return all(SIDE_MARGIN_MM <= x <= SIZE[0] - SIDE_MARGIN_MM and 0 <= y <= SIZE[1] for x, y in corners)


def _node_points(network: RoadNetwork, inset: Point) -> Mapping[str, Point]:
    board = network.board
    nodes = {**board.intersections, **board.gates}
    across = _scaled_to_range([node.x for node in nodes.values()], inset[0], SIZE[0] - inset[0])
    down = _scaled_to_range([node.y for node in nodes.values()], inset[1], SIZE[1] - inset[1])
    return {name: (across[node.x], down[node.y]) for name, node in nodes.items()}


def _scaled_to_range(values: list[int], low: float, high: float) -> Mapping[int, float]:
    """Maps each value to its position when the range of the values is scaled to the range from `low` to `high`. If all
    values are equal, the position is the middle."""
    first, last = min(values), max(values)
    if first == last:
        return {first: (low + high) / 2}
    return {value: low + (value - first) * (high - low) / (last - first) for value in values}


def _bearing(here: Point, there: Point) -> float:
    return math.degrees(math.atan2(there[0] - here[0], here[1] - there[1])) % 360


def _setback_in_lane_widths(network: RoadNetwork, nodes: Mapping[str, Point], here: str, other: str) -> float:
    """The distance from an intersection at which its street to `other` no longer overlaps the neighboring streets, in
    lane widths."""
    bearings = sorted(_bearing(nodes[here], nodes[there]) for there in network.board.neighbors(here))
    circle = [bearings[-1] - 360, *bearings, bearings[0] + 360]
    own = bearings.index(_bearing(nodes[here], nodes[other])) + 1
    gap = min(after - before for before, after in pairwise(circle[own - 1 : own + 2]))
    return max(1.0, 1 / math.tan(math.radians(min(gap, 180) / 2)))


def _lane_width(network: RoadNetwork, inset: Point) -> float:
    """The largest lane width at which every street has room for its cars, in mm. At least 1, even if there is no
    room."""
    return max(1.0, min([MAX_LANE_WIDTH_MM, *_max_lane_widths(network, _node_points(network, inset))]))


def _max_lane_widths(network: RoadNetwork, nodes: Mapping[str, Point]) -> Iterator[float]:
    """Yields, for each street, the largest lane width that leaves room for the shortest queue, in mm."""
    gates = network.board.gates
    for one, other in network.board.streets:
        ends = [(one, other), (other, one)]
        signs = sum(SIGN_DEPTH_MM for end, _ in ends if end in gates)
        setbacks = sum(_setback_in_lane_widths(network, nodes, end, far) for end, far in ends if end not in gates)
        yield (math.dist(nodes[one], nodes[other]) - signs - MIN_QUEUE_MM) / setbacks
