"""The corners of polygons and stars.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

from companion.drawing.canvas import Point


def points_around(radii: Sequence[float], turn: float = 90.0) -> list[Point]:
    """Points around the origin, one for each of the `radii`, with equal angles between them. The first is at the angle
    `turn`; angles are degrees counterclockwise from the right."""
    angles = [radians(turn + 360 * n / len(radii)) for n in range(len(radii))]
    return [(radius * cos(angle), radius * sin(angle)) for radius, angle in zip(radii, angles, strict=True)]
