"""Estimates how the camera shakes, and removes its motion from the frames.

The motion is estimated on a reduced image by the method of Lucas and Kanade ("An iterative image registration
technique", 1981). It compares the frame with a reference image. From the difference and the reference's gradients, it
computes the shift that explains the difference best, by least squares. A rolling shutter shifts each row differently
while the camera trembles, so the shift is a function of the row. Cells that fit badly, such as those of a hand, count
little.

Law: no I/O, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CELL_PX, CellGrid, CellMask, GrayImage
from vision.tracking.reduced_image import REDUCTION, cell_means

Floats = NDArray[np.float32]
Shifts = NDArray[np.float32]
"""For each row of cells, how far the frame is shifted relative to the reference in x and y, in pixels: rows x 2."""

SMOOTHING_PX = 1.0
"""The blur of the reduced image, in its pixels. With more blur, larger shifts can be estimated, but less exactly."""
LIGHT_PX = 17
"""Each pixel of the reduced image is divided by the mean brightness of the square around it, so that a change of light
is not taken for motion. This is the side of the square, in pixels of the reduced image."""
ITERATIONS = 3
ROW_SMOOTHING_CELLS = 1.5
"""The evidence for the shift of each row of cells is spread to the rows nearby, as a Gaussian with this standard
deviation, in cells."""
SHARED_EVIDENCE = 0.02
"""The weight, in each row, of the mean evidence of all rows. This weight is so small that the mean decides the estimate
only where no row nearby has any texture."""
OUTLIER_RATIO = 4.0
"""A cell whose residual is this many times the median counts only half as much as others."""
MIN_SHIFT_PX = 0.12
"""Smaller shifts are not removed, because they change no cell visibly."""
MAX_SHIFT_PX = 9.0
"""If rows are shifted farther than this from their usual place, no shift is removed: the camera was moved rather than
shaken, or the estimate is wrong."""
MAX_MISJUDGED_SHARE = 0.1
"""This share of the rows may seem to be shifted farther, such as rows with hardly any print at the edge of the table.
Only MAX_SHIFT_PX is removed there."""
MAX_IGNORED_SHIFT_PX = 1.0
"""A camera that moves by less than this, and so little that few cells seem to move, need not be stabilized."""
MIN_CELL_TEXTURE = 8.0
"""A cell with more texture than this, in gray levels, changes visibly when the camera moves."""
MIN_MOVING_SHARE, MIN_MOVING_CELLS = 0.15, 8
"""The camera may be moving if more than this share of the textured cells, and more than this number of them, are
moving."""
MAX_STILL_FRAMES = 6
"""After this many frames without motion, the camera counts as standing still. If the first frame after the reference
shows no motion, it counts so at once."""
SHAKE_LEARNING_RATE = 0.05
"""The weight of each new frame in the measured shake."""
MIN_EXPLAINED_RATIO, MAX_UNEXPLAINED = 0.6, 0.95
"""A motion is accepted only if removing it brings the median textured cell closer to the reference. The squared
difference must decrease by more than MIN_EXPLAINED_RATIO times the decrease that the motion predicts. It does not if
the difference is caused by noise or by a hand. The difference itself must also fall below MAX_UNEXPLAINED times its
earlier value, because a mere change of contrast has a small effect too."""
REFERENCE_LEARNING_RATE = 0.1
"""The share by which the reference approaches each new frame."""


class Stabilizer:
    """Estimates how far successive frames are shifted relative to a reference.

    While the camera stands still, there is no reference, and `suspect` only counts moving cells. Once many cells move,
    the latest frame becomes the reference for the following ones. Until the camera stands still again, the reference is
    updated: it is a running mean of the frames, each with its motion removed.
    """

    def __init__(self) -> None:
        self.shake_px = 0.0
        """How far the camera moved in the last frames: the root mean square in pixels of the full image."""
        self._last: GrayImage | None = None
        self._is_suspected = True
        self._is_second = False
        """Whether the next frame is searched only because it is the second one."""
        self._reference: Floats | None = None
        self._center: Shifts = np.zeros((0, 2), np.float32)
        """The usual place of each row of cells, which is its mean shift. The reference is itself a frame of the shaking
        camera, so its rows may be far from the middle of the shake."""
        self._frames = self._still_frames = 0

    @property
    def is_active(self) -> bool:
        """Whether the next frame is searched for motion of the camera."""
        return self._reference is not None or self._is_suspected

    def motion(self, reduced: GrayImage) -> Shifts | None:
        """How far a reduced frame has moved relative to the reference. None if it has hardly moved, or if it has moved
        too far for a shaking camera."""
        last, self._last = self._last, reduced
        if last is None or last.shape != reduced.shape:
            self._reference, self.shake_px = None, 0.0
            return None
        if self._reference is None:
            if not self._is_suspected:
                self.note_still_frame()
                return None
            self._reference = even_light(last)
            self._center = np.zeros((len(cell_means(self._reference)), 2), np.float32)
            self._frames = self._still_frames = 0
        return self._follow(even_light(reduced))

    def note_still_frame(self) -> None:
        """Updates the shake with a frame in which the camera stands still, and which need not be searched for
        motion."""
        self.shake_px *= 1 - SHAKE_LEARNING_RATE

    def suspect(self, moving: CellMask, texture: CellGrid) -> None:
        """Decides whether the next frame is searched for motion of the camera. Searching takes time, so it is done only
        if many textured cells are moving in this frame. In the first frame every cell counts as moving, so the second
        one is always searched. Until the first call, every frame is."""
        textured = texture > MIN_CELL_TEXTURE
        limit = max(MIN_MOVING_CELLS, MIN_MOVING_SHARE * int(np.count_nonzero(textured)))
        self._is_suspected, self._is_second = int(np.count_nonzero(moving & textured)) > limit, bool(moving.all())

    def _follow(self, image: Floats) -> Shifts | None:
        """Estimates the motion of `image` relative to the reference, and updates the reference. None if there is no
        motion to remove."""
        assert self._reference is not None
        gradients = Gradients.of(self._reference)
        estimate = estimate_shifts(self._reference, image, gradients)
        shifts = self._center + np.clip(estimate - self._center, -MAX_SHIFT_PX, MAX_SHIFT_PX)
        largest = float(np.abs(shifts).max())
        steady = shift_reduced(image, shifts) if largest > MIN_SHIFT_PX else image
        if is_too_far(estimate, self._center) or not (
            steady is image or is_motion(self._reference, image, steady, gradients, shifts)
        ):
            self._reference = None
            return None
        self._measure_shake(shifts)
        cv2.accumulateWeighted(steady, self._reference, REFERENCE_LEARNING_RATE)
        is_slight = steady is image or (self._is_second and largest < MAX_IGNORED_SHIFT_PX)
        if self._still_frames > MAX_STILL_FRAMES or (self._frames == 1 and is_slight):
            self._reference = None
        return shifts if largest > MIN_SHIFT_PX else None

    def _measure_shake(self, shifts: Shifts) -> None:
        """Updates how much the camera shakes, and for how many frames it has stood still."""
        self._frames += 1
        rate = max(SHAKE_LEARNING_RATE, 1 / self._frames)
        self._center += rate * (shifts - self._center)
        motion = float(np.sqrt(((shifts - self._center) ** 2).sum(1).mean()))
        self.shake_px = math.sqrt((1 - rate) * self.shake_px**2 + rate * motion**2)
        self._still_frames = self._still_frames + 1 if motion < MIN_SHIFT_PX else 0


def is_too_far(shifts: Shifts, center: Shifts) -> bool:
    """Whether too many rows are too far from their usual places, `center`, or these places themselves are too far from
    the reference."""
    too_far = (np.abs(each).max(1) > MAX_SHIFT_PX for each in (shifts - center, center))
    return any(bool(rows.mean() > MAX_MISJUDGED_SHARE) for rows in too_far)


def is_motion(reference: Floats, image: Floats, steady: Floats, gradients: Gradients, shifts: Shifts) -> bool:
    """Whether `shifts` explain how most textured cells of an image differ from the reference. If not, the light has
    changed or something large is in the image. `steady` is the image with its motion removed, `gradients` are those of
    the reference."""
    textured = gradients.texture > gradients.texture.mean()
    predicted = gradients.squared_difference(shifts)[textured] + 1e-9
    before, after = (
        cell_means(cv2.multiply(difference, difference))[textured] + 1e-9
        for difference in (cv2.subtract(each, reference) for each in (image, steady))
    )
    explained = float(np.median((before - after) / predicted))
    return explained > MIN_EXPLAINED_RATIO and float(np.median(after / before)) < MAX_UNEXPLAINED**2


def even_light(reduced: GrayImage) -> Floats:
    """Converts a reduced image: blurs it slightly, and divides each pixel by the mean brightness of its
    surroundings."""
    smooth = cv2.GaussianBlur(reduced.astype(np.float32), (0, 0), SMOOTHING_PX)
    return np.asarray(cv2.divide(smooth, cv2.blur(smooth, (LIGHT_PX, LIGHT_PX)) + 1), np.float32)


@dataclass(frozen=True, eq=False)
class Gradients:
    """The gradients `x` and `y` of a reduced image: the change per pixel of the full image. `matrix` has the terms xx,
    xy and yy that each cell adds to the normal equations."""

    x: Floats
    y: Floats
    matrix: tuple[CellGrid, CellGrid, CellGrid]

    @classmethod
    def of(cls, image: Floats) -> Self:
        x, y = (cv2.Sobel(image, cv2.CV_32F, dx, dy, ksize=1, scale=0.5 / REDUCTION) for dx, dy in ((1, 0), (0, 1)))
        xx, xy, yy = (cell_means(cv2.multiply(a, b)) for a, b in ((x, x), (x, y), (y, y)))
        return cls(np.asarray(x, np.float32), np.asarray(y, np.float32), (xx, xy, yy))

    @property
    def texture(self) -> CellGrid:
        """The squared length of the gradient in each cell."""
        return self.matrix[0] + self.matrix[2]

    def squared_difference(self, shifts: Shifts) -> CellGrid:
        """How much the image would differ from itself if it were shifted by `shifts`: the mean squared difference in
        each cell."""
        (xx, xy, yy), u, v = self.matrix, shifts[:, :1], shifts[:, 1:]
        return np.asarray(u * u * xx + 2 * u * v * xy + v * v * yy, np.float32)


def estimate_shifts(reference: Floats, image: Floats, gradients: Gradients) -> Shifts:
    """How far each row of cells of `image` is shifted relative to the `reference`, in pixels of the full image. Both
    are reduced images, converted with `even_light`. `gradients` are those of the reference."""
    matrix = gradients.matrix
    weights, shifts = np.ones_like(matrix[0]), np.zeros((len(matrix[0]), 2), np.float32)
    for iteration in range(ITERATIONS):
        difference = cv2.subtract(reference, shift_reduced(image, shifts) if iteration else image)
        vector = [cell_means(cv2.multiply(gradient, difference)) for gradient in (gradients.x, gradients.y)]
        step = solve_rows(weights, matrix, vector)
        shifts = shifts + step
        if iteration < ITERATIONS - 1:
            square = cell_means(cv2.multiply(difference, difference))
            weights = outlier_weights(gradients, vector, square, step)
    return shifts


def solve_rows(weights: CellGrid, matrix: Sequence[CellGrid], vector: Sequence[CellGrid]) -> Shifts:
    """The shift of each row of cells that best explains how the row differs from the reference, by least squares.
    `matrix` (xx, xy, yy) and `vector` (x, y) contain the terms that each cell adds to the normal equations. `weights`
    says how much each cell counts."""
    sums = np.stack([np.einsum("ij,ij->i", weights, term) for term in (*matrix, *vector)], 1)
    xx, xy, yy, x, y = (row_smoother(len(sums)) @ sums).T
    determinant = np.maximum(xx * yy - xy * xy, 1e-12)
    return np.asarray(np.stack([yy * x - xy * y, xx * y - xy * x], 1) / determinant[:, None], np.float32)


@cache
def row_smoother(rows: int) -> Floats:
    """A matrix, rows x rows, that smooths the sums of the rows of cells. It replaces each sum by a Gaussian mean over
    nearby rows, plus a small fraction of the mean over all rows."""
    distance = np.arange(rows)[:, None] - np.arange(rows)
    weights = np.exp(-0.5 * (distance / ROW_SMOOTHING_CELLS) ** 2)
    return np.asarray(weights / weights.sum(1, keepdims=True) + SHARED_EVIDENCE / rows, np.float32)


def outlier_weights(gradients: Gradients, vector: Sequence[CellGrid], square: CellGrid, shifts: Shifts) -> CellGrid:
    """How much each cell should count (0 to 1): little if the shift of its row does not explain how the cell differs
    from the reference. `square` is the mean squared difference of each cell; `gradients` are those of the reference,
    and `vector` is as in `solve_rows`."""
    (x, y), u, v = vector, shifts[:, :1], shifts[:, 1:]
    residual = square - 2 * (u * x + v * y) + gradients.squared_difference(shifts)
    texture = gradients.texture
    mean = float(texture.mean())
    ratio = np.maximum(residual, 0) / (texture + mean * 0.05 + 1e-9)
    textured = ratio[texture > mean]
    typical = float(np.median(textured)) if textured.size else 1.0
    return np.asarray(1 / (1 + (ratio / (OUTLIER_RATIO * typical + 1e-9)) ** 2), np.float32)


def shift_reduced(image: Floats, shifts: Shifts) -> Floats:
    """A reduced image with the motion that `shifts` describes removed."""
    height, width = image.shape
    side = CELL_PX // REDUCTION
    at = (np.arange(height) - (side - 1) / 2) / side
    dx, dy = (np.interp(at, np.arange(len(shifts)), each / REDUCTION).astype(np.float32)[:, None] for each in shifts.T)
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    columns, rows = x + dx, np.ascontiguousarray(np.broadcast_to(y + dy, image.shape))
    return np.asarray(cv2.remap(image, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def shift_rows(image: GrayImage, shifts: Shifts) -> GrayImage:
    """The image with the motion that `shifts` describes removed. A shift applies to the middle of its row of cells;
    between the middles of two rows, the shift is interpolated."""
    height, width = image.shape
    bounds = np.arange(len(shifts) + 1.0)
    knots = np.stack([np.interp(bounds - 0.5, bounds[:-1], each) for each in shifts.T], 1)
    result = np.empty_like(image)
    for n, ((dx, dy), (ex, ey)) in enumerate(pairwise(knots)):
        top, bottom = n * CELL_PX, (n + 1) * CELL_PX if n + 1 < len(shifts) else height
        to_frame = np.array([[1, (ex - dx) / CELL_PX, dx], [0, 1 + (ey - dy) / CELL_PX, top + dy]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        strip = cv2.warpAffine(image, to_frame, (width, bottom - top), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        result[top:bottom] = strip
    return result
