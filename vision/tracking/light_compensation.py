"""Compensates for changes in the light, so that a shadow or a flickering lamp does not count as a change on the table.

There are two steps. The *gain* is one factor for each row of cells, because mains flicker appears as horizontal bands.
The *local light* is a factor for each cell: where the print of the table is recognized, any difference in brightness
must come from the light. The plain cells in between are corrected too, if the light nearby can explain their
differences.

Law: pure.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.geometry import CellGrid, CellMask, GrayImage
from vision.tracking.reduced_image import cell_means

MAX_GAIN_DEVIATION = 0.2
"""A row whose gain differs from that of the whole image by more than this share shows something large and plain, such
as a sleeve."""
GAIN_LIMITS = (0.2, 5)
"""The smallest and the largest gain of a row."""
MIN_PRINT_CORRELATION = 0.85
"""The print under a cell is recognized if the cell and its neighborhood correlate with the background by more than
this."""
MIN_PRINT_VARIANCE = 8.0
"""A cell with less variance than this, in squared gray levels, shows no print that could be recognized."""
LIGHT_SMOOTHING_CELLS = 2.0
"""The standard deviation of the Gaussian by which the local light is interpolated, in cells."""
MAX_PLAIN_TEXTURE = 0.06
"""The texture of a plain cell relative to its brightness is less than this."""
NEARBY_CELLS = 13
"""The side of the square around a plain cell, in cells, in which recognized cells show what light is possible."""
MAX_LIGHT_ERROR = 0.05
"""By how much the change of light in a plain cell may lie outside the range of the changes in the recognized cells
nearby. It is a difference of logarithms, which is nearly a relative difference."""
MIN_EVIDENCE = 0.05
"""With less than this share of recognized cells around it, a cell is hardly corrected."""


def row_gains(now: CellGrid, before: CellGrid) -> CellGrid:
    """For each row of cells, the factor that turns the brightness of the row now into its brightness before: the median
    of the factors of its cells. The result is rows x 1."""
    ratio = (before + 1) / (now + 1)
    middle = ratio.shape[1] // 2
    ratio.partition(middle, axis=1)
    return np.asarray(np.clip(ratio[:, middle : middle + 1], *GAIN_LIMITS), np.float32)


def deviating_rows(change: CellGrid) -> CellMask:
    """Mask of the rows of cells whose brightness changed by a different factor than that of the whole image.

    `change` is the factor by which the brightness of each row changed. New lighting changes all rows. So if some rows
    stay the same, the lighting has not changed, and something hides the other rows.
    """
    tenth = max(1, len(change) // 10)
    ordered = np.sort(change)
    lighting = min(max(1.0, float(ordered[tenth - 1])), float(ordered[-tenth]))
    return np.asarray(np.abs(change / lighting - 1) > MAX_GAIN_DEVIATION)


def recognized_cells(before: GrayImage, now: GrayImage) -> CellMask:
    """Mask of the cells that show the same print in both reduced images, whatever the light."""
    x, y = before.astype(np.float32), now.astype(np.float32)
    products = (x, y, cv2.multiply(x, x), cv2.multiply(y, y), cv2.multiply(x, y))
    mx, my, xx, yy, xy = (cv2.GaussianBlur(cell_means(each), (3, 3), 0) for each in products)
    variance_before, variance_now = xx - mx * mx, yy - my * my
    limit = MIN_PRINT_CORRELATION * np.sqrt(np.maximum(variance_before * variance_now, 1.0))
    return np.asarray((xy - mx * my > limit) & (variance_before > MIN_PRINT_VARIANCE))


def local_light(now: CellGrid, before: CellGrid, recognized: CellMask, same_hue: CellMask) -> CellGrid:
    """For each cell, the factor that turns the brightness of the cell now into its brightness before, if only the light
    has changed. `now` and `before` are the features of the cells: brightness and texture. `recognized` masks the cells
    that show the same print as before, `same_hue` the cells that may be the same surface as before."""
    ratio = np.log((before[0] + 1) / (now[0] + 1))
    weights = recognized.astype(np.float32)
    size, sigma = (0, 0), LIGHT_SMOOTHING_CELLS
    evidence = cv2.GaussianBlur(weights, size, sigma)
    around = cv2.GaussianBlur(ratio * weights, size, sigma) / (evidence + MIN_EVIDENCE)
    plain = same_hue & plain_cells(now) & plain_cells(before)
    known = recognized | plain & ~is_outside(ratio, recognized)
    return np.asarray(np.exp(np.where(known, ratio, around)), np.float32)


def plain_cells(features: CellGrid) -> CellMask:
    """Mask of the cells without print."""
    return np.asarray(features[1] < MAX_PLAIN_TEXTURE * features[0])


def is_outside(ratio: CellGrid, recognized: CellMask) -> CellMask:
    """Mask of the cells whose change of brightness lies outside the range of the changes in the `recognized` cells
    nearby. `ratio` is the logarithm of the factor by which each cell has changed."""
    kernel = np.ones((NEARBY_CELLS, NEARBY_CELLS), np.uint8)
    low = -cv2.dilate(np.where(recognized, -ratio, -np.inf).astype(np.float32), kernel)
    high = cv2.dilate(np.where(recognized, ratio, -np.inf).astype(np.float32), kernel)
    return np.asarray((ratio < low - MAX_LIGHT_ERROR) | (ratio > high + MAX_LIGHT_ERROR))
