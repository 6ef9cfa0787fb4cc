"""Finds where something covers the printed pavement, even if it is as gray as the pavement.

Law: pure. Streets are paved with squares that are alternately lighter and darker. Whatever lies on them hides the
pattern. A shadow preserves the contrast between neighboring squares. Apart from the squares, only thin lines are
printed on streets.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.token_colors import PrintColor
from vision.cubes.color_calibration import LINEAR, PX_PER_MM, Floats
from vision.geometry import PixelMask

NEIGHBORHOOD_MM: Final = 5.0
"""Side of the square around a pixel in which pairs of a light and a dark pixel are counted."""
PAIR_DISTANCE_MM: Final = 3.0
"""Distance between the two pixels of a pair, one on a light stone and one on a dark stone (the squares of the
pavement). The two are far enough apart not to blur into each other."""
MIN_PAIR_DENSITY: Final = 0.1
"""With fewer pairs than this per pixel of the neighborhood, the pavement counts as uncovered."""
MIN_CONTRAST_RATIO, MAX_CONTRAST_RATIO = 0.3, 1.8
"""Limits of the contrast of an intact pair, relative to the contrast in print."""
MAX_SPOILED_PAIRS: Final = 0.65
"""If a larger share of the pairs is not intact, something covers the pavement. The edge of a shadow spoils fewer
pairs."""
MIN_INTACT_PAIRS: Final = 0.6
"""Where at least this share of the pairs is intact, nothing covers the pavement."""
MIN_PAIRS_MM2: Final = 12.0
"""With fewer pairs than this in all, nobody can say whether there is pavement. The unit is the density of the pairs
times an area. Fields full of cubes had 26 or more."""
MIN_INTACT_SHARE: Final = 0.45
"""On pavement, at least this share of all pairs is intact. On fields full of cubes, it was 0.5 or more, on cards
without a field 0.4 or less wherever there were enough pairs."""
MIN_OCCLUDER_MM: Final = 3.0
"""Narrower occlusions are ignored, because the shadow beside a cube looks like a narrow occlusion."""
MIN_LINE_CONTRAST: Final = 0.7
"""Narrow places that are brighter than their neighborhood by more than this are printed lines, not stones. The unit is
the printed contrast between light and dark stones."""
MAX_LINE_MM: Final = 2.5
"""The largest width of a printed line."""
MAX_PRINT_SHIFT_MM: Final = 1.5
"""How far the pavement may be from its nominal position, because paper is wavy and is not glued down quite straight."""


def occluded_pavement(
    brightness: Floats, light_stones: PixelMask, expected: PixelMask, stone_colors: tuple[PrintColor, PrintColor]
) -> PixelMask:
    """Mask of the pixels of a rectified window where something covers the pavement.

    `brightness` is the brightness of each pixel divided by that of the ground. `light_stones` masks the squares that
    are printed light. `expected` masks the pixels where the pavement should be visible. `stone_colors` are the print
    colors of the light and of the dark squares.
    """
    bare, intact, pairs = _pair_shares(brightness, light_stones, expected, stone_colors)
    occluded = (bare & (pairs >= MIN_PAIR_DENSITY) & (intact < (1 - MAX_SPOILED_PAIRS) * pairs)).astype(np.uint8)
    side = round(MIN_OCCLUDER_MM * PX_PER_MM)
    return np.asarray(cv2.morphologyEx(occluded, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), bool)


def visible_pavement(
    brightness: Floats, light_stones: PixelMask, expected: PixelMask, stone_colors: tuple[PrintColor, PrintColor]
) -> PixelMask:
    """Mask of the pixels whose neighborhood clearly shows the pattern of the pavement, which means that nothing covers
    it. The parameters are those of `occluded_pavement`."""
    bare, intact, pairs = _pair_shares(brightness, light_stones, expected, stone_colors)
    return np.asarray(bare & (pairs >= MIN_PAIR_DENSITY) & (intact >= MIN_INTACT_PAIRS * pairs))


def is_paved(
    brightness: Floats, light_stones: PixelMask, expected: PixelMask, stone_colors: tuple[PrintColor, PrintColor]
) -> bool:
    """Whether the pixels in `expected`, taken together, show the pattern of the pavement. The parameters are those of
    `occluded_pavement`."""
    bare, intact, pairs = _pair_shares(brightness, light_stones, expected, stone_colors)
    total = float(pairs[bare].sum())
    return total >= MIN_PAIRS_MM2 * PX_PER_MM**2 and float(intact[bare].sum()) >= MIN_INTACT_SHARE * total


def _pair_shares(
    brightness: Floats, light_stones: PixelMask, expected: PixelMask, stone_colors: tuple[PrintColor, PrintColor]
) -> tuple[PixelMask, Floats, Floats]:
    """Counts the pairs of a light and a dark pixel around each pixel (see `_pair_contrasts`). Returns a mask of the
    pixels that should show stones, the density of intact pairs, and the density of all pairs. The density is the number
    of pairs per pixel of the neighborhood. A pair is intact if it has about the contrast of the print. The parameters
    are those of `occluded_pavement`."""
    step = log_contrast(stone_colors)
    level = np.asarray(cv2.blur(np.log(np.maximum(brightness, 1e-3)).astype(np.float32), (3, 3)), np.float32)
    deviation = level - _local_mean(level, expected)
    bare = expected & ~_line_mask(deviation, MIN_LINE_CONTRAST * step)
    light = _align_stones(np.clip(deviation, -step, step), light_stones, bare)
    stone = np.where(_erode(light), 1, np.where(_erode(~light), -1, 0)) * bare
    contrasts = np.stack([_pair_contrasts(level, stone, axis) for axis in (0, 1)], 2)
    low, high = MIN_CONTRAST_RATIO * step, MAX_CONTRAST_RATIO * step
    intact = _local_share((contrasts >= low) & (contrasts <= high))
    return bare, intact, _local_share(~np.isnan(contrasts))


def _pair_contrasts(level: Floats, stone: NDArray[np.int_], axis: int) -> Floats:
    """The contrast of each pair of a light and a dark pixel, PAIR_DISTANCE_MM apart along `axis`: the `level` of the
    light pixel minus the `level` of the dark one. It is stored at the midpoint of the pair, with NaN where there is no
    pair. `stone` is 1 on light stones, -1 on dark ones, else 0."""
    half = round(PAIR_DISTANCE_MM * PX_PER_MM / 2)
    before, after = (np.roll(stone, sign * half, axis) for sign in (1, -1))
    difference = np.roll(level, half, axis) - np.roll(level, -half, axis)
    return np.asarray(np.where(before * after == -1, difference * before, np.nan), np.float32)


def log_contrast(colors: tuple[PrintColor, PrintColor]) -> float:
    """The contrast of two print colors, the lighter one first: the logarithm of the ratio of their linear light."""
    light, dark = (float(LINEAR[int(color[3:5], 16)]) for color in colors)
    return math.log(light / dark)


def _line_mask(deviation: Floats, min_deviation: float) -> PixelMask:
    """Mask of the narrow bright lines, including their blurred edges. A pixel is bright if its `deviation` exceeds
    `min_deviation`."""
    bright = (deviation > min_deviation).astype(np.uint8)
    side = round(MAX_LINE_MM * PX_PER_MM)
    broad = cv2.dilate(cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.ones((3, 3)))
    narrow = (bright > 0) & (np.asarray(broad) == 0)
    return np.asarray(cv2.dilate(narrow.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def _erode(mask: PixelMask) -> PixelMask:
    """`mask` without its boundary, which is blurred into its surroundings."""
    return np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)), bool)


def _align_stones(deviation: Floats, light_stones: PixelMask, expected: PixelMask) -> PixelMask:
    """Mask of the light stones in this frame: `light_stones`, shifted so that they correlate best with `deviation`.
    Only the pixels in `expected` count."""
    reach = round(MAX_PRINT_SHIFT_MM * PX_PER_MM)
    signed = np.where(light_stones, 1, -1).astype(np.float32)
    padded = np.pad(signed, reach, mode="edge")
    scores = cv2.matchTemplate(padded, np.where(expected, deviation, 0).astype(np.float32), cv2.TM_CCORR)
    down, right = np.unravel_index(int(scores.argmax()), scores.shape)
    rows, columns = light_stones.shape
    return np.asarray(padded[down : down + rows, right : right + columns] > 0, bool)


def _local_share(mask: NDArray[np.bool_]) -> Floats:
    """For each pixel, the share of its neighborhood that is in `mask`. If `mask` has several channels, the shares of
    the channels are added."""
    side = round(NEIGHBORHOOD_MM * PX_PER_MM)
    shares = cv2.blur(mask.astype(np.float32), (side, side))
    return np.asarray(shares if mask.ndim == 2 else shares.sum(2), np.float32)


def _local_mean(values: Floats, mask: PixelMask) -> Floats:
    """For each pixel, the mean of those `values` in its neighborhood that are in `mask`."""
    side = round(NEIGHBORHOOD_MM * PX_PER_MM)
    total = cv2.blur(np.where(mask, values, 0).astype(np.float32), (side, side))
    return np.asarray(total / np.maximum(_local_share(mask), 1e-6), np.float32)
