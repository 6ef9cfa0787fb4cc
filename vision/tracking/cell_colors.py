"""The mean color of each cell of an image, in the color space of the camera: gray, BGR or YUV.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import CELL_PX, CellGrid, CellMask, Frame
from vision.yuv import CameraImage, YuvImage

COLOR_STRIDE = 4
"""Colors are sampled from every fourth row and every fourth column."""
MAX_HUE_DIFFERENCE, MAX_CHROMA_DIFFERENCE = 0.04, 0.15
"""Two BGR colors have the same hue if the share of each channel in the sum of the three channels differs by less than
the first limit. Two YUV colors have the same hue if 2 U / Y and 2 V / Y differ by less than the second limit."""

CellColors = NDArray[np.float32]
"""The mean color of each cell: rows x columns x channels."""
CellBox = tuple[slice, slice]
"""A box of cells: the rows and the columns."""
EVERYWHERE: CellBox = np.s_[:, :]


def cell_colors(image: CameraImage, *, exact: bool = False) -> CellColors:
    """The mean color of each cell, in the color space of `image`. Colors from different cameras can't be compared. With
    `exact`, all pixels count. This takes several times as long, but leaves only a quarter of the noise."""
    return colors_in(EVERYWHERE, image, exact_mean_colors if exact else mean_colors)


def update_colors(colors: CellColors, cells: CellMask, image: CameraImage, light: CellGrid) -> None:
    """Replaces the `colors` of these `cells`, which must not be none, by those in `image`, converted to other light
    (see `relight`). Every pixel of the smallest box around the cells is read."""
    x, y, width, height = cv2.boundingRect(cells.astype(np.uint8))
    box = np.s_[y : y + height, x : x + width]
    now = relight(colors_in(box, image, exact_mean_colors), light[box], image)
    colors[box][cells[box]] = now[cells[box]]


def colors_in(box: CellBox, image: CameraImage, mean: Callable[[Frame, int], CellColors]) -> CellColors:
    """The mean color of each cell in `box`. `mean`: `mean_colors` or `exact_mean_colors`."""
    if isinstance(image, YuvImage):
        # Doubled, because differences in U and V are little more than half of those in blue and red.
        chroma = (2 * mean(part(plane, box, CELL_PX // 2), CELL_PX // 2) for plane in image.chroma())
        return np.concatenate([mean(part(image.luma, box, CELL_PX), CELL_PX), *chroma], 2)
    return mean(part(image, box, CELL_PX), CELL_PX)


def part(plane: Frame, box: CellBox, cell_px: int) -> Frame:
    """The part of an image, or of a plane of it, inside `box`. `cell_px` is the side of a cell in this plane."""
    rows, columns = (slice(each.start * cell_px, each.stop * cell_px) if each.stop else each for each in box)
    return plane[rows, columns]


def relight(colors: CellColors, light: CellGrid, image: CameraImage) -> CellColors:
    """The `colors` of the cells of `image` as they would be in other light: the brightness of each cell is multiplied
    by the cell's factor in `light`."""
    gray = np.array([0, 256, 256] if isinstance(image, YuvImage) else [0], np.float32)
    return np.asarray((colors - gray) * light[:, :, None] + gray, np.float32)


def mean_colors(frame: Frame, cell_px: int) -> CellColors:
    """The mean color of each square of `cell_px` x `cell_px` pixels: rows x columns x channels. Only every fourth row
    and every fourth column of pixels is read."""
    rows, columns = (max(1, n // cell_px) for n in frame.shape[:2])
    samples = columns * cell_px // COLOR_STRIDE, rows * cell_px // COLOR_STRIDE
    # Without interpolation, OpenCV takes every fourth pixel, three times as fast as NumPy.
    sample = cv2.resize(frame[: rows * cell_px, : columns * cell_px], samples, interpolation=cv2.INTER_NEAREST)
    mean = cv2.resize(sample, (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(mean, np.float32).reshape(rows, columns, -1)


def exact_mean_colors(frame: Frame, cell_px: int) -> CellColors:
    """Like `mean_colors`, but every pixel is read. The frame is halved several times, because OpenCV is very fast at
    that."""
    rows, columns = (max(1, n // cell_px) for n in frame.shape[:2])
    mean = frame[: rows * cell_px, : columns * cell_px]
    while cell_px > 1:
        cell_px //= 2
        mean = np.asarray(cv2.resize(mean, (columns * cell_px, rows * cell_px), interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(mean, np.float32).reshape(rows, columns, -1)


def have_same_hue(a: CellColors, b: CellColors, image: CameraImage) -> CellMask:
    """Mask of the cells that have the same color in `a` as in `b`, apart from brightness. The mask contains all cells
    if `a` and `b` come from gray images, or if they have different sizes. `image` is one of the images from which the
    colors come; only its color space matters."""
    if a.shape != b.shape or a.shape[2] == 1:
        return np.ones(a.shape[:2], bool)
    if isinstance(image, YuvImage):
        hue, other = ([(plane - 256) / np.maximum(y, 1) for plane in uv] for y, *uv in map(cv2.split, (a, b)))
        return within(hue, other, MAX_CHROMA_DIFFERENCE)
    hue, other = ([plane / np.maximum(sum(bgr), 1) for plane in bgr] for bgr in map(cv2.split, (a, b)))
    return within(hue, other, MAX_HUE_DIFFERENCE)


def within(a: Iterable[ArrayLike], b: Iterable[ArrayLike], limit: float) -> CellMask:
    """Mask of the cells in which each channel of `a` differs by less than `limit` from the same channel of `b`. The
    channels are compared one after the other, because NumPy is slow at reducing a short last axis."""
    return np.asarray(np.logical_and.reduce([np.abs(np.subtract(x, y)) < limit for x, y in zip(a, b, strict=False)]))
