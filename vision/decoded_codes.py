"""The codes that were read in an image: where they are, and which of several readings of one code to keep.

Law: pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT_CORNERS, Points, Quads, centroids, diagonal_intersection, mean_side_lengths

MIN_EDGE_PX = 12
"""A code with a shorter edge has less than 0.6 px per module and can't be read."""
MAX_EDGE_RATIO = 2.5
"""The longest edge of a readable code is at most this many times as long as its shortest edge, in any perspective."""
MAX_OVERLAP_DISTANCE_SIDES = 0.6
"""Two codes overlap if the distance between their centers is less than this share of the larger code's side."""
MAX_DUPLICATE_SIZE_RATIO = 1.5
"""Two foreign codes that overlap are nested, not duplicates, if their sizes differ by more than this factor."""


Choose = Callable[[Quads, list[bool]], list[bool]]
"""Chooses which of the codes with these corners to keep, best first, given whether each is known."""


@dataclass(frozen=True, eq=False)
class Code:
    """A code that was read. `id` is the id of a known code, such as SF-D07. It is None for a foreign code, which is any
    QR code that Tablekeeper does not know.

    `corners` (4 x 2) are the corners of the code, without the quiet zone: top left, top right, bottom right, bottom
    left, as printed. `confidence` is 1 for a code that passed error correction. For a code that was matched with a
    template, `confidence` is from -1 to 0.2; see `template_match.confidences`.
    """

    id: str | None
    text: str
    corners: Points
    confidence: float = 1.0

    @cached_property
    def center(self) -> Points:
        """The intersection of the diagonals, which is the center of the printed code in any perspective."""
        return diagonal_intersection(self.corners)

    @cached_property
    def angle(self) -> float:
        """The direction of the code's top edge in the image: from -180 to 180 degrees, clockwise. At 0 degrees the edge
        points to the right."""
        edge = self.corners[1] - self.corners[0]
        return math.degrees(math.atan2(edge[1], edge[0]))

    @cached_property
    def centroid(self) -> tuple[float, float]:
        """The mean of the corners, which is faster to compute than `center` but less exact."""
        return float(self.corners[:, 0].sum()) / 4, float(self.corners[:, 1].sum()) / 4

    @cached_property
    def side_px(self) -> float:
        """The mean length of the four edges, in pixels."""
        points = self.corners.tolist()
        return sum(math.dist(a, b) for a, b in pairwise([*points, points[0]])) / 4


def remove_duplicates(codes: Iterable[Code], choose: Choose | None = None) -> list[Code]:
    """The codes with a plausible shape, without duplicates. Of codes that overlap, only one is kept: the most confident
    known code or, if none of them is known, a foreign code.

    zxing-cpp 3 sometimes finds a second, bogus code in the pixels of a true one (issue 1162 of zxing-cpp). But foreign
    codes may be nested on purpose, so two overlapping foreign codes of different size are both kept.

    `choose`: a function to use instead of `are_no_duplicates`.
    """
    ranked = sorted(codes, key=lambda code: (code.id is None, -code.confidence))
    if not ranked:
        return []
    keep = (choose or are_no_duplicates)(stack_corners(ranked), [code.id is not None for code in ranked])
    return [code for code, wanted in zip(ranked, keep, strict=True) if wanted]


def are_no_duplicates(quads: Quads, is_known: list[bool]) -> list[bool]:
    """Which of the codes `remove_duplicates` keeps, best first. `is_known`: whether each code is known."""
    keep = have_code_shape(quads)
    sides = mean_side_lengths(quads)
    x, y = centroids(quads).T
    distance = np.hypot(x[:, None] - x, y[:, None] - y)
    larger = np.maximum(sides[:, None], sides)
    near = distance < MAX_OVERLAP_DISTANCE_SIDES * larger
    if np.count_nonzero(near) > len(quads):
        smaller, known = np.minimum(sides[:, None], sides), np.array(is_known)
        comparable = known[:, None] | known | (larger < MAX_DUPLICATE_SIZE_RATIO * smaller)
        overlap = near & comparable & keep[:, None] & keep
        for n in np.flatnonzero(overlap.sum(1) > 1):
            keep[n] &= not (overlap[n, :n] & keep[:n]).any()
    return list(keep.tolist())


def stack_corners(codes: Sequence[Code]) -> Quads:
    """The corners of all the codes: n x 4 x 2."""
    return np.array([code.corners for code in codes], float).reshape(-1, 4, 2)


def have_code_shape(quads: Quads) -> NDArray[np.bool_]:
    """Whether each quadrilateral could be a code: convex, not mirrored, large enough and roughly square."""
    edges = quads[:, NEXT_CORNERS] - quads
    after = edges[:, NEXT_CORNERS]
    convex = (edges[..., 0] * after[..., 1] > edges[..., 1] * after[..., 0]).all(1)
    lengths = np.hypot(edges[..., 0], edges[..., 1])
    return np.asarray(convex & (lengths.min(1) >= MIN_EDGE_PX) & (lengths.max(1) <= MAX_EDGE_RATIO * lengths.min(1)))
