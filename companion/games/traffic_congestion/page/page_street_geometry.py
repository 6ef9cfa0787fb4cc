"""The drawing of a road network from above: where the lanes are on the page, and how signals curve through
intersections.

Law: pure. A point is a complex number in units of the drawing; x points right and y points down. A direction is a
complex number of length 1. Multiplied by `1j`, it points to the driver's right.
"""

from __future__ import annotations

from cmath import phase, rect
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import degrees, pi, sin, tan, tau
from typing import Final

from companion.games.traffic_congestion.board import CAPACITY, Board, Gate, Lane, Node, RoadNetwork, SignalPath, bearing
from companion.games.traffic_congestion.display_names import node_label
from companion.text.messages import TextLike

LANE: Final = 24.0
"""The width of a lane, in units of the drawing."""
STREET: Final = 128.0
"""The length of the shortest street between two intersections, in units of the drawing."""
GATE_STREET_SHARE: Final = 0.79
"""The fraction of a gate's street that is drawn. The street may be short, because no car waits in its exit."""
CORNER: Final = 3.0
"""The gap between the end of a lane and the corner of an intersection, in units of the drawing."""
TAP_WIDTH: Final = 46.5
"""The width of a lane's tap target, in units of the drawing. It is almost two lanes wide and extends beyond the curb,
because targets of less than 44 pixels are hard to hit. A unit is at least 0.95 pixels."""

LineSegment = tuple[complex, complex]
"""The two ends of a straight line."""


@dataclass(frozen=True)
class Strip:
    """A lane in the drawing. It is straight, from `tail` to `head`."""

    lane: Lane
    tail: complex
    head: complex
    """The middle of the stop line. For an exit, the point where the lane leaves the board."""

    @property
    def along(self) -> complex:
        """The direction in which cars drive, as a complex number of length 1."""
        return (self.head - self.tail) / abs(self.head - self.tail)

    @property
    def length(self) -> float:
        return abs(self.head - self.tail)

    @property
    def angle(self) -> float:
        """The direction in which cars drive, in degrees clockwise from the east."""
        return angle(self.along)

    @property
    def tilt(self) -> float:
        """The smallest rotation, in degrees, that makes the sides of an axis-aligned square parallel to the lane."""
        return (self.angle + 45) % 90 - 45

    @property
    def stop(self) -> LineSegment:
        """The two ends of the stop line."""
        aside = self.along * 1j * LANE * 0.42
        return self.head - aside, self.head + aside

    def place(self, number: int) -> complex:
        """The center of a car's place in the queue. `number` is the car's index in the queue. The head of the queue has
        index 0."""
        return self.head - self.along * self.length / CAPACITY * (number + 0.5)


@dataclass(frozen=True)
class Rect:
    """An axis-aligned rectangle in the drawing."""

    left: float
    top: float
    width: float
    height: float

    def __str__(self) -> str:
        """The rectangle as the value of an SVG `viewBox`."""
        return f"{self.left:.0f} {self.top:.0f} {self.width:.0f} {self.height:.0f}"

    def nearest(self, point: complex) -> complex:
        """The point in the rectangle that is nearest to a point."""
        x = min(max(point.real, self.left), self.left + self.width)
        return complex(x, min(max(point.imag, self.top), self.top + self.height))

    def place(self, point: complex) -> str:
        """The CSS that positions an element at a point of the drawing. The unit is percent of this rectangle's width
        and height."""
        left, top = (point.real - self.left) / self.width, (point.imag - self.top) / self.height
        return f"left:{left:.2%};top:{top:.2%}"


@dataclass(frozen=True)
class Arrow:
    """A signal in the drawing, as two SVG paths. `curve` leads from the end of a lane to the beginning of another, and
    `tip` is the arrowhead."""

    curve: str
    tip: str


@dataclass(frozen=True)
class Sign:
    """The name of an intersection or a gate, which is written next to the streets. `anchor` is the value of SVG's
    `text-anchor`."""

    name: TextLike
    at: complex
    anchor: str


@dataclass(frozen=True, eq=False)
class Streets:
    """The streets of a road network in the drawing."""

    network: RoadNetwork

    @cached_property
    def strips(self) -> dict[str, Strip]:
        """All lanes of the network as they are drawn, by lane id."""
        return {name: self._strip(lane) for name, lane in self.network.lanes.items()}

    @cached_property
    def box(self) -> Rect:
        """The bounding box of the drawing."""
        edges = [(self.at(name), self._margin(name)) for name in (*self._board.intersections, *self._board.gates)]
        left, top = min(p.real - r for p, r in edges), min(p.imag - r for p, r in edges)
        return Rect(left, top, max(p.real + r for p, r in edges) - left, max(p.imag + r for p, r in edges) - top)

    @cached_property
    def car_css(self) -> dict[tuple[str, int], str]:
        """The CSS that positions a car on the page, for each lane and each index in the lane's queue."""
        strips = self.strips.items()
        return {(name, n): self.box.place(strip.place(n)) for name, strip in strips for n in range(CAPACITY)}

    def at(self, name: str) -> complex:
        """The point where a node is drawn: the center of an intersection, or the outer end of a gate's shortened
        street."""
        here = self._point(self._board.node(name))
        if name not in self._board.gates:
            return here
        end = self._point(self._board.node(next(self._board.neighbors(name))))
        return end + (here - end) * GATE_STREET_SHARE

    def middle(self, one: str, other: str) -> LineSegment:
        """The line that separates the two lanes of the street between two nodes."""
        start, end = self.at(one), self.at(other)
        along = (end - start) / abs(end - start)
        return start + along * self._lane_end_distance(one), end - along * self._lane_end_distance(other)

    @cached_property
    def signs(self) -> tuple[Sign, ...]:
        """The name signs of all intersections and gates."""
        return tuple(self._sign(name) for name in (*self._board.intersections, *self._board.gates))

    def crop(self, intersection: str) -> Rect:
        """The square part of the drawing around an intersection."""
        middle, reach = self.at(intersection), self.setback(intersection) * 1.85
        return Rect(middle.real - reach, middle.imag - reach, 2 * reach, 2 * reach)

    def setback(self, intersection: str) -> float:
        """The distance from the middle of an intersection to the ends of its lanes. It is large enough that the lanes
        don't overlap."""
        return self._setbacks[intersection]

    @cached_property
    def arrows(self) -> dict[SignalPath, Arrow]:
        """The arrows of all possible signals, by the signal's path."""
        targets = self.network.signal_targets
        return {(lane, to): self._arrow((lane, to)) for lane in targets for to in targets[lane]}

    def _arrow(self, path: SignalPath) -> Arrow:
        """The drawing of a signal. Its curve is shallow, so that only paths that really cross seem to cross."""
        here, there = self.strips[path[0]], self.strips[path[1]]
        start, end = here.head, there.tail
        back = (here.along * there.along.conjugate()).real < -0.5
        bend = abs(end - start) * 0.62 if back else min(abs(end - start) * 0.4, LANE * 0.42)
        side = there.along * 1j * LANE * 0.2
        return Arrow(
            f"M{_svg_point(start - here.along * 4)} L{_svg_point(start)} "
            f"C{_svg_point(start + here.along * bend)} {_svg_point(end - there.along * bend)} {_svg_point(end)}",
            f"M{_svg_point(end - side)} L{_svg_point(end + there.along * LANE * 0.38)} L{_svg_point(end + side)}Z",
        )

    def turn(self, path: SignalPath) -> str:
        """The turn that a signal makes, from the driver's point of view: "left", "straight on", "right" or "back"."""
        turned = angle(self.strips[path[1]].along / self.strips[path[0]].along)
        if abs(turned) > 150:
            return "back"
        if abs(turned) < 30:
            return "straight on"
        return "right" if turned > 0 else "left"

    @property
    def _board(self) -> Board:
        return self.network.board

    def _point(self, node: Node) -> complex:
        return complex(node.x, node.y) * self._units_per_coordinate

    @cached_property
    def _units_per_coordinate(self) -> float:
        """The number of units of the drawing for each unit of the coordinates in the board file."""
        node, gates = self._board.node, self._board.gates
        ends = [(node(one), node(other)) for one, other in self._board.streets]
        inner = [pair for pair in ends if not any(end.id in gates for end in pair)]
        return STREET / min(abs(complex(one.x - other.x, one.y - other.y)) for one, other in inner or ends)

    @cached_property
    def _setbacks(self) -> dict[str, float]:
        return {name: self._clear_distance(name) for name in self._board.intersections}

    def _clear_distance(self, intersection: str) -> float:
        """The distance from an intersection at which its lanes no longer overlap, even in the narrowest corner. It is
        at most 40 % of the length of the shortest street at the intersection."""
        here = self._board.node(intersection)
        others = [self._board.node(other) for other in self._board.clockwise(intersection)]
        bearings = [bearing(here, other) for other in others]
        narrowest = min(later - earlier for earlier, later in pairwise([*bearings, bearings[0] + 2 * pi]))
        shortest = min(abs(self.at(other.id) - self.at(intersection)) for other in others)
        return min(max(LANE / tan(min(narrowest, pi / 2) / 2), LANE) + CORNER, 0.4 * shortest)

    def _margin(self, name: str) -> float:
        return CORNER if isinstance(self._board.node(name), Gate) else self.setback(name) + LANE / 2

    def _sign(self, name: str) -> Sign:
        """The name of an intersection or a gate, with a point for it next to the streets."""
        board, here = self.network.board, self.at(name)
        if name in board.gates:
            inward = self.strips[f"{name}>{next(board.neighbors(name))}"].along
            aside = inward * 1j * (1 if self.network.driving_side == "right" else -1)
            at = here + inward * LANE * 0.5 + aside * (LANE + 4 + 6 * abs(aside.imag))
            return Sign(node_label(name), at, _text_anchor(aside if abs(aside.real) > 0.5 else inward))
        bearings = [phase(self.at(other) - here) for other in board.clockwise(name)]
        corners = [
            here + rect(LANE / sin(min((later - earlier) % tau, pi) / 2) + 12, earlier + (later - earlier) % tau / 2)
            for earlier, later in pairwise([*bearings, bearings[0]])
        ]
        return Sign(node_label(name), min(corners, key=lambda corner: corner.real + corner.imag), "middle")

    def _lane_end_distance(self, name: str) -> float:
        """The distance from a node at which its lanes begin and end. 0 for a gate."""
        return self.setback(name) if name in self._board.intersections else 0

    def _strip(self, lane: Lane) -> Strip:
        start, end = self.at(lane.start), self.at(lane.end)
        along = (end - start) / abs(end - start)
        aside = along * 1j * LANE / 2 * (1 if self.network.driving_side == "right" else -1)
        tail = start + along * self._lane_end_distance(lane.start)
        head = end - along * self._lane_end_distance(lane.end)
        return Strip(lane, tail + aside, head + aside)


def _text_anchor(outward: complex) -> str:
    """The value of `text-anchor` that makes a text extend away from the street. `outward` is the direction away from
    the street."""
    return "start" if outward.real > 0 else "end"


def angle(direction: complex) -> float:
    """The angle of a direction, in degrees clockwise from the east, from -180 to 180."""
    return degrees(phase(direction))


def _svg_point(point: complex) -> str:
    return f"{point.real:.1f},{point.imag:.1f}"
