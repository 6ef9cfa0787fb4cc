"""Refines the poses of codes to a fraction of a pixel, by aligning a template with the image.

The method is inverse compositional Lucas-Kanade on a homography, with Huber weighting: see Baker and Matthews,
"Lucas-Kanade 20 years on" (2004). A pose is the homography from modules (relative to the center of the code) to pixels,
3 x 3. Functions work on n poses at once.

Law: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.component_qr_codes import MODULES
from vision.decoding import native
from vision.decoding.templates import (
    HALF_CODE,
    POLYNOMIALS,
    POSE_TERMS,
    SAMPLE_X,
    SAMPLE_Y,
    SHADING_BASIS,
    SHADING_TERMS,
    AlignmentModel,
    Floats,
    normalize_rows,
    remove_shading,
)
from vision.geometry import GrayImage, Points, Quads

Poses = NDArray[np.float64]
"""Homographies from modules, relative to the center of a code, to pixels: n x 3 x 3."""

MAX_REMAP_ROWS = 1 << 14
"""The maximum number of poses that are sampled in one call of OpenCV's remap, which takes at most 32,767 rows."""
MAX_UPDATE = np.array([0.12, 0.12, 1, 0.12, 0.12, 1, 0.004, 0.004])
"""The largest change of each pose parameter in one iteration; translations are in modules."""
MIN_HUBER_CONTRAST = 3
"""A contrast in gray levels. The Huber threshold is proportional to the contrast of the code; lower contrasts count as
this one."""
MIN_DIVISOR = 1e-3
"""The divisor that replaces a contrast of nearly zero, in gray levels."""
UPDATE_LIMITS = MAX_UPDATE, MIN_HUBER_CONTRAST, MIN_DIVISOR

SAMPLE_GRID = np.stack([SAMPLE_X, SAMPLE_Y, np.ones_like(SAMPLE_X)])
SAMPLING = np.ascontiguousarray(SAMPLE_GRID[:2]), np.ascontiguousarray(SHADING_BASIS.T)
MODULES_TO_SQUARE = np.array([[1 / MODULES, 0, 0.5], [0, 1 / MODULES, 0.5], [0, 0, 1]])
"""Maps modules, relative to the center of a code, to the unit square."""
CONTRAST_TERM = slice(SHADING_TERMS, SHADING_TERMS + 1)
IDENTITY = np.eye(3).ravel()
CODE_CORNERS = np.array(
    [[-HALF_CODE, HALF_CODE, HALF_CODE, -HALF_CODE], [-HALF_CODE, -HALF_CODE, HALF_CODE, HALF_CODE], [1, 1, 1, 1]]
)


def sample_modules(gray: GrayImage, poses: Poses) -> Floats:
    """The gray levels of the image at the sample points of a template that is placed according to each pose: n x
    samples."""
    if native.is_enabled():
        return native.sample_codes(gray, poses, SAMPLING, is_unit=False)
    at = poses.astype(np.float32) @ SAMPLE_GRID
    x, y = at[:, 0] / at[:, 2], at[:, 1] / at[:, 2]
    samples = np.empty(x.shape, np.uint8)
    for k in range(0, len(poses), MAX_REMAP_ROWS):
        part = slice(k, k + MAX_REMAP_ROWS)
        cv2.remap(gray, x[part], y[part], cv2.INTER_LINEAR, samples[part], cv2.BORDER_REPLICATE)
    return samples.astype(np.float32)


def sample_unit_modules(gray: GrayImage, poses: Poses, step: int = 1) -> Floats:
    """Every `step`-th of the same samples, without their shading and with each row scaled to a norm of 1."""
    if native.is_enabled():
        return native.sample_codes(gray, poses, SAMPLING, is_unit=True, step=step)
    return normalize_rows(remove_shading(sample_modules(gray, poses))[:, ::step])


def fit_parameters(samples: Floats, model: AlignmentModel) -> Floats:
    """The shading, contrast and pose error with which the model fits each row of samples best: n x parameters.

    Solves twice. The second time residuals are clipped (Huber), so that occluded samples have bounded influence.
    """
    parameters = solve(model.solver, samples)
    expected = parameters[:, :SHADING_TERMS] @ POLYNOMIALS.T
    expected += parameters[:, CONTRAST_TERM] * model.template[..., 0, :]
    limit = model.tolerance * np.maximum(np.abs(parameters[:, CONTRAST_TERM]), MIN_HUBER_CONTRAST)
    return solve(model.solver, expected + np.maximum(np.minimum(samples - expected, limit), -limit))


def solve(solver: Floats, samples: Floats) -> Floats:
    """Fits parameters to each row of `samples` by least squares: multiplies the row by a solver (parameters x samples,
    see `AlignmentModel.solver`). Returns n x parameters. `solver` is either one matrix for all rows, or a stack with a
    matrix for each row."""
    return np.asarray(samples @ solver.T if solver.ndim == 2 else (solver @ samples[:, :, None])[:, :, 0])


def refine_poses(gray: GrayImage, poses: Poses, models: Sequence[AlignmentModel]) -> Poses:
    """The poses after one iteration of the alignment with each model in turn."""
    for model, repeats in groupby(models):
        iterations = len(list(repeats))
        if native.is_enabled():
            poses = native.refine_poses(gray, poses, iterations, model.fields(), SAMPLING[0], UPDATE_LIMITS)
            continue
        model = model.of_each_pose()
        for _ in range(iterations):
            poses = update_poses(poses, fit_parameters(sample_modules(gray, poses), model))
    return poses


def refine_quads(gray: GrayImage, quads: Quads, model: AlignmentModel, iterations: int) -> Quads:
    """The corners of codes after some iterations of the alignment. `model`: has an entry for each code."""
    if native.is_enabled():
        return native.refine_quads(gray, quads, iterations, model.fields(), SAMPLING[0], UPDATE_LIMITS)
    return project_corners(refine_poses(gray, poses_from_corners(quads), (model,) * iterations))


def update_poses(poses: Poses, parameters: Floats) -> Poses:
    """The poses, corrected by the pose errors that were fitted: each pose is composed with the inverse of its error.
    `parameters`: what `fit_parameters` returns."""
    contrast = parameters[:, CONTRAST_TERM]
    step = -parameters[:, POSE_TERMS] / np.where(np.abs(contrast) < MIN_DIVISOR, MIN_DIVISOR, contrast)
    change = np.tile(IDENTITY, (len(poses), 1))
    change[:, :8] += np.maximum(np.minimum(step, MAX_UPDATE), -MAX_UPDATE)
    poses = poses @ change.reshape(-1, 3, 3)
    return np.asarray(poses / poses[:, 2:, 2:])


def cross(a: Points, b: Points) -> NDArray[np.float64]:
    """The z component of the cross product of each two vectors."""
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def project_corners(poses: Poses) -> Quads:
    """The corners of the code in each pose, in pixels: n x 4 x 2."""
    at = poses @ CODE_CORNERS
    return np.asarray((at[:, :2] / at[:, 2:]).swapaxes(1, 2))


def poses_from_corners(corners: Sequence[Points] | Quads) -> Poses:
    """The poses of codes, n x 3 x 3, computed from their corners in the image (4 x 2 pixels for each code).
    No three corners of a code may lie on a line.

    The closed form for the unit square is by Heckbert, "Fundamentals of Texture Mapping and Image Warping" (1989).
    """
    a, b, c, d = np.array(corners, float).reshape(-1, 4, 2).transpose(1, 0, 2)
    first, second, rest = b - c, d - c, a - b + c - d
    area = cross(first, second)
    g, h = cross(rest, second) / area, cross(first, rest) / area
    poses = np.empty((len(a), 3, 3))
    poses[:, :2, 0] = b - a + g[:, None] * b
    poses[:, :2, 1] = d - a + h[:, None] * d
    poses[:, :2, 2] = a
    poses[:, 2, 0], poses[:, 2, 1], poses[:, 2, 2] = g, h, 1
    poses = poses @ MODULES_TO_SQUARE
    return np.asarray(poses / poses[:, 2:, 2:])
