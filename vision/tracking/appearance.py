"""How the code of a resting component looked in the image, and how the same place looked before the component came.

Law: pure. Image patches are compared by normalized correlation, which does not depend on brightness and contrast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CellGrid, CellMask, Frame, GrayImage, PixelBox, Points, clip_box, scale_about_centroid
from vision.tracking.reduced_image import REDUCTION

APPEARANCE_SIDES = 1.1
"""The side of the square around a code that is remembered as the code's appearance, in sides of the code."""
PATCH_BLOCK_PX = 8
"""Width and height of the blocks in which appearances are compared."""
MIN_BLOCK_STD = 12
"""A block whose gray levels have a smaller standard deviation than this has too little contrast to be recognized."""
MIN_BLOCK_CORRELATION = 0.6
"""A block looks as before if its correlation with its earlier appearance is higher than this."""
MIN_VISIBLE_SHARE = 0.25
"""A component is still there if at least this share of its blocks looks as before."""
MIN_FULL_VIEW_SHARE = 0.75
"""A component is in full view if at least this share of its blocks looks as before."""
MIN_CODE_TEXTURE_RATIO = 0.55
"""A place may still show a code if it has more than this share of the code's texture."""
MAX_REFRESH_SHIFT_PX = 4
"""A code has not moved if it is read closer than this to the place where its appearance was captured."""
MAX_NUDGE_SIDES = 3.0
"""A component whose code moves by less than this, in sides of the code, still overlaps its old place. An image from
just before the move would show the component itself there, so the earlier `background` is kept."""
MIN_SAME_CORRELATION = 0.6
"""A place looks the same as before if its correlation with its earlier appearance is higher than this. The threshold is
low, because the light may have changed and a part of the place may be covered."""
MAX_NEW_CORRELATION = 0.4
"""If the correlation of an earlier image with a code is at most this, the code was not there yet. A code that was there
but out of focus has a higher correlation."""
MIN_BEFORE_CORRELATION = 0.8
"""A place looks as it did before a component came if its correlation with the image from that time is higher than
this."""
MIN_PRINT_STD = 4.0
"""A place whose gray levels have a smaller standard deviation than this is blank, so its correlation with another image
means nothing."""


ReducedPixels = tuple[NDArray[np.intp], ...]
"""The row and the column indices of some pixels of a reduced image, for NumPy's indexing."""


@dataclass(frozen=True, eq=False)
class Background:
    """The whole table at one time: its reduced image, and the features of its cells."""

    picture: GrayImage
    features: CellGrid


@dataclass(frozen=True, eq=False)
class Appearance:
    """The look of a code at rest, and of the same place before its component came.

    `corners` (4 x 2) are those of the code. `patch` is the gray image in `box`. `cells` masks the cells under the code.
    `inside` contains the indices of the pixels of a reduced image that are inside the code, and `inside_pixels` their
    gray levels. `background` is the table before the component came; None if unknown."""

    corners: Points
    box: PixelBox
    patch: GrayImage
    cells: CellMask
    inside: ReducedPixels
    inside_pixels: GrayImage
    background: Background | None = None

    @cached_property
    def textured_blocks(self) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which blocks of the patch have enough contrast to be recognized, and the gray levels of these blocks."""
        blocks = split_into_blocks(self.patch)
        textured = blocks.std(1) > MIN_BLOCK_STD
        return textured, blocks[textured]

    @cached_property
    def cell_numbers(self) -> NDArray[np.intp]:
        """The numbers of the cells under the code, counted row by row. Indexing with a few numbers is faster than with
        a mask of all cells."""
        return np.flatnonzero(self.cells)

    @cached_property
    def gradient(self) -> float:
        """The amount of texture in the patch (see `mean_gradient`)."""
        return mean_gradient(self.patch)

    def is_at(self, corners: Points) -> bool:
        """Whether a code with these `corners` has not moved since its appearance was captured."""
        return bool(np.abs(self.corners - corners).max() < MAX_REFRESH_SHIFT_PX)

    @cached_property
    def sharpness(self) -> float:
        """The amount of texture in the patch, relative to its brightness. It does not depend on the light."""
        return self.gradient / (cv2.mean(self.patch)[0] + 1)

    def refreshed(self, frame: Frame, reduced: GrayImage) -> Appearance:
        """The appearance of the same code at the same place in a new frame. If the code is blurred there, because the
        camera is just finding its focus, the appearance stays as it was: other print would have as much texture as a
        blurred code."""
        patch = gray_patch(frame, self.box).copy()
        new = replace(self, patch=patch, inside_pixels=reduced[self.inside])
        return new if new.sharpness > MIN_CODE_TEXTURE_RATIO * self.sharpness else self

    def is_near(self, corners: Points) -> bool:
        """Whether the component has moved so little that it still overlaps its old place. `corners`: the new corners of
        its code."""
        shift = float(np.linalg.norm(self.corners.mean(0) - corners.mean(0)))
        return shift < MAX_NUDGE_SIDES * float(np.linalg.norm(corners[1] - corners[0]))

    def looks_the_same(self, reduced: GrayImage) -> bool:
        """Whether the code still looks as it did when it was captured. `reduced`: the current frame, reduced."""
        return correlation(self.inside_pixels, reduced[self.inside]) > MIN_SAME_CORRELATION

    def was_in(self, picture: GrayImage) -> bool:
        """Whether `picture`, an earlier reduced image, may already show the code in the same position, perhaps out of
        focus."""
        return correlation(self.inside_pixels, picture[self.inside]) > MAX_NEW_CORRELATION

    def looks_as_before(self, reduced: GrayImage) -> bool:
        """Whether the area of the code again shows the print that was there before the component came. False if the
        area was blank then, or if its earlier appearance is unknown. `reduced`: the current frame, reduced."""
        if self.background is None:
            return False
        return correlation(self.background.picture[self.inside], reduced[self.inside]) > MIN_BEFORE_CORRELATION


def capture_appearance(frame: Frame, reduced: GrayImage, corners: Points, cells: CellMask) -> Appearance:
    """Captures how the code with these `corners` looks in `frame`. The appearance has no `background` yet. `reduced` is
    the reduced frame, `cells` masks the cells under the code."""
    box = bounding_box(scale_about_centroid(corners, APPEARANCE_SIDES), frame.shape)
    inside = reduced_pixels_in(corners, reduced.shape)
    return Appearance(corners, box, gray_patch(frame, box).copy(), cells, inside, reduced[inside])


def reduced_pixels_in(corners: Points, shape: tuple[int, ...]) -> ReducedPixels:
    """The rows and columns of those pixels of a reduced image that are inside a quadrilateral. `corners` are the
    corners of the quadrilateral in pixels of the full image, `shape` is the shape of the reduced image."""
    outline = np.floor(corners / REDUCTION).astype(np.int32)
    x0, y0, x1, y1 = clip_box((*outline.min(0).tolist(), *(outline.max(0) + 1).tolist()), shape)
    mask = np.zeros((max(0, y1 - y0), max(0, x1 - x0)), np.uint8)
    if mask.size:
        cv2.fillConvexPoly(mask, outline - (x0, y0), 1)
    rows, columns = np.nonzero(mask)
    return rows + y0, columns + x0


def correlation(a: GrayImage, b: GrayImage) -> float:
    """The normalized correlation of the pixels `a` and `b`, from -1 to 1. It is 0 if either is blank."""
    x, y = a.astype(np.float32), b.astype(np.float32)
    x, y = x - x.mean(), y - y.mean()
    xx, yy = float(x @ x), float(y @ y)
    if min(xx, yy) < len(x) * MIN_PRINT_STD**2 or not len(x):
        return 0.0
    return float(x @ y) / math.sqrt(xx * yy)


def gray_patch(frame: Frame, box: PixelBox) -> GrayImage:
    """The part of `frame` inside `box`, in gray."""
    area = frame[box[1] : box[3], box[0] : box[2]]
    return np.asarray(cv2.cvtColor(area, cv2.COLOR_BGR2GRAY) if area.ndim == 3 else area, np.uint8)


def bounding_box(corners: Points, shape: tuple[int, ...]) -> PixelBox:
    """The smallest axis-aligned box around the points `corners`, clipped to an image of this `shape`."""
    (x0, y0), (x1, y1) = np.floor(corners.min(0)).astype(int), np.ceil(corners.max(0)).astype(int) + 1
    return clip_box((int(x0), int(y0), int(x1), int(y1)), shape)


def is_visible(appearance: Appearance, patch: GrayImage, min_share: float = MIN_VISIBLE_SHARE) -> bool:
    """Whether at least `min_share` of the blocks of `patch` look as in `appearance`, whatever the light. The code may
    be partly covered."""
    textured, before = appearance.textured_blocks
    if not len(before):
        return False
    correlation = row_correlations(before, split_into_blocks(patch)[textured])
    return float((correlation > MIN_BLOCK_CORRELATION).mean()) >= min_share


def split_into_blocks(patch: GrayImage) -> NDArray[np.float32]:
    """The patch, split into blocks of 8 x 8 pixels: n x 64, one row for each block."""
    rows, columns = (n // PATCH_BLOCK_PX for n in patch.shape)
    whole = patch[: rows * PATCH_BLOCK_PX, : columns * PATCH_BLOCK_PX].astype(np.float32)
    blocks = whole.reshape(rows, PATCH_BLOCK_PX, columns, PATCH_BLOCK_PX).swapaxes(1, 2)
    return blocks.reshape(rows * columns, PATCH_BLOCK_PX * PATCH_BLOCK_PX)


def row_correlations(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """The normalized correlation (-1 to 1) of each row of `a` with the same row of `b`."""
    a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
    return np.asarray((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1e-6), np.float32)


def has_code_texture(appearance: Appearance, patch: GrayImage) -> bool:
    """Whether `patch` has so much texture that it may still show the code of `appearance`. If so, the component does
    not count as taken away."""
    return mean_gradient(patch) > MIN_CODE_TEXTURE_RATIO * appearance.gradient


def mean_gradient(patch: GrayImage) -> float:
    """The amount of texture in `patch`, in gray levels: the mean absolute difference between pixels two columns apart,
    plus the mean absolute difference between pixels two rows apart. A box filter suppresses noise first."""
    smooth = cv2.blur(patch, (2, 2))
    return cv2.mean(cv2.absdiff(smooth[:, 2:], smooth[:, :-2]))[0] + cv2.mean(cv2.absdiff(smooth[2:], smooth[:-2]))[0]
