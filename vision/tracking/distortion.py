"""Radial lens distortion, estimated from a mat whose corner codes are at known places.

Law: pure. One coefficient is enough for common cameras: a point is displaced toward the center of the image by the
coefficient times the cube of its distance from the center. The unit of distance is half the diagonal of the image.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Frame, Points

COEFFICIENTS = np.linspace(-0.15, 0.4, 56)
"""The coefficients that are tried. A positive coefficient is barrel distortion; wide lenses have large ones. The result
is interpolated around the best coefficient."""
INVERSION_STEPS = 12
"""After this many steps the inverse of the distortion is exact to a hundredth of a pixel."""
MAX_ERROR_RATIO = 0.6
"""A distortion is accepted if the error of the corners falls below this share of the error without it. Fitting a
distortion to mere noise leaves a share of 0.8."""


@dataclass(frozen=True)
class RadialDistortion:
    """The radial distortion of a lens. A `coefficient` of 0 means no distortion. `size` is the width and height of the
    image in pixels."""

    coefficient: float
    size: tuple[int, int]

    def undistort(self, px: Points) -> Points:
        """Corrects pixels of this lens, n x 2: returns where a lens without distortion would show the same points."""
        center = (np.array(self.size) - 1) / 2
        offset = px - center
        squared_radius = (offset * offset).sum(1, keepdims=True) / (center @ center)
        return np.asarray(center + offset * (1 + self.coefficient * squared_radius))

    def distort(self, px: Points) -> Points:
        """The inverse of `undistort`: takes pixels of a lens without distortion, n x 2, and returns where this lens
        shows the same points."""
        center = (np.array(self.size) - 1) / 2
        target = (px - center) / np.linalg.norm(center)
        offset = target
        for _ in range(INVERSION_STEPS):
            offset = target / (1 + self.coefficient * (offset * offset).sum(-1, keepdims=True))
        return np.asarray(center + offset * np.linalg.norm(center))

    def undistort_frame(self, frame: Frame) -> Frame:
        """The frame as a lens without distortion would show it."""
        x, y = distortion_maps(self)
        return np.asarray(cv2.remap(frame, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@lru_cache(maxsize=1)
def distortion_maps(lens: RadialDistortion) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """For each pixel of an undistorted frame, where the lens shows it: the two maps that OpenCV's `remap` needs."""
    width, height = lens.size
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), 2).astype(float)
    at = lens.distort(grid).astype(np.float32)
    x, y = cv2.convertMaps(at[..., 0], at[..., 1], cv2.CV_16SC2)
    return np.asarray(x, np.int16), np.asarray(y, np.uint16)


def estimate_distortion(px: Points, mm: Points, size: tuple[int, int]) -> RadialDistortion | None:
    """The distortion of the lens with which the pixels `px` best fit the points `mm` on the mat (n x 2 each). None if
    even the best distortion hardly reduces the error. `size` is the width and height of the image."""
    errors = np.array([homography_error(RadialDistortion(float(k), size).undistort(px), mm) for k in COEFFICIENTS])
    best = int(np.clip(errors.argmin(), 1, len(errors) - 2))
    before, least, after = errors[best - 1 : best + 2]
    curvature = before - 2 * least + after
    step = COEFFICIENTS[1] - COEFFICIENTS[0]
    lens = RadialDistortion(float(COEFFICIENTS[best] + (before - after) / (2 * curvature) * step), size)
    limit = MAX_ERROR_RATIO**2 * homography_error(px, mm)
    return lens if curvature > 0 and homography_error(lens.undistort(px), mm) < limit else None


def homography_error(px: Points, mm: Points) -> float:
    """The mean squared error, in mm², of the homography that maps `px` to `mm` best; infinite if there is none."""
    to_mm, _ = cv2.findHomography(px, mm, 0)
    if to_mm is None:
        return float("inf")
    error = cv2.perspectiveTransform(px[None].astype(float), to_mm)[0] - mm
    return float((error * error).sum(1).mean())
