"""Camera images in YUV, in which luma (brightness) and chroma (color) are stored separately.

Law: no I/O, no clock. Codes are read from luma alone. Converting a 1080p image to BGR takes longer than comparing ten
frames of a still table, so it is done only on request.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Frame, GrayImage


@dataclass(frozen=True, eq=False)
class YuvImage:
    """An image in the I420 format: the luma plane, and below it the U and V planes at half the resolution.

    `buffer` is 3/2 height x stride, in bytes. The stride is the length of a row in memory, which may be longer than
    `width`.
    """

    buffer: NDArray[np.uint8]
    width: int

    @cached_property
    def luma(self) -> GrayImage:
        """The luma plane, height x width, as a view of the buffer."""
        return self.buffer[: self.buffer.shape[0] * 2 // 3, : self.width]

    @cached_property
    def bgr(self) -> Frame:
        """The image in blue, green, red."""
        whole = cv2.cvtColor(self.buffer, cv2.COLOR_YUV2BGR_I420)
        return np.asarray(whole[:, : self.width], np.uint8)

    def chroma(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The U and V planes, half as high and half as wide as the image, as views of the buffer."""
        height, stride = self.luma.shape[0], self.buffer.shape[1]
        planes = self.buffer[height:].reshape(2, height // 2, stride // 2)
        return planes[0, :, : self.width // 2], planes[1, :, : self.width // 2]


CameraImage = Frame | YuvImage
"""An image from a camera or a file."""


def as_frame(image: CameraImage) -> Frame:
    """The image without any conversion: the luma plane of a YUV image, any other frame as it is."""
    return image.luma if isinstance(image, YuvImage) else image


def to_bgr(image: CameraImage) -> Frame:
    """The image in blue, green, red. A gray frame stays gray."""
    return image.bgr if isinstance(image, YuvImage) else image


def to_gray(image: CameraImage) -> GrayImage:
    """The image in gray."""
    frame = as_frame(image)
    return np.asarray(frame if frame.ndim == 2 else cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
