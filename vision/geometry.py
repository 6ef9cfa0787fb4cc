"""What a picture is made of, and what is found in it: points, boxes, codes.

Law: pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
"""A picture, height x width."""
Points = NDArray[np.float64]
"""n x 2, pixels; the centre of the top left pixel is (0, 0)."""
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the last two excluded."""


TWICE = 1.5
"""What is so much larger is not the same code."""


@dataclass(frozen=True, eq=False)
class Code:
    """A code that was read. `id` is None unless it is one of the known things'.

    `corners` are those of its modules in the code's own order: top left, top right, bottom right, bottom left.
    `proof` is 1 for a code whose errors were corrected; for others see `vision/decoding/template_match.py`.
    """

    id: str | None
    text: str
    corners: Points
    proof: float = 1.0

    @cached_property
    def middle(self) -> Points:
        """Where the diagonals cross: the middle of the printed code, also when it is seen at a slant."""
        return crossing(self.corners)

    @cached_property
    def angle(self) -> float:
        """Of the top edge, degrees clockwise in the picture, -180 to 180."""
        edge = self.corners[1] - self.corners[0]
        return math.degrees(math.atan2(edge[1], edge[0]))

    @cached_property
    def mean(self) -> tuple[float, float]:
        """Of the corners; cheaper than the middle."""
        return float(self.corners[:, 0].sum()) / 4, float(self.corners[:, 1].sum()) / 4

    @cached_property
    def side_px(self) -> float:
        """Mean length of an edge."""
        points = self.corners.tolist()
        return sum(math.dist(a, b) for a, b in pairwise([*points, points[0]])) / 4


def clip(box: Box, shape: tuple[int, ...]) -> Box:
    """The part of the box that lies in a picture of that shape (height, width, …)."""
    height, width = shape[:2]
    return max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)


def distinct(codes: Iterable[Code]) -> list[Code]:
    """Without the shapes that no printed code has, what lies inside one of our codes, and what is listed twice.

    zxing-cpp 3 sometimes reads a second, bogus code from the pixels of a true one (its issue 1162). Others print codes
    within codes on purpose.
    """
    listed = sorted(codes, key=lambda code: (code.id is None, -code.proof))
    if not listed:
        return []
    quads = quads_of(listed)
    good = square_enough(quads)
    sides, middles = sides_of(quads), quads.mean(1)
    apart = np.hypot(*(middles[:, None] - middles[None]).transpose(2, 0, 1))
    larger, smaller = np.maximum(sides[:, None], sides[None]), np.minimum(sides[:, None], sides[None])
    ours = np.array([code.id is not None for code in listed], bool)
    alike = ours[:, None] | ours[None] | (larger < TWICE * smaller)
    same = (apart < 0.6 * larger) & alike & good[:, None] & good[None]
    for n in np.flatnonzero(same.sum(1) > 1):
        good[n] &= not (same[n, :n] & good[:n]).any()
    return [code for code, kept in zip(listed, good, strict=True) if kept]


def quads_of(codes: Sequence[Code]) -> NDArray[np.float64]:
    """The corners of them all: n x 4 x 2."""
    return np.array([code.corners for code in codes], float).reshape(-1, 4, 2)


def sides_of(quads: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean length of the edges of each."""
    edges = np.roll(quads, -1, 1) - quads
    return np.asarray(np.hypot(edges[..., 0], edges[..., 1]).mean(1))


def square_enough(quads: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Of each whether it is convex, at least 12 px wide, and no edge more than 2.5 times as long as another."""
    edges = np.roll(quads, -1, 1) - quads
    after = np.roll(edges, -1, 1)
    convex = (edges[..., 0] * after[..., 1] > edges[..., 1] * after[..., 0]).all(1)
    lengths = np.hypot(edges[..., 0], edges[..., 1])
    return np.asarray(convex & (lengths.min(1) >= 12) & (lengths.max(1) <= 2.5 * lengths.min(1)))


def grown(corners: Points, factor: float) -> Points:
    """The quadrilateral enlarged about its middle."""
    middle = corners.mean(0)
    return np.asarray((corners - middle) * factor + middle)


def crossing(corners: Points) -> Points:
    """Where the diagonals of a quadrilateral cross; its mean where they are parallel."""
    a, b, c, d = corners
    across, other = c - a, d - b
    area = across[0] * other[1] - across[1] * other[0]
    if abs(area) < 1e-9:
        return np.asarray(corners.mean(0))
    share = ((b - a)[0] * other[1] - (b - a)[1] * other[0]) / area
    return np.asarray(a + across * share)
