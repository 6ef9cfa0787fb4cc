"""Where in the picture may a code lie that nobody has read? Where it has a code's texture.

Law: pure. Texture is judged in cells of 8 x 8 px, from every other row: a millisecond for 1080p. A code's modules make
steps in every direction alike; lines of print, wood and edges do not, however they are turned.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Code, GrayImage, Points, stack_corners

Cells = NDArray[np.float32]
"""A value for each cell of a picture, rows x columns."""
Steps = NDArray[np.float32]
"""The mean grey step in each cell of a picture, across, down, and along both slants: 4 x rows x columns."""

CELL_PX = 8
TEXTURE = 5.0
"""What a candidate needs: mean grey step in x plus y, above what the table has, where the brightest
nearby is 100 and all directions are alike."""
QUIETER = 5
"""One cell in so many has less texture than the table."""
DARKEST = 40
"""Where all is darker than this grey, noise would look like texture."""
ALIKE = 0.5
"""A code's steps across are like those down, and those along the two slants: the smaller is 0.8 of their mean or more
in 98 of 100, of print and wood as textured in 1 of 7. At so much nothing is left; motion blur may cost a half."""
LIKE_FOUND = 0.35
"""Where codes have been found, a candidate has at least this share of their texture: 97 of 100 codes have 0.45, in
shade and under reflections; in the haze of a lamp some have less."""
AROUND = 1.4
"""What lies on a code's own sticker, in multiples of the code, is explained by it."""
MOST = 96
"""At most so many candidates in a picture, the strongest."""
BUSY, CROWDED = 24.0, 0.85
"""A picture of which so much is texture shows no table: 240 codes side by side fill 0.7 of it."""


def texture(grey: GrayImage) -> Steps:
    """Mean absolute grey step over two pixels in four directions, for each cell."""
    rows, columns = (n // CELL_PX * CELL_PX for n in grey.shape)
    if not rows or not columns:
        return np.zeros((4, 1, 1), np.float32)
    upper, lower = (np.ascontiguousarray(grey[k:rows:4, :columns]) for k in (0, 2))
    pairs = [(upper, upper, 2), (upper, lower, 0), (upper, lower, 2), (lower, upper, 2)]
    return np.stack([shrunk(steps(*pair)) for pair in pairs])


def steps(left: GrayImage, right: GrayImage, apart: int) -> GrayImage:
    """How much the pixels of one differ from those of the other, so many columns further right."""
    found = np.zeros_like(left)
    cv2.absdiff(left[:, : left.shape[1] - apart], right[:, apart:], found[:, : left.shape[1] - apart])
    return found


def shrunk(lines: GrayImage) -> Cells:
    """The mean of each cell of which there is every fourth row; in two steps, since the first is very fast."""
    rows, columns = lines.shape
    half = cv2.resize(lines, (columns // 2, rows // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(half, (columns // 8, rows // 2), interpolation=cv2.INTER_AREA), np.float32)


def busy(steps: Steps) -> Cells:
    """Texture in any direction: the mean step in x plus that in y."""
    return np.asarray(steps[0] + steps[1])


def crowded(steps: Steps) -> bool:
    """Whether texture is nearly everywhere."""
    return bool((busy(steps) > BUSY).mean() > CROWDED)


def strengths(grey: GrayImage, steps: Steps) -> Steps:
    """Texture in relation to the light: a code in the shade has less, but its paper is darker too."""
    if min(grey.shape) < CELL_PX:
        return steps
    rows, columns = (n * CELL_PX for n in steps.shape[1:])
    light = cv2.dilate(shrunk(np.ascontiguousarray(grey[:rows:4, :columns])), np.ones((3, 3), np.uint8))
    some = steps[:, ::3, ::3].mean(0).ravel()
    above = np.maximum(steps - np.partition(some, some.size // QUIETER)[some.size // QUIETER], 0)
    return np.asarray(above * (100 / np.maximum(light, DARKEST)), np.float32)


def candidates(strength: Steps, found: Sequence[Code], side_px: float) -> Points:
    """The middles of texture like a code's that no found code explains, the strongest first."""
    across = max(3, (int(side_px / CELL_PX) - 1) | 1)
    hill = hills(strength, across)
    places = peaks(hill, across, least_strength(hill, found))
    return places[~explained(places, found, hill.shape)][:MOST]


def explained(places: Points, found: Sequence[Code], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which of these places lie on found codes or on their stickers."""
    quads, taken = stack_corners(found), np.zeros(shape, np.uint8)
    middles = quads.mean(1, keepdims=True)
    for outline in np.round(((quads - middles) * AROUND + middles) / CELL_PX - 0.5).astype(np.int32):
        cv2.fillConvexPoly(taken, outline, 1)
    columns, rows = (places.T // CELL_PX).astype(int)
    return np.asarray(taken[rows, columns] > 0)


def least_strength(hill: Cells, found: Sequence[Code]) -> float:
    """What a candidate needs, judged by the codes that were found."""
    if len(found) < 3:
        return TEXTURE
    at = np.clip(stack_corners(found).mean(1) // CELL_PX, 0, np.array(hill.shape[::-1]) - 1).astype(int)
    return max(TEXTURE, LIKE_FOUND * float(np.median(hill[at[:, 1], at[:, 0]])))


def hills(strength: Steps, across: int) -> Cells:
    """The mean over a code's size, less where the steps are not alike in all directions. It is flat where it is
    largest; a second, softer mean makes it a hill."""
    mean = [cv2.blur(each, (across, across), borderType=cv2.BORDER_CONSTANT) for each in strength]
    level = (mean[0] + mean[1]) * np.maximum(np.minimum(alike(*mean[:2]), alike(*mean[2:])) - ALIKE, 0) / (1 - ALIKE)
    return np.asarray(cv2.GaussianBlur(level, (0, 0), across / 4, borderType=cv2.BORDER_CONSTANT), np.float32)


def alike(a: Cells, b: Cells) -> Cells:
    """How much they are like one another: the smaller to their mean."""
    return np.asarray(2 * np.minimum(a, b) / np.maximum(a + b, 1e-3))


def peaks(hill: Cells, across: int, least: float) -> Points:
    """Where it is highest within half a code's size, also between the cells, strongest first, n x 2 px. (Within a whole
    one, a code beside small print would be lost.)"""
    half = max(3, across // 2 | 1)
    top = cv2.dilate(hill, np.ones((half, half), np.uint8))
    rows, columns = np.nonzero((hill >= top) & (hill > least))
    order = np.argsort(-hill[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    wide = np.asarray(cv2.copyMakeBorder(hill, 1, 1, 1, 1, cv2.BORDER_REFLECT_101), np.float32)
    x = columns + between(wide[rows + 1, columns], hill[rows, columns], wide[rows + 1, columns + 2])
    y = rows + between(wide[rows, columns + 1], hill[rows, columns], wide[rows + 2, columns + 1])
    return np.asarray(np.stack([x, y], 1) * CELL_PX + (CELL_PX - 1) / 2, float)


def between(before: Cells, top: Cells, after: Cells) -> Cells:
    """How many cells beside the top a parabola through three cells is highest: half of a small code's error is that
    of whole cells."""
    return np.asarray((after - before) / np.maximum(2 * (2 * top - before - after), 1e-3))
