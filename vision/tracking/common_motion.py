"""Recognizes when the camera was moved: most components then seem to have moved together, by the same shift, rotation
and scale.

Law: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry import Matrix, Points

MIN_COMPONENTS = 3
"""With fewer components than this, no common motion is recognized."""
MIN_COMMON_SHARE = 0.75
"""At least this share of the components must have moved in the same way."""
MAX_DEVIATION_SIDES = 0.08
"""How far a component may be from where the common motion would put it, in sides of its code."""

Similarity = Matrix
"""A similarity transform (translation, rotation and scale), 2 x 3: maps homogeneous pixels to pixels."""


def common_motion(before: Sequence[Points], now: Sequence[Points], side_px: float, count: int) -> Similarity | None:
    """The motion that most components have in common; None if there is none.

    `before` and `now` are the centers of the codes that were read both before and now. `side_px` is the mean side of
    these codes. `count` is the number of all components, including those whose codes were not read now.
    """
    if len(now) < max(MIN_COMPONENTS, MIN_COMMON_SHARE * count):
        return None
    limit = MAX_DEVIATION_SIDES * side_px
    motion, inliers = cv2.estimateAffinePartial2D(np.array(before), np.array(now), ransacReprojThreshold=limit)
    if motion is None or inliers.sum() < max(MIN_COMPONENTS, MIN_COMMON_SHARE * count):
        return None
    return np.asarray(motion, float)


def moved(points: Points, motion: Similarity) -> Points:
    """The points (n x 2, px) after the motion."""
    return np.asarray(points @ motion[:, :2].T + motion[:, 2], float)
