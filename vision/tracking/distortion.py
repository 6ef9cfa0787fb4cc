"""How much a lens bends straight lines, told by a mat whose corner codes are where they are.

Law: pure. One number does for the lenses of such cameras: how far a point lies nearer to the middle than it should,
growing with the cube of its distance. Distances count from the picture's middle; 1 is its corner.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import Points

STRENGTHS = np.linspace(-0.15, 0.15, 31)
SURE = 0.6
"""A lens is believed if the corners' places come out so much better with it; noise makes it 0.8."""


@dataclass(frozen=True)
class Lens:
    """`strength` 0 bends nothing; `size` is the picture's width and height."""

    strength: float
    size: tuple[int, int]

    def straight(self, px: Points) -> Points:
        """Where these points, n x 2, would be in a picture by a perfect lens."""
        middle = (np.array(self.size) - 1) / 2
        away = px - middle
        far = (away * away).sum(1, keepdims=True) / (middle @ middle)
        return np.asarray(middle + away * (1 + self.strength * far))


def lens_from(px: Points, mm: Points, size: tuple[int, int]) -> Lens | None:
    """The lens under which these pixels lie on the mat like those millimetres, n x 2 each; None if none is needed."""
    errors = np.array([misfit(Lens(float(k), size).straight(px), mm) for k in STRENGTHS])
    best = int(np.clip(errors.argmin(), 1, len(errors) - 2))
    before, least, after = errors[best - 1 : best + 2]
    bend = before - 2 * least + after
    lens = Lens(float(STRENGTHS[best] + (before - after) / (2 * bend) * (STRENGTHS[1] - STRENGTHS[0])), size)
    return lens if bend > 0 and misfit(lens.straight(px), mm) < SURE**2 * misfit(px, mm) else None


def misfit(px: Points, mm: Points) -> float:
    """Mean squared millimetres that are left after the best perspective."""
    to_mm, _ = cv2.findHomography(px, mm, 0)
    if to_mm is None:
        return float("inf")
    off = cv2.perspectiveTransform(px[None].astype(float), to_mm)[0] - mm
    return float((off * off).sum(1).mean())
