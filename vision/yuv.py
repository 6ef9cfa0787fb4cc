"""A picture as cameras have it: how light, and apart from that, how coloured.

Law: no I/O, no clock. Codes are read from light alone. To make colours of 1080p takes longer than ten looks at a still
table, so it is done only where somebody asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Frame, GrayImage


@dataclass(frozen=True, eq=False)
class Planes:
    """I420: the light of every pixel, below it two planes of colour for every four. `stored` is 3/2 x height x stride;
    a stride may be longer than the picture is wide."""

    stored: NDArray[np.uint8]
    width: int

    @cached_property
    def grey(self) -> GrayImage:
        """The light; a view, nothing is copied."""
        return self.stored[: self.stored.shape[0] * 2 // 3, : self.width]

    @cached_property
    def coloured(self) -> Frame:
        """Blue, green, red."""
        whole = cv2.cvtColor(self.stored, cv2.COLOR_YUV2BGR_I420)
        return np.asarray(whole[:, : self.width], np.uint8)

    def tints(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The two planes of colour, half as high and wide; views."""
        height, stride = self.grey.shape[0], self.stored.shape[1]
        both = self.stored[height:].reshape(2, height // 2, stride // 2)
        return both[0, :, : self.width // 2], both[1, :, : self.width // 2]


Picture = Frame | Planes


def lightness(picture: Picture) -> Frame:
    """What there is without any work: the light, or a frame as it is."""
    return picture.grey if isinstance(picture, Planes) else picture


def coloured(picture: Picture) -> Frame:
    """Blue green red; a grey frame stays grey."""
    return picture.coloured if isinstance(picture, Planes) else picture


def greyed(picture: Picture) -> GrayImage:
    """All of it in grey."""
    frame = lightness(picture)
    return np.asarray(frame if frame.ndim == 2 else cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
