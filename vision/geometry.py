"""Types for images, regions, points and matrices, and functions for boxes and quadrilaterals.

Law: pure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GrayImage = NDArray[np.uint8]
"""A gray image, height x width."""
Frame = NDArray[np.uint8]
"""An image, height x width (gray), or height x width x 3 (blue, green, red)."""
CellMask = NDArray[np.bool_]
"""True or false for each cell of an image: rows x columns. A cell is a square of `CELL_PX` x `CELL_PX` pixels."""
PixelMask = NDArray[np.bool_]
"""True or false for each pixel of an image, height x width."""
CellGrid = NDArray[np.float32]
"""A number for each cell of an image, rows x columns."""
Points = NDArray[np.float64]
"""Points, n x 2: in an image, in pixels, with the center of the top left pixel at (0, 0); or on the mat, in mm."""
Matrix = NDArray[np.float64]
"""A matrix that maps homogeneous coordinates, such as a homography from pixels to millimeters (3 x 3)."""
Quads = NDArray[np.float64]
"""The corners of n quadrilaterals in pixels: n x 4 x 2."""
PixelBox = tuple[int, int, int, int]
"""A rectangle in an image: x0, y0, x1, y1 in pixels. x1 and y1 are excluded."""

NEXT_CORNERS = (1, 2, 3, 0)
"""For each corner of a quadrilateral, the index of the next one. Indexing with it is faster than `np.roll`."""
CELL_PX = 16
"""The width and height of a cell, in pixels. Changes of the image are detected cell by cell."""


def clip_box(box: PixelBox, shape: tuple[int, ...]) -> PixelBox:
    """The part of the box inside an image of this shape (height, width, …)."""
    height, width = shape[:2]
    return max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)


def centroids(quads: Quads) -> Points:
    """The mean of the corners of each quadrilateral. Adding slices takes a third of the time of `np.mean`."""
    return np.asarray((quads[:, 0] + quads[:, 1] + quads[:, 2] + quads[:, 3]) / 4)


def mean_side_lengths(quads: Quads) -> NDArray[np.float64]:
    """The mean edge length of each quadrilateral, in pixels."""
    edges = quads[:, NEXT_CORNERS] - quads
    return np.asarray(np.hypot(edges[..., 0], edges[..., 1]).sum(1) / 4)


def scale_about_centroid(corners: Points, factor: float) -> Points:
    """The quadrilateral scaled by `factor` about its centroid."""
    centroid = corners.mean(0)
    return np.asarray((corners - centroid) * factor + centroid)


def diagonal_intersection(corners: Points) -> Points:
    """The point where the diagonals of a quadrilateral cross; the quadrilateral's centroid if the diagonals are
    parallel."""
    a, b, c, d = corners
    diagonal, other = c - a, d - b
    area = diagonal[0] * other[1] - diagonal[1] * other[0]
    if abs(area) < 1e-9:
        return np.asarray(corners.mean(0))
    share = ((b - a)[0] * other[1] - (b - a)[1] * other[0]) / area
    return np.asarray(a + diagonal * share)
