"""Is a printed paving in view everywhere, or does something lie on it?

Law: pure. Streets are paved with squares that are lighter and darker by turns. A thing as grey as the street hides
them, however small it is. A shadow leaves the difference of neighbours as it is, and what is printed on the paving is
only a line.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.token_colors import PrintColor
from vision.cubes.color_calibration import LINEAR, PX_PER_MM, Floats

Mask = NDArray[np.bool_]

AROUND_MM: Final = 5.0
"""A place is judged by what lies around it, as far as half of this."""
APART_MM: Final = 3.0
"""Between two places of a pair, one on a light stone and one on a dark one: not blurred into one another."""
ENOUGH: Final = 0.1
"""Pairs around a place, as a share of the pixels there; where there are fewer, nothing can be said of it."""
WITHIN: Final = (0.3, 1.8)
"""The difference that a pair shows, as a share of that in print. The edge of a shadow spoils some pairs ..."""
MOST: Final = 0.65
"""... but not so large a share of them."""
THICK_MM: Final = 3.0
"""What is narrower lies beside a cube, in its shadow."""
LINE: Final = 0.7
"""What is so many differences brighter than what lies around is no stone, but a line if it is narrow."""
LINE_MM: Final = 2.5
SHIFT_MM: Final = 1.5
"""Paper is wavy, and glued not quite straight: the paving may be so far from its place."""


def hidden(share: Floats, paved: Mask, open_: Mask, paints: tuple[PrintColor, PrintColor]) -> Mask:
    """The places of a flattened window where something hides the paving. `share`: of white's light; `paved`: where it
    is light in print; `open_`: where it should be in view; `paints`: of its light and its dark squares."""
    step = contrast(paints)
    depth = np.asarray(cv2.blur(np.log(np.maximum(share, 1e-3)).astype(np.float32), (3, 3)), np.float32)
    off = depth - _mean(depth, open_)
    bare = open_ & ~_lines(off, LINE * step)
    light = _shifted(np.clip(off, -step, step), paved, bare)
    tone = np.where(_eroded(light), 1, np.where(_eroded(~light), -1, 0)) * bare
    pairs = [_pairs(depth, tone, axis) for axis in (0, 1)]
    alike = sum(_fill((found >= WITHIN[0] * step) & (found <= WITHIN[1] * step)) for found in pairs)
    known = sum(_fill(~np.isnan(found)) for found in pairs)
    lost = (bare & (known >= ENOUGH) & (alike < (1 - MOST) * known)).astype(np.uint8)
    side = round(THICK_MM * PX_PER_MM)
    return np.asarray(cv2.morphologyEx(lost, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), bool)


def _pairs(depth: Floats, tone: NDArray[np.int_], axis: int) -> Floats:
    """Halfway between a light and a dark place, by how much the light one is brighter; elsewhere not a number."""
    half = round(APART_MM * PX_PER_MM / 2)
    before, after = (np.roll(tone, way * half, axis) for way in (1, -1))
    differ = np.roll(depth, half, axis) - np.roll(depth, -half, axis)
    return np.asarray(np.where(before * after == -1, differ * before, np.nan), np.float32)


def contrast(paints: tuple[PrintColor, PrintColor]) -> float:
    """By how much one paint is brighter than another, as the logarithm of the light."""
    light, dark = (float(LINEAR[int(paint[3:5], 16)]) for paint in paints)
    return math.log(light / dark)


def _lines(off: Floats, brighter: float) -> Mask:
    """Narrow lines, with their rims."""
    bright = (off > brighter).astype(np.uint8)
    side = round(LINE_MM * PX_PER_MM)
    broad = cv2.dilate(cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.ones((3, 3)))
    narrow = (bright > 0) & (np.asarray(broad) == 0)
    return np.asarray(cv2.dilate(narrow.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def _eroded(mask: Mask) -> Mask:
    """Without the rim, which is blurred into what lies around."""
    return np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)), bool)


def _shifted(off: Floats, paved: Mask, open_: Mask) -> Mask:
    """Where the paving is light in this picture: its print, moved to where it fits best."""
    reach = round(SHIFT_MM * PX_PER_MM)
    signed = np.where(paved, 1, -1).astype(np.float32)
    room = np.pad(signed, reach, mode="edge")
    fits = cv2.matchTemplate(room, np.where(open_, off, 0).astype(np.float32), cv2.TM_CCORR)
    down, right = np.unravel_index(int(fits.argmax()), fits.shape)
    rows, columns = paved.shape
    return np.asarray(room[down : down + rows, right : right + columns] > 0, bool)


def _fill(mask: Mask) -> Floats:
    """The share of what lies around every place that is in a mask."""
    side = round(AROUND_MM * PX_PER_MM)
    return np.asarray(cv2.blur(mask.astype(np.float32), (side, side)), np.float32)


def _mean(values: Floats, mask: Mask) -> Floats:
    """The mean around every place of what is in a mask."""
    side = round(AROUND_MM * PX_PER_MM)
    total = cv2.blur(np.where(mask, values, 0).astype(np.float32), (side, side))
    return np.asarray(total / np.maximum(_fill(mask), 1e-6), np.float32)
