"""Draws a small wooden cube as a camera sees it: its top, the visible sides and its shadow.

Law: pure. Positions are millimeters on the mat, heights millimeters above it. `projection` is the camera's 3 x 4
projection matrix, from homogeneous (x, y, height, 1) to homogeneous pixels.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Frame, Matrix, Points

BgrColor = tuple[float, float, float]
"""Blue, green, red; each 0 to 255."""

LAMP_DIRECTION = (-0.5, -0.35)
"""The direction from a cube to the lamp: x and y along the mat, per unit of height."""
SIDE_BRIGHTNESS, LIT_SIDE_GAIN = 0.5, 0.35
"""The brightness of a side that faces away from the lamp, and how much is added for a side that faces the lamp. Both
are relative to the brightness of the top."""
SHADOW_STRENGTH = 0.35
"""The share of the light that a shadow takes away."""


def draw_cube(
    picture: Frame,
    projection: Matrix,
    x: float,
    y: float,
    angle: float,
    edge: float,
    color: BgrColor,
    height: float = 0.0,
) -> None:
    """Draws a cube centered at (x, y) in mm, rotated clockwise by `angle` degrees, with edges of `edge` mm. `height`:
    how high the cube's bottom is above the mat, in mm. Draw the cubes farthest from the camera first, and in a stack
    the lowest first."""
    base = square_corners(x, y, angle, edge)
    bottom, top = (np.column_stack([base, np.full(4, at)]) for at in (height, height + edge))
    for n in range(4):
        side = project(projection, np.array([bottom[n - 1], bottom[n], top[n], top[n - 1]]))
        if _faces_camera(side):
            fill_polygon(picture, side, _side_color(color, base[n] - base[n - 1]))
    fill_polygon(picture, project(projection, top), color)


def square_corners(x: float, y: float, angle: float, edge: float) -> Points:
    """The corners of a square with sides of `edge`, centered at (x, y) and rotated clockwise by `angle` degrees: 4 x 2,
    clockwise in the picture."""
    c, s = math.cos(math.radians(angle)) * edge / 2, math.sin(math.radians(angle)) * edge / 2
    return np.array([(x - c + s, y - s - c), (x + c + s, y + s - c), (x + c - s, y + s + c), (x - c - s, y - s + c)])


def project(projection: Matrix, points: Points) -> Points:
    """The pixels (n x 2) at which `points` appear. `points` has a row (x, y, height) in millimeters for each point."""
    homogeneous = np.column_stack([points, np.ones(len(points))]) @ projection.T
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], float)


def fill_polygon(picture: Frame, outline: Points, color: tuple[float, ...]) -> None:
    """Fills the polygon `outline`, which is in pixels, with antialiased edges."""
    cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], color, cv2.LINE_AA, 4)


def _faces_camera(side: Points) -> bool:
    """Whether the outside of `side` is visible: only then do the corners of the side run clockwise in the picture
    (shoelace formula)."""
    x, y = side[:, 0], side[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) > 0


def _side_color(color: BgrColor, base_edge: NDArray[np.float64]) -> BgrColor:
    """The color of a side of a cube. `base_edge` is the lower edge of the side; the edges of the base run clockwise.
    `color` is the color of the cube's top."""
    outward = np.array([base_edge[1], -base_edge[0]]) / np.hypot(*base_edge)
    light = SIDE_BRIGHTNESS + LIT_SIDE_GAIN * max(0.0, float(outward @ LAMP_DIRECTION) / math.hypot(*LAMP_DIRECTION))
    return color[0] * light, color[1] * light, color[2] * light


def draw_shadow(
    picture: Frame, projection: Matrix, x: float, y: float, angle: float, edge: float, height: float = 0.0
) -> None:
    """Draws the shadow that a cube casts on the mat, with a soft edge. The cube's bottom is `height` mm above the mat.
    Draw all shadows before any cube. Shadows on other cubes are left out."""
    base = square_corners(x, y, angle, edge)
    footprint = np.concatenate([base - np.multiply(LAMP_DIRECTION, at) for at in (height, height + edge)])
    outline = project(projection, np.column_stack([footprint, np.zeros(8)]))
    low = np.maximum(np.floor(outline.min(0)).astype(int) - 4, 0)
    high = np.ceil(outline.max(0)).astype(int) + 5
    area = picture[low[1] : high[1], low[0] : high[0]]
    if area.size:
        mask = np.zeros(area.shape[:2], np.float32)
        hull = cv2.convexHull((outline - low).astype(np.float32))[:, 0]
        cv2.fillPoly(mask, [np.round(hull * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        area[:] = area * (1 - SHADOW_STRENGTH * cv2.GaussianBlur(mask, (0, 0), 1.5))[:, :, None]
