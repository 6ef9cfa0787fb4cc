"""Where exactly does a code lie? Poses, to a fraction of a pixel, by fitting what a pattern should look like.

Law: no I/O, no clock. A pose is a homography from modules (from the middle of the code) to pixels, 3 x 3; n of them
are settled at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoding.templates import (
    HALF_CODE,
    POSE_TERMS,
    SAMPLE_X,
    SAMPLE_Y,
    SHADING_BASIS,
    SHADING_TERMS,
    AlignmentModel,
    Floats,
)
from vision.geometry import GrayImage, Points

Poses = NDArray[np.float64]
"""n x 3 x 3."""

AT_ONCE = 1 << 14
"""OpenCV samples no more rows at once than 32,767."""
MOST_STEP = np.array([0.12, 0.12, 1, 0.12, 0.12, 1, 0.004, 0.004])
"""One round changes a pose by no more."""

GRID = np.stack([SAMPLE_X, SAMPLE_Y, np.ones_like(SAMPLE_X)])
CONTRAST = slice(SHADING_TERMS, SHADING_TERMS + 1)
NO_CHANGE = np.eye(3).ravel()
CORNERS = np.array(
    [[-HALF_CODE, HALF_CODE, HALF_CODE, -HALF_CODE], [-HALF_CODE, -HALF_CODE, HALF_CODE, HALF_CODE], [1, 1, 1, 1]]
)


def sampled(grey: GrayImage, poses: Poses) -> Floats:
    """What the picture shows under each pose: n x samples."""
    at = poses.astype(np.float32) @ GRID
    x, y = at[:, 0] / at[:, 2], at[:, 1] / at[:, 2]
    seen = np.empty(x.shape, np.uint8)
    for k in range(0, len(poses), AT_ONCE):
        part = slice(k, k + AT_ONCE)
        cv2.remap(grey, x[part], y[part], cv2.INTER_LINEAR, seen[part], cv2.BORDER_REPLICATE)
    return seen.astype(np.float32)


def terms_of(samples: Floats, fit: AlignmentModel) -> Floats:
    """How each row of samples differs from its pattern: n x terms. What differs more than the pattern may is hidden
    by something, and pulls no more than if it differed by just so much."""
    terms = solved(fit.solver, samples)
    model = lit(terms, fit.template)
    limit = fit.tolerance * np.maximum(np.abs(terms[:, CONTRAST]), 3)
    return solved(fit.solver, model + np.maximum(np.minimum(samples - model, limit), -limit))


def solved(solver: Floats, samples: Floats) -> Floats:
    """n x terms."""
    return np.asarray(samples @ solver.T if solver.ndim == 2 else (solver @ samples[:, :, None])[:, :, 0])


def lit(terms: Floats, pattern: Floats) -> Floats:
    """The pattern in the light that the terms tell: n x samples."""
    return np.asarray(terms[:, :SHADING_TERMS] @ SHADING_BASIS.T + terms[:, CONTRAST] * pattern)


def settled(grey: GrayImage, poses: Poses, fits: Sequence[AlignmentModel]) -> Poses:
    """The poses after one round with each fit."""
    for fit in fits:
        poses = moved(poses, terms_of(sampled(grey, poses), fit))
    return poses


def moved(poses: Poses, terms: Floats) -> Poses:
    """The poses corrected by what the terms say."""
    contrast = terms[:, CONTRAST]
    shift = -terms[:, POSE_TERMS] / np.where(np.abs(contrast) < 1e-3, 1e-3, contrast)
    change = np.tile(NO_CHANGE, (len(poses), 1))
    change[:, :8] += np.maximum(np.minimum(shift, MOST_STEP), -MOST_STEP)
    poses = poses @ change.reshape(-1, 3, 3)
    return np.asarray(poses / poses[:, 2:, 2:])


def quads(poses: Poses) -> NDArray[np.float64]:
    """The corners of each code in pixels: n x 4 x 2."""
    at = poses @ CORNERS
    return np.asarray((at[:, :2] / at[:, 2:]).swapaxes(1, 2))


def poses_of(corners: Sequence[Points]) -> Poses:
    """The poses whose corners these are."""
    modules = np.ascontiguousarray(CORNERS[:2].T, np.float32)
    return np.array([cv2.getPerspectiveTransform(modules, quad.astype(np.float32)) for quad in corners]).reshape(
        -1, 3, 3
    )
