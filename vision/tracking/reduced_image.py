"""Images reduced to a quarter of the width and height, in which changes are detected. A cell has only 4 x 4 pixels
there, and these have little noise.

Law: pure.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from vision.decoding import native
from vision.geometry import CELL_PX, CellGrid, Frame, GrayImage
from vision.yuv import to_gray

REDUCTION = 4
"""Frames are reduced by this factor before they are compared."""


def reduce(frame: Frame) -> GrayImage:
    """The image, gray or BGR, in gray, cut to whole cells and reduced by `REDUCTION`: each pixel is the mean of 4 x 4
    pixels. The image is halved twice, because OpenCV is very fast at that. The extension does not convert every pixel
    of a BGR image to gray, which takes longer, so it rounds differently."""
    rows, columns = (max(1, n // CELL_PX) for n in frame.shape[:2])
    if native.is_enabled() and frame.ndim == 3 and min(frame.shape[:2]) >= CELL_PX:
        return native.reduce(frame, rows * CELL_PX // REDUCTION, columns * CELL_PX // REDUCTION)
    gray, half = to_gray(frame), (columns * CELL_PX // 2, rows * CELL_PX // 2)
    halved = cv2.resize(gray[: rows * CELL_PX, : columns * CELL_PX], half, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(halved, (half[0] // 2, half[1] // 2), interpolation=cv2.INTER_AREA), np.uint8)


def cell_features(reduced: GrayImage) -> CellGrid:
    """The brightness and the texture of each cell of a reduced image, in gray levels: 2 x rows x columns."""
    if native.is_enabled():
        return native.cell_features(reduced)
    differences = np.zeros_like(reduced)
    if reduced.shape[1] > 1:  # OpenCV accepts no empty arrays
        differences[:, 1:] = cv2.absdiff(reduced[:, 1:], reduced[:, :-1])
    return np.stack([cell_means(each.astype(np.float32)) for each in (reduced, differences)])


def cell_means(reduced: Any) -> CellGrid:
    """The mean of each cell of a reduced image of whole cells. The image is halved twice, as in `reduce`."""
    side = CELL_PX // REDUCTION
    rows, columns = (n // side for n in reduced.shape)
    halved = cv2.resize(reduced, (columns * 2, rows * 2), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(halved, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)
