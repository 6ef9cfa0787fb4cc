"""Where in the picture may a code lie that nobody has read? Where it has a code's texture.

Law: pure. Texture is judged in cells of 8 x 8 px, from every other row: a millisecond for 1080p. A code's modules make
steps in every direction alike; lines of print, wood and edges do not, however they are turned.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.shapes import Code, Grey, Points, quads_of

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
LIKE_FOUND = 0.45
"""Where codes have been found, a candidate has at least this share of their texture: 97 of 100 codes have, in shade
and under reflections."""
AROUND = 1.4
"""What lies on a code's own sticker, in multiples of the code, is explained by it."""
MOST = 96
"""At most so many candidates in a picture, the strongest."""
BUSY, CROWDED = 24.0, 0.85
"""A picture of which so much is texture shows no table: 240 codes side by side fill 0.7 of it."""


def texture(grey: Grey) -> Steps:
    """Mean absolute grey step in four directions, for each cell."""
    lines = sampled_lines(grey)
    if not lines.size:
        return np.zeros((4, 1, 1), np.float32)
    left, right = lines[:, :-2], lines[:, 2:]
    pairs = (left, right), (lines[:-1], lines[1:]), (left[:-1], right[1:]), (left[1:], right[:-1])
    return np.stack([shrunk(np.asarray(cv2.absdiff(a, b), np.uint8), lines.shape) for a, b in pairs])


def sampled_lines(grey: Grey) -> Grey:
    """Every other row of all whole cells."""
    rows, columns = (n // CELL_PX * CELL_PX for n in grey.shape)
    return np.ascontiguousarray(grey[:rows:2, :columns])


def shrunk(lines: Grey, shape: tuple[int, ...]) -> Cells:
    """The mean of each cell; halving again and again is three times as fast as one large step."""
    rows, columns = shape
    part = cv2.copyMakeBorder(lines, 0, rows - lines.shape[0], 0, columns - lines.shape[1], cv2.BORDER_REPLICATE)
    for high, wide in (2, 2), (4, 4), (4, 8):
        part = cv2.resize(part, (columns // wide, rows // high), interpolation=cv2.INTER_AREA)
    return np.asarray(part, np.float32)


def busy(steps: Steps) -> Cells:
    """Texture in any direction: the mean step in x plus that in y."""
    return np.asarray(steps[0] + steps[1])


def crowded(steps: Steps) -> bool:
    """Whether texture is nearly everywhere."""
    return bool((busy(steps) > BUSY).mean() > CROWDED)


def strengths(grey: Grey, steps: Steps) -> Steps:
    """Texture in relation to the light: a code in the shade has less, but its paper is darker too."""
    lines = sampled_lines(grey)
    light = cv2.dilate(shrunk(lines, lines.shape), np.ones((3, 3), np.uint8))
    some = steps[:, ::3, ::3].mean(0).ravel()
    above = np.maximum(steps - np.partition(some, some.size // QUIETER)[some.size // QUIETER], 0)
    return np.asarray(above * (100 / np.maximum(light, DARKEST)), np.float32)


def candidates(strength: Steps, found: Sequence[Code], side_px: float) -> Points:
    """The middles of texture like a code's that no found code explains, the strongest first."""
    across = max(3, (int(side_px / CELL_PX) - 1) | 1)
    least = least_strength(hills(strength, across), found)
    quads, rest = quads_of(found), np.ones(strength.shape[1:], np.float32)
    middles = quads.mean(1, keepdims=True)
    for outline in np.round(((quads - middles) * AROUND + middles) / CELL_PX - 0.5).astype(np.int32):
        cv2.fillConvexPoly(rest, outline, 0.0)
    return peaks(hills(strength * rest, across), across, least)


def least_strength(hill: Cells, found: Sequence[Code]) -> float:
    """What a candidate needs, judged by the codes that were found."""
    if len(found) < 3:
        return TEXTURE
    at = np.clip(quads_of(found).mean(1) // CELL_PX, 0, np.array(hill.shape[::-1]) - 1).astype(int)
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
    """Where it is highest within half a code's size, strongest first, n x 2 px, at most MOST. (Within a whole one, a
    code beside small print would be lost.)"""
    half = max(3, across // 2 | 1)
    top = cv2.dilate(hill, np.ones((half, half), np.uint8))
    rows, columns = np.nonzero((hill >= top) & (hill > least))
    order = np.argsort(-hill[rows, columns], kind="stable")[:MOST]
    return np.asarray(np.stack([columns[order], rows[order]], 1) * CELL_PX + (CELL_PX - 1) / 2, float)
