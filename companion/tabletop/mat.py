"""The mat: its corner codes and its zones.

Law: pure data. Lengths are millimeters; the origin is the mat's top left corner, x points right, y points down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from companion.tabletop.token_colors import TokenColors

Point = tuple[float, float]

CORNER_CODE_MM: Final = 25.0
CORNER_INSET_MM: Final = 22.0
"""The distance from the edges of a mat to the center of a corner code: half the code, its quiet zone and some blank
paper."""

CORNER_PREFIX: Final = "MAT-"
"""The prefix of the corner codes of all mats."""


@dataclass(frozen=True)
class Corner:
    """One of the four codes by which a camera locates the mat."""

    id: str
    center: Point
    code_mm: float


def corners(name: str, size: tuple[float, float]) -> tuple[Corner, Corner, Corner, Corner]:
    """The corner codes of a mat of this name and size, clockwise from the top left."""
    right, bottom = size[0] - CORNER_INSET_MM, size[1] - CORNER_INSET_MM
    return (
        Corner(f"{name}-1", (CORNER_INSET_MM, CORNER_INSET_MM), CORNER_CODE_MM),
        Corner(f"{name}-2", (right, CORNER_INSET_MM), CORNER_CODE_MM),
        Corner(f"{name}-3", (right, bottom), CORNER_CODE_MM),
        Corner(f"{name}-4", (CORNER_INSET_MM, bottom), CORNER_CODE_MM),
    )


@dataclass(frozen=True)
class Zone:
    """A named area of the mat.

    `order` is the order in which the components in the zone are listed: from the mat's top edge to its bottom edge
    ("down"), from left to right ("right"), or in no order ("any"). In a "pile", the components lie on top of each
    other, and only the top one is visible.
    """

    name: str
    title: str
    polygon: tuple[Point, ...]
    order: Literal["down", "right", "pile", "any"] = "down"
    secret: bool = False
    """Whether components that are shown to the camera here are hidden information. Phones never name them."""

    def holds(self, point: Point) -> bool:
        """Whether a point in mm lies inside the zone (even-odd rule)."""
        x, y = point
        (left, top), (right, bottom) = self._bounds
        if not (left <= x <= right and top <= y <= bottom):
            return False
        inside = False
        for (x0, y0), (x1, y1) in self._edges:
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                inside = not inside
        return inside

    def distance(self, point: Point) -> float:
        """The distance from a point to the zone, in mm; 0 inside the zone."""
        if self.holds(point):
            return 0.0
        return min(_distance_to_edge(point, start, end) for start, end in self._edges)

    @cached_property
    def middle(self) -> Point:
        """The middle of the zone: the average of its corners."""
        xs, ys = zip(*self.polygon, strict=True)
        return sum(xs) / len(xs), sum(ys) / len(ys)

    @cached_property
    def _bounds(self) -> tuple[Point, Point]:
        """The bounding box of the zone: its top left and bottom right corners."""
        xs, ys = zip(*self.polygon, strict=True)
        return (min(xs), min(ys)), (max(xs), max(ys))

    @cached_property
    def _edges(self) -> tuple[tuple[Point, Point], ...]:
        return tuple(zip(self.polygon, self.polygon[1:] + self.polygon[:1], strict=True))


def _extent(points: Iterable[Point]) -> Point:
    """The width and height of the bounding box of the points."""
    xs, ys = zip(*points, strict=True)
    return max(xs) - min(xs), max(ys) - min(ys)


def _distance_to_edge(point: Point, start: Point, end: Point) -> float:
    """The distance from a point to the line segment from `start` to `end`, in mm."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / (dx * dx + dy * dy or 1.0)
    part = min(1.0, max(0.0, along))
    return math.dist(point, (start[0] + part * dx, start[1] + part * dy))


@dataclass(frozen=True)
class Mat:
    """A game's mat. `corners` are listed clockwise from the top left."""

    size: tuple[float, float]
    corners: tuple[Corner, Corner, Corner, Corner]
    zones: tuple[Zone, ...]
    token_colors: TokenColors | None = None
    """The data that a camera needs to count the tokens on this mat; None if there is nothing to count."""

    @property
    def name(self) -> str:
        """The common prefix of the mat's corner codes: `MAT-SF` for `MAT-SF-1` to `MAT-SF-4`."""
        return self.corners[0].id.rpartition("-")[0]

    def zone_at(self, point: Point) -> str | None:
        """The name of the zone that contains a point in mm; None if no zone does."""
        return next((zone.name for zone in self.zones if zone.holds(point)), None)

    def zones_by_distance(self, point: Point) -> list[Zone]:
        """The zones, sorted by their distance from a point in mm, the nearest first."""
        return sorted(self.zones, key=lambda zone: zone.distance(point))

    def holds(self, point: Point) -> bool:
        """Whether a point in mm lies on the mat."""
        return 0 <= point[0] <= self.size[0] and 0 <= point[1] <= self.size[1]

    def drawn_at(self, point: Point, places: Mapping[str, Point]) -> Point:
        """The position in a drawing that corresponds to a point of the mat. `places`: where the drawing shows the
        middle of each zone. The position is relative to the nearest of these zones, and its distance from the zone fits
        the scale of the drawing."""
        middles = {zone.name: zone.middle for zone in self.zones if zone.name in places}
        nearest = min(middles, key=lambda name: math.dist(middles[name], point))
        scales = (_extent(places[name] for name in middles), _extent(middles.values()))
        return (
            places[nearest][0] + (point[0] - middles[nearest][0]) * scales[0][0] / (scales[1][0] or 1),
            places[nearest][1] + (point[1] - middles[nearest][1]) * scales[0][1] / (scales[1][1] or 1),
        )

    def zone(self, name: str) -> Zone:
        """The zone of that name. Raises KeyError if there is none."""
        for zone in self.zones:
            if zone.name == name:
                return zone
        raise KeyError(name)

    def to_json(self) -> dict[str, object]:
        """The JSON that `tablekeeper mat --json` prints."""
        return {
            "size_mm": list(self.size),
            "corners": [{"id": c.id, "center_mm": list(c.center), "code_mm": c.code_mm} for c in self.corners],
            "zones": [{"name": z.name, "polygon_mm": [list(p) for p in z.polygon]} for z in self.zones],
        }


def is_corner(code: str) -> bool:
    """Whether a code is a corner code of some mat."""
    return code.startswith(CORNER_PREFIX)


def rectangle(x: float, y: float, width: float, height: float) -> tuple[Point, ...]:
    """The polygon of an axis-aligned rectangle with its top left corner at (`x`, `y`)."""
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
