"""Where about does a code lie, and how is it turned? A rough look, for what all known codes have in common.

Law: pure. This is what tells codes from print: of 20 candidates one or two pass that are no codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patterns import HALF, LIGHTS, Floats, Patterns, smooth_light
from vision.pose import Poses
from vision.shapes import Grey, Points

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
LOOKS_CODED = 0.33
"""A code correlates so well with what all have in common, 99 of 100 do; print does not, 80 of 100."""
PLACES = 2 * REACH + 1


@cache
def rough_bank(patterns: Patterns, scales: tuple[float, ...]) -> Floats:
    """What a rough look shows of the patterns' mean, turned by each angle and a little larger or smaller:
    samples x (scales x angles), each without what light alone may do and of length 1. The last columns take the
    light."""
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
    light = smooth_light(across.ravel() / HALF, down.ravel() / HALF)
    bank = np.array(looks, np.float32)
    bank -= (bank @ light) @ light.T
    bank /= np.linalg.norm(bank, axis=1, keepdims=True)
    return np.ascontiguousarray(np.vstack([bank, light.T]).T)


def rough_poses(
    grey: Grey, middles: Points, metrics: Metrics, patterns: Patterns, scales: tuple[float, ...], most: int
) -> list[Poses]:
    """For each candidate that looks like a code its likeliest poses, `most` of them, none near another."""
    shape = PLACES, PLACES, len(scales), ANGLES
    scores = correlations(looks(grey, middles, metrics), rough_bank(patterns, scales)).reshape(-1, *shape)
    coded = np.flatnonzero(scores.reshape(len(scores), -1).max(1) >= LOOKS_CODED)
    return [poses_at(highest(scores[k], most), middles[k], metrics[k], scales) for k in coded]


def looks(grey: Grey, middles: Points, metrics: Metrics) -> Floats:
    """A rough look at each candidate, squared to its metric: n x across x across."""
    across = ACROSS + 2 * REACH
    fine = across * FINER
    seen = np.empty((len(middles), across, across), np.uint8)
    to_px = np.empty((len(middles), 2, 3))
    to_px[:, :, :2] = metrics * (STEP / FINER)
    to_px[:, :, 2] = middles - to_px[:, :, :2].sum(2) * (fine - 1) / 2
    for k, way in enumerate(to_px):
        back = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        square = cv2.warpAffine(grey, way, (fine, fine), flags=back, borderMode=cv2.BORDER_REPLICATE)
        cv2.resize(square, (across, across), seen[k], interpolation=cv2.INTER_AREA)
    return seen.astype(np.float32)


def correlations(looks: Floats, bank: Floats) -> Floats:
    """Of every place in every look with all of the bank: (n x places x places) x (scales x angles)."""
    rows, columns = looks.strides[1:]
    shape = (len(looks), PLACES, PLACES, ACROSS, ACROSS)
    windows = np.lib.stride_tricks.as_strided(looks, shape, (looks.strides[0], rows, columns, rows, columns))
    samples = windows.reshape(-1, ACROSS * ACROSS)
    products = samples @ bank
    light = products[:, -LIGHTS:]
    squares = np.einsum("ij,ij->i", samples, samples) - np.einsum("ij,ij->i", light, light)
    strength = np.sqrt(np.maximum(squares, 0)) + FLAT * ACROSS
    return np.asarray(products[:, :-LIGHTS] / strength[:, None])


def highest(scores: Floats, most: int) -> NDArray[np.int64]:
    """Where the scores are highest that are not near one another: most x (row, column, scale, angle)."""
    best = []
    for _ in range(most):
        row, column, _, angle = at = np.unravel_index(int(scores.argmax()), scores.shape)
        best.append(at)
        near = np.arange(angle - 1, angle + 2) % ANGLES
        scores[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2, :, near] = -1
    return np.array(best)


def poses_at(best: NDArray[np.int64], middle: Points, metric: Points, scales: Sequence[float]) -> Poses:
    """The poses that scores belong to."""
    row, column, scale, angle = best.T
    turns, sizes = 2 * np.pi * angle / ANGLES, np.array(scales)[scale]
    c, s = np.cos(turns) * sizes, np.sin(turns) * sizes
    poses = np.zeros((len(best), 3, 3))
    poses[:, :2, :2] = metric @ np.stack([c, -s, s, c], 1).reshape(-1, 2, 2)
    poses[:, :2, 2] = middle + (np.stack([column, row], 1) - REACH) * STEP @ metric
    poses[:, 2, 2] = 1
    return poses
