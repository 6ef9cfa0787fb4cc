"""Change detection: which cells of the image move, are calm, or differ from the background.

A cell is a square of 16 x 16 pixels with two features: brightness and texture. Brightness is the mean of the pixels.
Texture is the mean difference of horizontally neighboring pixels, in an image reduced to a quarter of its width and
height. Changes in the light are compensated (see `vision.tracking.light_compensation`).

A cell is *moving* when it differs from the last frame, *calm* when neither it nor a neighbor moves, and *changed* when
it differs from the background model. The background model is the table with everything on it that is already explained,
such as a card whose code was read.

Law: no I/O, no clock. Changes are detected in every frame, so that the decoder only has to search the parts that have
changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.decoding import native
from vision.geometry import CELL_PX, CellGrid, CellMask, Frame, GrayImage, PixelBox
from vision.tracking.image_stabilization import MIN_CELL_TEXTURE
from vision.tracking.light_compensation import (
    MAX_GAIN_DEVIATION,
    deviating_rows,
    local_light,
    recognized_cells,
    row_gains,
)
from vision.tracking.reduced_image import REDUCTION

SAMPLE_STRIDE = 4
"""For the quick comparison, every fourth column and every eighth row of the image is sampled."""
BLOCK_PX = 32
"""Width and height of the blocks in which two frames are compared quickly."""
MAX_BLOCK_DIFFERENCE = 4
"""The largest change of a block's mean that noise alone may cause, in gray levels. With noise of 4 gray levels, the
mean of 32 samples changes by 1.0 (standard deviation) from frame to frame, and in the worst of 2,000 blocks by 3.6."""
MOTION_NOISE_RATIO = 6.0
"""A cell moves when it and a neighbor both differ from the last frame by more than this many times their noise. The
noise counts as no less than is usual for the texture of the cell."""
MIN_MOTION_THRESHOLD, MAX_MOTION_THRESHOLD = 3.0, 9.0
"""Limits of the motion threshold. A cell whose gray levels differ by more than the threshold counts as moving."""
CHANGE_RATIO = 1.5
"""A cell has changed when it differs from the background by more than this many times its motion threshold."""
INITIAL_NOISE, NOISE_LEARNING_RATE = 0.8, 0.05
"""The noise of a cell (its difference from frame to frame, in gray levels) before it is measured, and the weight of
each new frame in the measured average."""
LIGHTING_ADAPTATION_S = 30.0
"""The time after which a lasting deviation of a row's gain counts as the row's normal lighting."""
BACKGROUND_LEARNING_RATE = 0.05
"""The share by which the background of a calm, unchanged cell approaches each new frame. So the background follows
cloud shadows, but not hands."""
MIN_CHANGE_OF_LIGHT = 0.1
"""If more than this share of the cells has changed or seems to move, the light may have changed locally."""
MIN_PRINT_CELLS = 8
"""The light of a row of cells is known if at least this many of them show the print of the background."""
OVEREXPOSED = 240.0
"""A cell that is brighter than this is overexposed, at least in part. Faint print in it disappears, so its texture is
no evidence."""
CARD_SIZE_CELLS = 2
"""A moving or changed region is too small to be a card if no square with this many cells on each side fits into it."""

MAX_GAP_CELLS = 3
"""Moving cells belong to the same hand if there are at most twice as many other cells between them."""


@dataclass(frozen=True, eq=False)
class SameHue:
    """The cells of a frame whose hue is the same as before, so that only the light may have changed. `as_usual` masks
    the cells that have their usual hue, `as_last` those that have the hue of the frame before. The two differ where a
    card was just taken away."""

    as_usual: CellMask
    as_last: CellMask


@dataclass(frozen=True, eq=False)
class ChangeMasks:
    """Masks of the cells of a frame. `moving`: the cells that differ from the frame before. `calm`: the cells that do
    not move, and whose neighbors do not move either. `changed`: the cells that differ from the background."""

    moving: CellMask
    calm: CellMask
    changed: CellMask
    calm_seconds: CellGrid
    """For each cell, the time since it or a neighbor last moved. In the first frame every cell counts as moving."""

    @property
    def is_quiet(self) -> bool:
        """Whether nothing as large as a card is moving anywhere."""
        return not holds_card(self.moving)

    @property
    def is_as_usual(self) -> bool:
        """Whether nothing as large as a card differs from the background."""
        return not holds_card(self.changed)


def holds_card(mask: CellMask) -> bool:
    """Whether `mask` contains a square of cells that is as large as a card."""
    return bool(cv2.erode(mask.astype(np.uint8), np.ones((CARD_SIZE_CELLS,) * 2, np.uint8)).any())


def remove_isolated_cells(mask: CellMask) -> CellMask:
    """`mask` without the cells that have no neighbor in it, because everything of interest is larger than one cell."""
    count = cv2.boxFilter(mask.astype(np.uint8), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return mask & (count > 1)


def filled(moving: CellMask) -> CellMask:
    """The convex hulls of the groups of `moving` cells. Between the edges of a moving hand, plain skin seems not to
    move."""
    near = cv2.dilate(moving.astype(np.uint8), np.ones((2 * MAX_GAP_CELLS + 1,) * 2, np.uint8))
    count, groups = cv2.connectedComponents(near)
    hulls = np.zeros(moving.shape, np.uint8)
    for group in range(1, count):
        cells = np.argwhere(moving & (groups == group))[:, ::-1]
        cv2.fillConvexPoly(hulls, cv2.convexHull(cells.astype(np.int32)), 1)
    return hulls.astype(bool)


def noise_per_texture(noise: CellGrid, texture: CellGrid) -> float:
    """The usual noise of textured cells, as a share of their texture; 0 if there are hardly any such cells. If the
    camera trembles very little, cells with more texture have more noise. So this noise is also to be expected where
    print has just come, and none could be measured yet."""
    noise, texture = noise[::2, ::2], texture[::2, ::2]  # enough for a median
    textured = texture > MIN_CELL_TEXTURE
    shares = np.sort(noise[textured] / texture[textured])  # several times as fast as NumPy's median
    return float(shares[len(shares) // 2]) if len(shares) >= MIN_PRINT_CELLS else 0.0


def cell_difference(features: CellGrid, before: CellGrid, overexposed: CellMask) -> CellGrid:
    """How much the `features` of each cell differ from those `before`, in gray levels. The texture of `overexposed`
    cells does not count."""
    brightness, texture = np.abs(features - before)
    return np.asarray(np.where(overexposed, brightness, np.maximum(brightness, texture)), np.float32)


def compare_cells(
    features: CellGrid,
    background: CellGrid,
    last: CellGrid,
    noise: CellGrid,
    overexposed: CellMask,
    usual_noise: float,
) -> tuple[CellGrid, CellGrid, int]:
    """The motion threshold of each cell, and how much it differs from the `last` frame. Also returns how many cells
    seem to move or, if there are more, how many differ from the background by more than MAX_MOTION_THRESHOLD.
    `usual_noise`: see `noise_per_texture`."""
    if native.is_enabled():
        limits = MOTION_NOISE_RATIO, MIN_MOTION_THRESHOLD, MAX_MOTION_THRESHOLD
        return native.compare_cells(features, background, last, noise, overexposed, usual_noise, limits)
    expected = np.maximum(noise, usual_noise * features[1])
    threshold = np.clip(MOTION_NOISE_RATIO * expected, MIN_MOTION_THRESHOLD, MAX_MOTION_THRESHOLD)
    motion, change = (cell_difference(features, before, overexposed) for before in (last, background))
    changes = np.count_nonzero(change > MAX_MOTION_THRESHOLD), np.count_nonzero(motion > threshold)
    return np.asarray(threshold, np.float32), motion, int(max(changes))


def update_cells(
    state: tuple[CellGrid, CellGrid, CellGrid],
    features: CellGrid,
    motion: CellGrid,
    threshold: CellGrid,
    overexposed: CellMask,
    t: float,
) -> ChangeMasks:
    """The change masks of a frame with these `features`, taken at `t` seconds. `motion`: how much each cell differs
    from the last frame. Updates the `state`, which consists of the background, the noise, and the time when each cell
    or a neighbor last moved. Of the background, only calm and unchanged cells are updated, and the texture only where
    it is not `overexposed`."""
    if native.is_enabled():
        constants = CHANGE_RATIO, NOISE_LEARNING_RATE, BACKGROUND_LEARNING_RATE
        return ChangeMasks(*native.update_cells(state, features, motion, threshold, overexposed, t, constants))
    background, noise, last_motion = state
    moving = remove_isolated_cells(motion > threshold)
    noise += np.where(moving, np.float32(0), np.float32(NOISE_LEARNING_RATE)) * (np.minimum(motion, threshold) - noise)
    changed = remove_isolated_cells(cell_difference(features, background, overexposed) > CHANGE_RATIO * threshold)
    disturbed = cv2.dilate(moving.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
    last_motion[disturbed] = t
    rate = np.where(disturbed | changed, np.float32(0), np.float32(BACKGROUND_LEARNING_RATE))
    rates = np.stack([rate, np.where(overexposed, np.float32(0), rate)])
    background += rates * (features - background)
    return ChangeMasks(moving, ~disturbed, changed, np.asarray(t - last_motion, np.float32))


class FrameComparison:
    """A fast test of whether a frame looks like a reference frame. Corrects for light that flickers or drifts, row by
    row."""

    def __init__(self) -> None:
        self._reference: Any = None

    def set_reference(self, frame: Frame) -> None:
        """Makes `frame` the reference that later frames are compared with."""
        self._reference = block_means(frame)

    def is_unchanged(self, frame: Frame) -> bool:
        """Whether each block of `frame` is as bright as in the reference, apart from noise and lighting."""
        now, reference = block_means(frame), self._reference
        if reference is None or now.shape != reference.shape:
            return False
        if cv2.norm(now, reference, cv2.NORM_INF) <= MAX_BLOCK_DIFFERENCE:
            return True
        return cv2.norm(now * row_gains(now, reference), reference, cv2.NORM_INF) <= MAX_BLOCK_DIFFERENCE


def block_means(frame: Frame) -> CellGrid:
    """The mean brightness of each block. Reads only every eighth row and every fourth column, because memory access is
    most of the cost."""
    rows, columns = (max(1, n // BLOCK_PX) for n in frame.shape[:2])
    plane = frame[..., 1] if frame.ndim == 3 else frame
    sample = np.ascontiguousarray(plane[: rows * BLOCK_PX : 2 * SAMPLE_STRIDE, : columns * BLOCK_PX : SAMPLE_STRIDE])
    return np.asarray(cv2.resize(sample, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


class ChangeDetector:
    """Detects which cells move or change. Remembers the background model, the last frame, and the time at which each
    cell last moved."""

    def __init__(self, noise: CellGrid | None = None) -> None:
        self.background: Any = None
        self.features: Any = None
        """The features of the last frame's cells, converted to the lighting of the background."""
        self._measured_features: Any = None
        """The features of the last frame's cells in the light of that frame."""
        self.light: Any = None
        """For each cell of the last frame, the factor that converts its brightness to the background's lighting."""
        self._absorbed: Any = None
        """Mask of the cells in which something unexplained, such as a resting hand, has become the background."""
        self._before_absorption: Any = None
        """The background of the absorbed cells before that. The other cells have no meaning."""
        self._local_light: Any = None
        """The part of `light` that remains after the gain of each row is divided out."""
        self.picture: Any = None
        """The reduced image of the background."""
        self.unsettled: Any = None
        """Mask of the cells that were moving, or between moving ones, when the whole last frame became the background,
        and have not become a part of it again since. The background may show a hand there."""
        self.reduced: Any = None
        """The last frame, reduced."""
        self._overexposed: Any = None
        self._recognized: CellMask | None = None
        self._last_features: Any = None
        """The features of the last frame's cells, with only the gain of each row compensated."""
        self.moved_at = -math.inf
        """The time of the last frame in which any cell moved, in seconds."""
        self._last_motion: Any = None
        self._noise: Any = noise
        self._gain: Any = None
        self._lighting: Any = None
        self._change_of_rows: Any = None
        """For each row, how its gain differs from its normal lighting, as a factor."""
        self._t = 0.0

    @property
    def usual_view(self) -> tuple[GrayImage, CellGrid] | None:
        """The background: its reduced image and the features of its cells. None before the first frame."""
        return None if self.background is None else (self.picture, self.background)

    @property
    def recognized(self) -> CellMask:
        """Mask of the cells of the last frame that show the print of the background, whatever the light."""
        if self._recognized is None:
            self._recognized = recognized_cells(self.picture, self.reduced)
        return self._recognized

    @property
    def overexposed(self) -> CellMask:
        """Mask of the cells that are overexposed in the last frame or in the one before."""
        return np.asarray(self._overexposed)

    @property
    def noise(self) -> CellGrid | None:
        """How much each cell differs from frame to frame by noise alone, in gray levels. None before the first
        frame."""
        return None if self._noise is None else np.array(self._noise)

    def update(self, reduced: GrayImage, features: CellGrid, t: float, same_hue: Callable[[], SameHue]) -> ChangeMasks:
        """Processes a reduced frame that was taken at `t` seconds, and returns its change masks. `features` are the
        features of the frame's cells. `same_hue` returns the cells whose hue is the same as before. The detector starts
        over at the first frame and at a frame of another size; in that frame every cell counts as moving."""
        if self.background is None or features.shape != self.background.shape:
            return self._start_over(features, reduced, t)
        self._overexposed = np.maximum(features[0], self._measured_features[0]) > OVEREXPOSED
        self._measured_features = features
        features = self._compensate_lighting(features, t)
        last, self._last_features = self._last_features, features
        usual_noise = noise_per_texture(self._noise, self.background[1])
        threshold, motion, changes = compare_cells(
            features, self.background, last, self._noise, self._overexposed, usual_noise
        )
        last_light, self._local_light = self._local_light, np.ones_like(motion)
        if changes >= MIN_CHANGE_OF_LIGHT * motion.size:
            features, motion = self._compensate_local_light(features, last, last_light, reduced, same_hue())
        self.light = self._gain * self._local_light
        self.features, self.reduced, self._recognized = features, reduced, None
        return self._classify(motion, threshold, t)

    def _compensate_lighting(self, features: CellGrid, t: float) -> CellGrid:
        """Converts `features` to the lighting of the background."""
        gain = self._gain = row_gains(features[0], self.background[0])
        self._change_of_rows = gain[:, 0] / self._lighting
        share = min(1.0, max(0.0, t - self._t) / LIGHTING_ADAPTATION_S)
        self._lighting += share * (gain[:, 0] - self._lighting)
        self._t = t
        return np.asarray(features * gain[None], np.float32)

    def _compensate_local_light(
        self, features: CellGrid, last: CellGrid, last_light: CellGrid, reduced: GrayImage, hue: SameHue
    ) -> tuple[CellGrid, CellGrid]:
        """Converts `features` to the lighting of the background where the print of the table is recognized. Also
        returns how much each cell differs from the `last` frame, and updates `_local_light`, which was `last_light` in
        that frame."""
        as_before = np.abs(features * last_light - self.background).max(0) < MIN_MOTION_THRESHOLD
        factor = local_light(
            features, self.background, as_before | recognized_cells(self.picture, reduced), hue.as_usual
        )
        self._local_light = factor
        since_last = local_light(features, last, recognized_cells(self.reduced, reduced), hue.as_last)
        motion = cell_difference(features * since_last, last, self._overexposed)
        return np.asarray(features * factor, np.float32), motion

    def has_usual_lighting(self, mask: CellMask) -> bool:
        """Whether the cells in `mask` can be compared with the background. They can't if the brightness of one of their
        rows changed differently from that of the whole image, unless print in the row confirms it."""
        deviating = deviating_rows(self._change_of_rows) & mask.any(1)
        return not deviating.any() or not (deviating & ~self._rows_with_print).any()

    @property
    def _rows_with_print(self) -> CellMask:
        """Mask of the rows whose gain is confirmed by print. In these rows, most of the cells that show the print of
        the background have changed by about this gain. So the light has changed, and nothing hides the row."""
        ratio = self._measured_features[0] * self._gain / (self.background[0] + 1)
        agree = (self.recognized & (np.abs(ratio - 1) < MAX_GAIN_DEVIATION)).sum(1)
        return np.asarray((agree >= MIN_PRINT_CELLS) & (2 * agree > self.recognized.sum(1)))

    @property
    def unusual_lighting(self) -> CellMask:
        """Mask of the cells that can't be compared with the background, because their row became brighter or darker by
        a different factor than the whole image."""
        return np.broadcast_to(deviating_rows(self._change_of_rows)[:, None], self.background.shape[1:])

    def last_motion_in(self, box: PixelBox) -> float:
        """When something last moved in `box` (in pixels): the time of that frame in seconds. Counts the cells that the
        box touches, and their neighbors."""
        x0, y0, x1, y1 = box
        return float(self._last_motion[y0 // CELL_PX : -(-y1 // CELL_PX), x0 // CELL_PX : -(-x1 // CELL_PX)].max())

    def last_motion(self, mask: CellMask) -> float:
        """When something last moved in `mask`: the time of that frame in seconds; -inf before the first frame. Counts
        the cells in the mask, and their neighbors."""
        return float(self._last_motion[mask].max(initial=-np.inf)) if self._last_motion is not None else -np.inf

    def share_showing(self, mask: CellMask, features: CellGrid) -> float:
        """The fraction (0 to 1) of the cells in `mask` whose features equal `features` (2 x n), apart from noise."""
        return float(self._shows(mask, features).mean())

    def _shows(self, mask: CellMask, features: CellGrid) -> CellMask:
        """Which of the cells in `mask` have the `features` (2 x n), apart from noise."""
        noise = MOTION_NOISE_RATIO * self._noise[mask]
        threshold = CHANGE_RATIO * np.clip(noise, MIN_MOTION_THRESHOLD, MAX_MOTION_THRESHOLD)
        return np.asarray(np.abs(self.features[:, mask] - features).max(0) < threshold)

    def add_to_background(self, mask: CellMask) -> None:
        """Makes the current features of the cells in `mask` their background."""
        if not mask.any():
            return
        self.background[:, mask] = self.features[:, mask]
        self._absorbed[mask] = self.unsettled[mask] = False
        side = CELL_PX // REDUCTION
        x, y, width, height = cv2.boundingRect(mask.astype(np.uint8))
        pixels = np.s_[y * side : (y + height) * side, x * side : (x + width) * side]
        cells = mask[y : y + height, x : x + width].repeat(side, 0).repeat(side, 1)
        self.picture = self.picture.copy()  # others may still refer to the earlier picture
        np.copyto(self.picture[pixels], self.reduced[pixels], where=cells)

    def absorb(self, mask: CellMask) -> None:
        """Makes the cells in `mask` part of the background, although nothing explains their change. Remembers what they
        looked like before, because what covers them may be taken away again."""
        if not mask.any():
            return
        first = mask & ~self._absorbed
        self._before_absorption[:, first] = self.background[:, first]
        absorbed = self._absorbed | mask
        self.add_to_background(mask)
        self._absorbed = absorbed

    def uncovered(self, masks: ChangeMasks) -> CellMask:
        """Mask of the calm, changed cells that look as before they were absorbed: what covered them is gone."""
        uncovered = self._absorbed & masks.changed & masks.calm
        if uncovered.any():
            uncovered[uncovered] = self._shows(uncovered, self._before_absorption[:, uncovered])
        return np.asarray(uncovered)

    def refresh_picture(self) -> None:
        """Replaces the picture of the background with the last frame. Call this only when nothing on the table has
        changed, so that the picture differs only in its light."""
        self.picture = self.reduced

    def reset_background(self) -> None:
        """Makes the whole last frame the background, and the lighting of this frame the normal lighting. The light was
        compensated by a comparison with another scene, so this compensation is undone."""
        self._set_background(self._measured_features, self.reduced)
        self.unsettled = filled(self._last_motion >= self._t)

    def _start_over(self, features: CellGrid, reduced: GrayImage, t: float) -> ChangeMasks:
        """Makes the frame `reduced` with its `features` the background, and returns change masks in which every cell
        is moving."""
        shape = features.shape[1:]
        self._set_background(features, reduced)
        if self._noise is None or self._noise.shape != shape:
            self._noise = np.full(shape, INITIAL_NOISE, np.float32)
        everywhere = np.ones(shape, bool)
        self._last_motion, self.moved_at, self._t = np.full(shape, t, np.float32), t, t
        return ChangeMasks(everywhere, ~everywhere, ~everywhere, np.zeros(shape, np.float32))

    def _set_background(self, features: CellGrid, reduced: GrayImage) -> None:
        """Makes the frame `reduced`, with its `features` as measured, the background and the last frame."""
        rows, shape = features.shape[1], features.shape[1:]
        self.background, self.features, self._last_features = features.copy(), features, features
        self._absorbed, self._before_absorption = np.zeros(shape, bool), features.copy()
        self.picture, self.reduced, self._measured_features = reduced, reduced, features
        self._overexposed = features[0] > OVEREXPOSED
        self.unsettled = np.zeros(shape, bool)
        self.light = self._local_light = np.ones(shape, np.float32)
        self._gain = np.ones((rows, 1), np.float32)
        self._lighting, self._change_of_rows = np.ones(rows), np.ones(rows)

    def _classify(self, motion: CellGrid, threshold: CellGrid, t: float) -> ChangeMasks:
        """The change masks for a frame taken at `t`. `motion`: how much each cell differs from the last frame.
        `threshold`: the motion threshold of each cell. Records the frame's motion, and updates the noise and the
        background."""
        state = self.background, self._noise, self._last_motion
        masks = update_cells(state, self.features, motion, threshold, self._overexposed, t)
        if masks.moving.any():
            self.moved_at = t
        return masks
