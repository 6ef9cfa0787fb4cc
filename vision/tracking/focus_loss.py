"""Detects that the whole image is out of focus, for example while the autofocus searches. Such a frame is skipped.

Law: no I/O, no clock; times are the frames' own.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.geometry import CellGrid, CellMask, GrayImage
from vision.tracking.light_compensation import recognized_cells

MIN_LESS_SHARP_SHARE, MIN_SHARPNESS = 0.75, 0.8
"""An image is out of focus if more than this share of its textured cells have less than `MIN_SHARPNESS` times their
usual texture. If a smaller share of the cells has lost texture, cards have been taken away."""
MIN_TEXTURE = 8.0
"""Cells with less texture than this, in gray levels, look the same in and out of focus."""
MIN_TEXTURED_CELLS = 12
"""With fewer textured cells than this, an image counts as in focus."""
COMPARISON_BLUR = 2.5
"""The blur, in pixels of the reduced image, that is applied to an image and to the background before they are compared.
It makes both look out of focus."""
MIN_SAME_SHARE = 0.6
"""An image is out of focus only if at least this share of its textured cells shows the usual print, compared after both
images were blurred. Otherwise the camera was moved, or the table has changed."""
MAX_LOST_S = 5.0
"""If the focus is lost for longer than this, in seconds, the image counts as in focus."""


ReducedView = tuple[GrayImage, CellGrid]
"""A reduced image, and the features of its cells."""


class FocusMonitor:
    """Decides for each frame whether the focus is lost."""

    def __init__(self) -> None:
        self.sharp_at = -math.inf
        """When the last frame in focus was taken, in seconds."""

    def is_lost(self, now: ReducedView, usual: ReducedView | None, t: float) -> bool:
        """Whether the frame at `t` seconds is out of focus. If all frames have been out of focus for longer than
        MAX_LOST_S, they count as in focus. `now` is the frame, `usual` the background."""
        if usual is None or now[0].shape != usual[0].shape or not is_out_of_focus(now, usual):
            self.sharp_at = t
        return 0 < t - self.sharp_at <= MAX_LOST_S


def is_out_of_focus(now: ReducedView, usual: ReducedView) -> bool:
    """Whether the image `now` shows the same as the background (`usual`), but less sharply."""
    (light, texture), (usual_light, usual_texture) = now[1], usual[1]
    ratios = np.sort(((usual_light[::3, ::3] + 1) / (light[::3, ::3] + 1)).ravel())
    gain = float(ratios[len(ratios) // 2])  # the median, ten times as fast as NumPy's
    textured = usual_texture > MIN_TEXTURE
    count = int(np.count_nonzero(textured))
    if count < MIN_TEXTURED_CELLS:
        return False
    less_sharp = textured & (texture * gain < MIN_SHARPNESS * usual_texture)
    is_less_sharp = int(np.count_nonzero(less_sharp)) > MIN_LESS_SHARP_SHARE * count
    return is_less_sharp and shows_usual_print(now[0], usual[0], textured)


def shows_usual_print(now: GrayImage, usual: GrayImage, cells: CellMask) -> bool:
    """Whether most of the `cells` show the same print in both reduced images, `now` and the background (`usual`). Both
    images are blurred first, so that the sharper one is as blurred as the other."""
    blurred, expected = (cv2.GaussianBlur(each, (0, 0), COMPARISON_BLUR) for each in (now, usual))
    recognized = recognized_cells(np.asarray(expected, np.uint8), np.asarray(blurred, np.uint8))
    return bool(recognized[cells].mean() >= MIN_SAME_SHARE)
