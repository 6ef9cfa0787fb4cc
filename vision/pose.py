"""Where exactly does a code lie? Poses, from a rough guess to a fraction of a pixel.

Law: no I/O, no clock. A pose is a homography from modules (from the middle of the code) to pixels, 3 x 3; n of them
are settled at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patterns import HALF, LIGHT, SIDE, Fit, Floats, Patterns, X, Y
from vision.shapes import Grey, Points

Poses = NDArray[np.float64]
"""n x 3 x 3."""
Metrics = NDArray[np.float64]
"""n x 2 x 2: pixels a module in two directions at a right angle, however the code is turned."""

STEP = 1.5
"""Modules between the samples of a rough look: nothing finer outlives the worst blur."""
ACROSS = 17
"""Samples of a rough look: the code and 1.5 modules around."""
REACH = 5
"""So many steps the middle may lie away from the peak of the texture: 7.5 modules, 99 of 100 do not."""
ANGLES = 36
FINER = 2
"""Each sample of a rough look is the mean of 2 x 2."""
FLAT = 4.0
"""Grey levels of noise that a rough look takes into account."""
LOOKS_CODED = 0.36
"""A code correlates so well with what all have in common, 99 of 100 do; print does not, 85 of 100."""
MOST_STEP = np.array([0.12, 0.12, 1, 0.12, 0.12, 1, 0.004, 0.004])
"""One round changes a pose by no more."""

GRID = np.stack([X, Y, np.ones_like(X)])
CORNERS = np.array([[-HALF, HALF, HALF, -HALF], [-HALF, -HALF, HALF, HALF], [1, 1, 1, 1]])


@cache
def rough_bank(patterns: Patterns, scales: tuple[float, ...]) -> Floats:
    """What a rough look shows of the patterns' mean, turned by each angle and a little larger or smaller:
    samples x (scales x angles), each without its mean and of length 1. One more column takes the mean."""
    fine = 8
    mean = np.kron(np.pad(patterns.mean, 10, constant_values=1), np.ones((fine, fine)))
    soft = cv2.GaussianBlur(mean.astype(np.float32), (0, 0), 0.55 * fine)
    axis = (np.arange(ACROSS) - (ACROSS - 1) / 2) * STEP
    across, down = np.meshgrid(axis, axis)
    looks = []
    for scale in scales:
        for angle in 2 * np.pi * np.arange(ANGLES) / ANGLES:
            c, s = np.cos(angle) / scale, np.sin(angle) / scale
            x, y = (
                ((v + HALF + 10) * fine - 0.5).astype(np.float32)
                for v in (c * across + s * down, c * down - s * across)
            )
            looks.append(cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).ravel())
    bank = np.array(looks, np.float32)
    bank -= bank.mean(1, keepdims=True)
    bank /= np.linalg.norm(bank, axis=1, keepdims=True)
    return np.ascontiguousarray(np.vstack([bank, np.full(ACROSS**2, 1 / ACROSS, np.float32)]).T)


def rough_poses(
    grey: Grey, middle: Points, metric: Points, patterns: Patterns, scales: tuple[float, ...], most: int
) -> list[Points]:
    """The likeliest poses of a code whose middle is within reach of a place, by correlation with what all codes
    have in common; `most` of them, none near another, or none at all where nothing looks like a code."""
    windows = windows_at(grey, middle, metric)
    products = windows @ rough_bank(patterns, scales)
    squares = np.einsum("ij,ij->i", windows, windows) - products[:, -1] ** 2
    strength = np.sqrt(np.maximum(squares, 0)) + FLAT * ACROSS
    side = 2 * REACH + 1
    scores = (products[:, :-1] / strength[:, None]).reshape(side, side, len(scales), ANGLES)
    if scores.max() < LOOKS_CODED:
        return []
    return [rough_pose(*at, middle, metric, scales) for at in highest(scores, most)]


def windows_at(grey: Grey, middle: Points, metric: Points) -> Floats:
    """What a rough look shows at every place within reach: places x samples."""
    across = ACROSS + 2 * REACH
    step = STEP / FINER
    to_px = np.empty((2, 3))
    to_px[:, :2] = metric * step
    to_px[:, 2] = middle - to_px[:, :2].sum(1) * (across * FINER - 1) / 2
    size = (across * FINER, across * FINER)
    back = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    fine = cv2.warpAffine(grey, to_px, size, flags=back, borderMode=cv2.BORDER_REPLICATE)
    look = cv2.resize(fine, (across, across), interpolation=cv2.INTER_AREA).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(look, (ACROSS, ACROSS))
    return windows.reshape(-1, ACROSS * ACROSS)


def highest(scores: Floats, most: int) -> list[tuple[int, int, int, int]]:
    """The highest scores that are not near one another: row, column, scale, angle."""
    best = []
    for _ in range(most):
        row, column, scale, angle = (int(v) for v in np.unravel_index(int(scores.argmax()), scores.shape))
        best.append((row, column, scale, angle))
        near = np.arange(angle - 1, angle + 2) % ANGLES
        scores[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2, :, near] = -1
    return best


def rough_pose(
    row: int, column: int, scale: int, angle: int, middle: Points, metric: Points, scales: Sequence[float]
) -> Points:
    """The pose that a score belongs to."""
    c, s = (f(2 * np.pi * angle / ANGLES) * scales[scale] for f in (np.cos, np.sin))
    pose = np.eye(3)
    pose[:2, :2] = metric @ [[c, -s], [s, c]]
    pose[:2, 2] = middle + metric @ [(column - REACH) * STEP, (row - REACH) * STEP]
    return pose


def sampled(grey: Grey, poses: Poses) -> Floats:
    """What the picture shows under each pose: n x samples."""
    at = poses.astype(np.float32) @ GRID
    at = (at[:, :2] / at[:, 2:]).reshape(-1, 2, len(X))
    # As a picture of SIDE columns: OpenCV takes at most 32,767 of either.
    x, y = (np.ascontiguousarray(at[:, k]).reshape(-1, SIDE) for k in (0, 1))
    seen = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.reshape(len(poses), -1).astype(np.float32)


def terms_of(samples: Floats, fit: Fit) -> Floats:
    """How each row of samples differs from its pattern: n x terms. What differs more than the pattern may is hidden
    by something, and pulls no more than if it differed by just so much."""
    terms = solved(fit.solver, samples)
    for _ in range(2):
        model = lit(terms, fit.pattern)
        limit = fit.loose * np.maximum(np.abs(terms[:, 3:4]), 3)
        terms = solved(fit.solver, model + np.clip(samples - model, -limit, limit))
    return terms


def solved(solver: Floats, samples: Floats) -> Floats:
    """n x terms."""
    return np.asarray(samples @ solver.T if solver.ndim == 2 else (solver @ samples[:, :, None])[:, :, 0])


def lit(terms: Floats, pattern: Floats) -> Floats:
    """The pattern in the light that the terms tell: n x samples."""
    light = terms[:, :1] + terms[:, 1:2] * (X / 10) + terms[:, 2:3] * (Y / 10)
    return np.asarray(light + terms[:, 3:4] * pattern)


def settled(grey: Grey, poses: Poses, fits: Sequence[Fit]) -> Poses:
    """The poses after one round with each fit."""
    for fit in fits:
        poses = moved(poses, terms_of(sampled(grey, poses), fit))
    return poses


def moved(poses: Poses, terms: Floats) -> Poses:
    """The poses corrected by what the terms say."""
    contrast = terms[:, 3:4]
    shift = -terms[:, LIGHT:] / np.where(np.abs(contrast) < 1e-3, 1e-3, contrast)
    change = np.zeros((len(poses), 9))
    change[:, :8] = np.clip(shift, -MOST_STEP, MOST_STEP)
    poses = poses @ (np.eye(3) + change.reshape(-1, 3, 3))
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
