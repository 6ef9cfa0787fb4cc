"""The outlines of printed components, and which codes they hide.

Law: pure. Lengths are millimeters; x points right and y down, as seen with the component's top edge up.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from companion.tabletop.mat import Point

CODE_SAMPLES = tuple((across / 9, down / 9) for across in range(-4, 5) for down in range(-4, 5))
"""Sample points of a code, at which it is checked whether something covers the code: offsets from the code's center, in
units of its side length."""
MAX_COVERED_SHARE = 0.1
"""A code may be unreadable if more than this fraction of it is covered."""
CODE_MARGIN_MM = 4.0
"""A code may be unreadable if another component is nearer than this, because the camera sees both slightly out of
place."""


@dataclass(frozen=True)
class Outline:
    """The outline of a rectangular component, in mm. `size`: its width and height. `code_center`: the center of its
    code relative to the center of the component. `code_mm`: the side length of the code. The code is not rotated
    relative to the component."""

    size: tuple[float, float]
    code_center: Point = (0.0, 0.0)
    code_mm: float = 25.0

    @property
    def reach(self) -> float:
        """The distance from the center of the code to the farthest corner of the component."""
        (width, height), (x, y) = self.size, self.code_center
        return math.hypot(width / 2 + abs(x), height / 2 + abs(y))


@dataclass(frozen=True)
class PlacedOutline:
    """The outline of a component that lies on the mat. `center`: the position of the center of its code. `angle`: the
    component's rotation, in degrees clockwise."""

    outline: Outline
    center: Point
    angle: float

    def holds(self, point: Point) -> bool:
        """Whether the component covers a point of the mat."""
        x, y = _rotated((point[0] - self.center[0], point[1] - self.center[1]), -self.angle)
        (width, height), (code_x, code_y) = self.outline.size, self.outline.code_center
        return abs(x + code_x) <= width / 2 and abs(y + code_y) <= height / 2

    def corners(self, inset: float = 0.0) -> list[Point]:
        """The corners of the component on the mat, clockwise. `inset`: how far each edge is moved inwards, in mm."""
        (width, height), (code_x, code_y) = self.outline.size, self.outline.code_center
        across, down = max(0.0, width / 2 - inset), max(0.0, height / 2 - inset)
        corners = ((-across, -down), (across, -down), (across, down), (-across, down))
        turned = (_rotated((x - code_x, y - code_y), self.angle) for x, y in corners)
        return [(self.center[0] + x, self.center[1] + y) for x, y in turned]

    def is_hidden_by(self, others: Collection[PlacedOutline]) -> bool:
        """Whether `others`, which lie on top of this component, may hide its code."""
        return self._covered_share(others, self.outline.code_mm) > MAX_COVERED_SHARE

    def is_touched_by(self, others: Collection[PlacedOutline]) -> bool:
        """Whether `others`, which lie on top of this component, reach its code or come within CODE_MARGIN_MM of it."""
        return self._covered_share(others, self.outline.code_mm + 2 * CODE_MARGIN_MM) > 0

    def _covered_share(self, others: Collection[PlacedOutline], side: float) -> float:
        """The fraction of a square around the center of the code that other components cover. `side`: the side length
        of the square, in mm."""
        near = [each for each in others if math.dist(each.center, self.center) < each.outline.reach + side]
        if not near:
            return 0.0
        points = [_rotated((side * across, side * down), self.angle) for across, down in CODE_SAMPLES]
        on_mat = [(self.center[0] + x, self.center[1] + y) for x, y in points]
        return sum(any(each.holds(point) for each in near) for point in on_mat) / len(on_mat)


def _rotated(point: Point, degrees: float) -> Point:
    """A point rotated clockwise around the origin."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return point[0] * cos - point[1] * sin, point[0] * sin + point[1] * cos
