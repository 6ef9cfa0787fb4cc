"""What a camera sees of a small wooden cube: its top, the sides that face the camera, its shadow.

Law: pure. Places are millimetres on the mat, heights millimetres above it; `lens` is a 3 x 4 matrix from
(x, y, height, 1) to pixels.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Frame, Points

Colour = tuple[float, float, float]
"""Blue, green, red."""

LAMP = (-0.5, -0.35)
"""The way to the lamp along the mat; it stands about half as far aside as above."""
SIDE_DARK, SIDE_LIT = 0.5, 0.35
"""How bright a side is that turns away from the lamp, and how much brighter one that faces it, against the top."""
SHADOW = 0.35
"""How much light a shadow takes away."""


def draw_cube(picture: Frame, lens: Points, x: float, y: float, angle: float, edge: float, colour: Colour) -> None:
    """Draws a cube by its middle; `angle` is clockwise, degrees. Draw the ones farthest from the camera first."""
    base = corners(x, y, angle, edge)
    foot, top = (np.column_stack([base, np.full(4, height)]) for height in (0.0, edge))
    for n in range(4):
        side = projected(lens, np.array([foot[n - 1], foot[n], top[n], top[n - 1]]))
        if _faces_us(side):
            fill(picture, side, _shaded(colour, base[n] - base[n - 1]))
    fill(picture, projected(lens, top), colour)


def corners(x: float, y: float, angle: float, edge: float) -> Points:
    """The corners of a square around its middle: 4 x 2, clockwise in the picture."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * edge / 2
    return np.asarray(half @ np.array([[c, s], [-s, c]]) + (x, y), float)


def projected(lens: Points, places: Points) -> Points:
    """The pixels of places in millimetres, n x 3 -> n x 2."""
    seen = np.column_stack([places, np.ones(len(places))]) @ lens.T
    return np.asarray(seen[:, :2] / seen[:, 2:], float)


def fill(picture: Frame, outline: Points, colour: tuple[float, ...]) -> None:
    """A polygon in pixels, with smooth edges."""
    cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _faces_us(side: Points) -> bool:
    """Whether we look at a side from outside: its corners run clockwise in the picture then."""
    x, y = side[:, 0], side[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) > 0


def _shaded(colour: Colour, along: NDArray[np.float64]) -> Colour:
    """The colour of the side over an edge that runs clockwise around the cube."""
    outward = np.array([along[1], -along[0]]) / np.hypot(*along)
    light = SIDE_DARK + SIDE_LIT * max(0.0, float(outward @ LAMP) / math.hypot(*LAMP))
    return colour[0] * light, colour[1] * light, colour[2] * light


def cast(picture: Frame, lens: Points, x: float, y: float, angle: float, edge: float) -> None:
    """Draws a cube's shadow on the mat, with a soft rim. Draw all of them first: equal cubes don't darken each other's
    tops."""
    base = corners(x, y, angle, edge)
    reach = np.concatenate([base, base - np.multiply(LAMP, edge)])
    outline = projected(lens, np.column_stack([reach, np.zeros(8)]))
    low = np.maximum(np.floor(outline.min(0)).astype(int) - 4, 0)
    high = np.ceil(outline.max(0)).astype(int) + 5
    area = picture[low[1] : high[1], low[0] : high[0]]
    if area.size:
        mask = np.zeros(area.shape[:2], np.float32)
        fill_hull = cv2.convexHull((outline - low).astype(np.float32))[:, 0]
        cv2.fillPoly(mask, [np.round(fill_hull * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        area[:] = area * (1 - SHADOW * cv2.GaussianBlur(mask, (0, 0), 1.5))[:, :, None]
