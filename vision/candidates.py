"""Where in the picture may a code lie that nobody has read? Where it has a code's texture.

Law: pure. Texture is judged in cells of 8 x 8 px, from every other row: half a millisecond for 1080p.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.shapes import Code, Grey, Points, quads_of

Cells = NDArray[np.float32]
"""A value for each cell of a picture, rows x columns."""

CELL_PX = 8
TEXTURE = 8.0
"""Mean grey step in x plus y from which a cell may belong to a code, above what most cells of the picture have, where
the brightest nearby is 100."""
DARKEST = 40
"""Where all is darker than this grey, noise would look like texture."""
LIKE_FOUND = 0.45
"""Where codes have been found, a candidate has at least this share of their texture: 97 of 100 codes have, in shade
and under reflections."""
AROUND = 1.4
"""What lies on a code's own sticker, in multiples of the code, is explained by it."""
MOST = 96
"""At most so many candidates in a picture, the strongest."""
BUSY, CROWDED = 24.0, 0.85
"""A picture of which so much is texture shows no table: 240 codes side by side fill 0.7 of it."""


def texture(grey: Grey) -> Cells:
    """Mean absolute grey step in x plus in y, a value for each cell."""
    rows, columns = (n // CELL_PX for n in grey.shape)
    if not rows or not columns:
        return np.zeros((1, 1), np.float32)
    whole = grey[: rows * CELL_PX, : columns * CELL_PX]
    lines = np.ascontiguousarray(whole[::2])
    steps = np.zeros_like(lines)
    steps[:, 2:] = cv2.absdiff(lines[:, 2:], lines[:, :-2])
    steps[:-1] = cv2.add(steps[:-1], cv2.absdiff(lines[1:], lines[:-1]))
    return np.asarray(cv2.resize(steps, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


def crowded(cells: Cells) -> bool:
    """Whether texture is nearly everywhere."""
    return bool((cells > BUSY).mean() > CROWDED)


def strengths(grey: Grey, cells: Cells) -> Cells:
    """Texture in relation to the light: a code in the shade has less, but its paper is darker too."""
    rows, columns = cells.shape
    sample = np.ascontiguousarray(grey[: rows * CELL_PX : 4, : columns * CELL_PX : 2])
    light = cv2.dilate(cv2.resize(sample, (columns, rows), interpolation=cv2.INTER_AREA), np.ones((3, 3), np.uint8))
    above = np.maximum(cells - np.median(cells[::3, ::3]), 0)
    return np.asarray(above * 100 / np.maximum(light, DARKEST), np.float32)


def candidates(strength: Cells, found: Sequence[Code], side_px: float) -> Points:
    """The middles of texture like a code's that no found code explains, the strongest first."""
    across = max(3, round(side_px / CELL_PX) | 1)
    least = least_strength(hills(strength, across), found)
    rest, quads = strength.copy(), quads_of(found)
    middles = quads.mean(1, keepdims=True)
    for outline in np.round(((quads - middles) * AROUND + middles) / CELL_PX - 0.5).astype(np.int32):
        cv2.fillConvexPoly(rest, outline, 0.0)
    return peaks(hills(rest, across), across, least)


def least_strength(hill: Cells, found: Sequence[Code]) -> float:
    """What a candidate needs, judged by the codes that were found."""
    if len(found) < 3:
        return TEXTURE
    at = np.clip(quads_of(found).mean(1) // CELL_PX, 0, np.array(hill.shape[::-1]) - 1).astype(int)
    return max(TEXTURE, LIKE_FOUND * float(np.median(hill[at[:, 1], at[:, 0]])))


def hills(strength: Cells, across: int) -> Cells:
    """The mean over a code's size. It is flat where it is largest; a second, softer mean makes it a hill."""
    mean = cv2.blur(strength, (across, across), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(cv2.GaussianBlur(mean, (0, 0), across / 4, borderType=cv2.BORDER_CONSTANT), np.float32)


def peaks(hill: Cells, across: int, least: float) -> Points:
    """Where it is highest within half a code's size, strongest first, n x 2 px, at most MOST. (Within a whole one, a
    code beside small print would be lost.)"""
    half = max(3, across // 2 | 1)
    top = cv2.dilate(hill, np.ones((half, half), np.uint8))
    rows, columns = np.nonzero((hill >= top) & (hill > least))
    order = np.argsort(-hill[rows, columns], kind="stable")[:MOST]
    return np.asarray(np.stack([columns[order], rows[order]], 1) * CELL_PX + (CELL_PX - 1) / 2, float)
