"""Finds where something covers the printed pavement, even if it is as gray as the pavement.

Law: pure. Streets are paved with squares that are alternately lighter and darker. Whatever lies on them hides the
pattern. A shadow preserves the contrast between neighbouring squares, and what else is printed there is only thin
lines.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.token_colors import PrintColor
from vision.cubes.color_calibration import LINEAR, PX_PER_MM, Floats

Mask = NDArray[np.bool_]

NEIGHBORHOOD_MM: Final = 5.0
"""The side of the square around a pixel in which pairs are counted."""
PAIR_DISTANCE_MM: Final = 3.0
"""Between the two pixels of a pair, one on a light and one on a dark stone; far enough not to blur into each other."""
MIN_PAIR_DENSITY: Final = 0.1
"""Pairs per pixel of the neighbourhood below which nothing is concluded."""
MIN_CONTRAST_RATIO, MAX_CONTRAST_RATIO = 0.3, 1.8
"""The contrast of an intact pair relative to that in print. The edge of a shadow spoils some pairs ..."""
MAX_SPOILED_PAIRS: Final = 0.65
"""... but no more than this share of them."""
MIN_OCCLUDER_MM: Final = 3.0
"""Narrower occlusions lie beside a cube, in its shadow."""
MIN_LINE_CONTRAST: Final = 0.7
"""Pixels brighter than their neighbourhood by this many steps of print contrast are no stone, but a line if narrow."""
MAX_LINE_MM: Final = 2.5
MAX_PRINT_SHIFT_MM: Final = 1.5
"""How far the pavement may be from its nominal position: paper is wavy, and not glued down quite straight."""


def occluded_pavement(
    brightness: Floats, light_stones: Mask, expected: Mask, stone_colors: tuple[PrintColor, PrintColor]
) -> Mask:
    """The pixels of a rectified window where something covers the pavement.

    `brightness` is relative to white; `light_stones` masks the squares that are light in print, `expected` the pixels
    where the pavement should be visible; `stone_colors` are the print colors of the light and the dark squares.
    """
    step = log_contrast(stone_colors)
    level = np.asarray(cv2.blur(np.log(np.maximum(brightness, 1e-3)).astype(np.float32), (3, 3)), np.float32)
    deviation = level - _local_mean(level, expected)
    bare = expected & ~_lines(deviation, MIN_LINE_CONTRAST * step)
    light = _registered(np.clip(deviation, -step, step), light_stones, bare)
    stone = np.where(_eroded(light), 1, np.where(_eroded(~light), -1, 0)) * bare
    contrasts = [_pair_contrasts(level, stone, axis) for axis in (0, 1)]
    low, high = MIN_CONTRAST_RATIO * step, MAX_CONTRAST_RATIO * step
    intact = sum(_local_share((contrast >= low) & (contrast <= high)) for contrast in contrasts)
    pairs = sum(_local_share(~np.isnan(contrast)) for contrast in contrasts)
    occluded = (bare & (pairs >= MIN_PAIR_DENSITY) & (intact < (1 - MAX_SPOILED_PAIRS) * pairs)).astype(np.uint8)
    side = round(MIN_OCCLUDER_MM * PX_PER_MM)
    return np.asarray(cv2.morphologyEx(occluded, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), bool)


def _pair_contrasts(level: Floats, stone: NDArray[np.int_], axis: int) -> Floats:
    """At the midpoint of each light-dark pair along an axis: by how much the light pixel is brighter. NaN elsewhere."""
    half = round(PAIR_DISTANCE_MM * PX_PER_MM / 2)
    before, after = (np.roll(stone, sign * half, axis) for sign in (1, -1))
    difference = np.roll(level, half, axis) - np.roll(level, -half, axis)
    return np.asarray(np.where(before * after == -1, difference * before, np.nan), np.float32)


def log_contrast(colors: tuple[PrintColor, PrintColor]) -> float:
    """The logarithm of the ratio of two print colors' linear light."""
    light, dark = (float(LINEAR[int(color[3:5], 16)]) for color in colors)
    return math.log(light / dark)


def _lines(deviation: Floats, min_deviation: float) -> Mask:
    """Narrow bright lines, including their blurred edges."""
    bright = (deviation > min_deviation).astype(np.uint8)
    side = round(MAX_LINE_MM * PX_PER_MM)
    broad = cv2.dilate(cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.ones((3, 3)))
    narrow = (bright > 0) & (np.asarray(broad) == 0)
    return np.asarray(cv2.dilate(narrow.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def _eroded(mask: Mask) -> Mask:
    """The mask without its boundary, which is blurred into its surroundings."""
    return np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)), bool)


def _registered(deviation: Floats, light_stones: Mask, expected: Mask) -> Mask:
    """Where the pavement is light in this frame: the print, shifted to the best cross-correlation."""
    reach = round(MAX_PRINT_SHIFT_MM * PX_PER_MM)
    signed = np.where(light_stones, 1, -1).astype(np.float32)
    padded = np.pad(signed, reach, mode="edge")
    scores = cv2.matchTemplate(padded, np.where(expected, deviation, 0).astype(np.float32), cv2.TM_CCORR)
    down, right = np.unravel_index(int(scores.argmax()), scores.shape)
    rows, columns = light_stones.shape
    return np.asarray(padded[down : down + rows, right : right + columns] > 0, bool)


def _local_share(mask: Mask) -> Floats:
    """The share of each pixel's neighbourhood that is in a mask."""
    side = round(NEIGHBORHOOD_MM * PX_PER_MM)
    return np.asarray(cv2.blur(mask.astype(np.float32), (side, side)), np.float32)


def _local_mean(values: Floats, mask: Mask) -> Floats:
    """The mean, over each pixel's neighbourhood, of the values in a mask."""
    side = round(NEIGHBORHOOD_MM * PX_PER_MM)
    total = cv2.blur(np.where(mask, values, 0).astype(np.float32), (side, side))
    return np.asarray(total / np.maximum(_local_share(mask), 1e-6), np.float32)
