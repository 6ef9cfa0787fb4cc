"""Decides whether a component that can't be read is still there, is occluded, or has been taken away.

Law: no I/O, no clock. A component counts as taken away on evidence only:

- its cells have changed and come to rest, and
- neither its appearance nor a code's texture is there any more, and
- the changed region is about as large as a card: a hand, a sleeve or a book reaches further, a token or a cube covers
  less than the code, and
- no other component has come to rest so near that it may lie on top.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Box, CellGrid, Frame, GrayImage, Mask, Points, clip_box, scale_about_center
from vision.tracking.change_detection import CELL_PX, ChangeMasks
from vision.yuv import CameraImage, YuvImage

APPEARANCE_SIDES = 1.1
"""The part of the image that is remembered, in sides of the code."""
PATCH_BLOCK_PX = 8
"""Appearances are compared in blocks of this size."""
MIN_BLOCK_STD = 12
"""Gray levels. A block with less contrast shows nothing that could be recognized."""
MIN_BLOCK_CORRELATION = 0.6
"""A block looks unchanged if its correlation with its earlier appearance exceeds this."""
MIN_VISIBLE_SHARE = 0.25
"""A component is there if this share of its blocks looks as before ..."""
MIN_FULL_VIEW_SHARE = 0.75
"""... and in full view with this share."""
MIN_CODE_TEXTURE_RATIO = 0.55
"""A place still looks like a code with this share of the remembered texture."""
CARD_REACH_SIDES = 4.7
"""The greatest distance from the center of a code to a point of its card or its shadow, in sides of the code. The
diagonal of a poker card is 108 mm, 4.3 times a code of 25 mm."""
COVER_REACH_RATIO = 0.8
"""The share of that distance within which a card may lie on top of another one's code."""
CARD_AREA_SIDES = 11.0
"""The area of a poker card with its shadow, in squares of the code's side ..."""
CARD_RIM_CELLS = 30.0
"""... plus this many cells, because it only partly covers those at its edge."""
MIN_CHANGED_SHARE = 0.5
"""The share of a code's cells that change when its card is taken away."""
MIN_REGION_RATIO = 1.1
"""The changed region divided by the code's cells: what a card leaves behind is larger than its code ..."""
MIN_PALE_CHANGED_SHARE = 0.9
"""... unless white paper lay on a white mat. Then this share of the code's cells changes."""
MIN_SAME_COLOR_SHARE = 0.8
"""The share of cells that look like the surroundings where the table is bare."""
MIN_NEAR_SHARE = 0.97
"""The share of a region that lies within reach of the components that came or went, if they explain it."""
MAX_COLOR_DIFFERENCE = 9.0
"""Cells differ less in every channel if their colors are the same."""
MIN_BORDER_CELLS = 2
"""A region with this many cells at the border of the image may be an arm."""
COLOR_STRIDE = 4
"""Colors are sampled from every fourth row and column."""
MIN_CALM_S = 0.06
MIN_LONG_CALM_S = 0.7
"""How long weaker evidence must be at rest."""

CellColors = NDArray[np.float32]
"""The mean color of each cell: rows x columns x channels."""
PlacedCode = tuple[Points, float]
"""The center and the side of a code, px."""


@dataclass(frozen=True, eq=False)
class Appearance:
    """What a code at rest looked like: the gray image in `box`, and the cells under it. `background` (2 x n) is what
    those cells showed before it came, or None if that was not seen."""

    box: Box
    patch: GrayImage
    cells: Mask
    background: CellGrid | None


def capture_appearance(frame: Frame, corners: Points, cells: Mask, background: CellGrid | None) -> Appearance:
    """The appearance of a code in this frame."""
    box = bounding_box(scale_about_center(corners, APPEARANCE_SIDES), frame.shape)
    return Appearance(box, gray_patch(frame, box).copy(), cells, background)


def gray_patch(frame: Frame, box: Box) -> GrayImage:
    """The part of the frame in this box, in gray."""
    area = frame[box[1] : box[3], box[0] : box[2]]
    return np.asarray(cv2.cvtColor(area, cv2.COLOR_BGR2GRAY) if area.ndim == 3 else area, np.uint8)


def bounding_box(corners: Points, shape: tuple[int, ...]) -> Box:
    """The upright box around the points, within the image."""
    (x0, y0), (x1, y1) = np.floor(corners.min(0)).astype(int), np.ceil(corners.max(0)).astype(int) + 1
    return clip_box((int(x0), int(y0), int(x1), int(y1)), shape)


def is_visible(appearance: Appearance, patch: GrayImage, min_share: float = MIN_VISIBLE_SHARE) -> bool:
    """Whether enough blocks of the patch look as before, in whatever light. The code may be partly covered."""
    before, now = split_into_blocks(appearance.patch), split_into_blocks(patch)
    textured = before.std(1) > MIN_BLOCK_STD
    if not textured.any():
        return False
    correlation = row_correlations(before[textured], now[textured])
    return float((correlation > MIN_BLOCK_CORRELATION).mean()) >= min_share


def split_into_blocks(patch: GrayImage) -> NDArray[np.float32]:
    """The blocks of a patch as rows: n x 64."""
    rows, columns = (n // PATCH_BLOCK_PX for n in patch.shape)
    whole = patch[: rows * PATCH_BLOCK_PX, : columns * PATCH_BLOCK_PX].astype(np.float32)
    blocks = whole.reshape(rows, PATCH_BLOCK_PX, columns, PATCH_BLOCK_PX).swapaxes(1, 2)
    return blocks.reshape(rows * columns, PATCH_BLOCK_PX * PATCH_BLOCK_PX)


def row_correlations(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """The normalized correlation of each row of one array with the same row of the other, -1 to 1."""
    a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
    return np.asarray((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1e-6), np.float32)


def has_code_texture(appearance: Appearance, patch: GrayImage) -> bool:
    """Whether the patch has as much texture as the code. Then it must be read, and proves nothing until it is."""
    return mean_gradient(patch) > MIN_CODE_TEXTURE_RATIO * mean_gradient(appearance.patch)


def mean_gradient(patch: GrayImage) -> float:
    """The mean absolute difference of pixels two apart, in x plus in y. A box filter suppresses noise."""
    smooth = cv2.blur(patch, (2, 2))
    return cv2.mean(cv2.absdiff(smooth[:, 2:], smooth[:, :-2]))[0] + cv2.mean(cv2.absdiff(smooth[2:], smooth[:-2]))[0]


@dataclass(frozen=True, eq=False)
class ChangedRegions:
    """The changed regions of a frame and what may have caused them.

    `occluded` are codes whose place has changed, `moved` are places where a component came or went. `usual_colors` are
    the colors of the cells when the table was last at rest.
    """

    masks: ChangeMasks
    occluded: Sequence[PlacedCode]
    moved: Sequence[PlacedCode]
    image: CameraImage
    usual_colors: CellColors | None = None

    @property
    def causes(self) -> list[PlacedCode]:
        """Everything that may have caused a change."""
        return [*self.occluded, *self.moved]

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The changed regions, numbered from 1: rows x columns."""
        return connected_regions(self.masks.changed)

    @cached_property
    def any_changed(self) -> bool:
        """Whether anything has changed."""
        return bool(self.masks.changed.any())

    def share_changed(self, cells: Mask) -> float:
        """The share of these cells that have changed, 0 to 1."""
        count = np.count_nonzero(cells)
        return np.count_nonzero(self.masks.changed & cells) / count if count else 0.0

    def is_vacated(self, cells: Mask, side_px: float, shows_background: bool | None) -> bool:
        """Whether the change at a code's cells is what a card that was taken away leaves behind.

        `shows_background` says whether the place looks as before the card came; None if that was not seen.
        """
        if self.share_changed(cells) < MIN_CHANGED_SHARE:
            return False
        region = np.isin(self.labels, np.unique(self.labels[cells & self.masks.changed]))
        plausible = self._has_size_of_cards(region, cells, side_px) and self._is_near_causes(region)
        return plausible and len(self._surroundings(region)) > 0 and self._is_bare(region, cells, shows_background)

    def is_explained(self, region: Mask) -> bool:
        """Whether a region is just what its causes leave behind, and not an arm that reaches in."""
        if not self.causes or not self._is_near_causes(region):
            return False
        side_px = max(side for _, side in self.causes)
        return border_cells(region) < MIN_BORDER_CELLS and self._is_no_larger_than_cards(region, side_px)

    def _is_no_larger_than_cards(self, region: Mask, side_px: float) -> bool:
        """Whether the cards that may have caused a region can cover it."""
        return int(region.sum()) < max_card_cells(side_px) * max(1, count_codes_in(region, self.causes))

    def _has_size_of_cards(self, region: Mask, cells: Mask, side_px: float) -> bool:
        """Whether a region is larger than the code and no larger than the cards that may have caused it. White paper on
        a white mat leaves no more than its code behind, but then all of it, and nothing that looks like a token."""
        large = int(region.sum()) > MIN_REGION_RATIO * int(cells.sum())
        pale = not large and self.share_changed(cells) > MIN_PALE_CHANGED_SHARE and self._looks_bare(region, cells)
        return (large or pale) and self._is_no_larger_than_cards(region, side_px)

    def _is_bare(self, region: Mask, cells: Mask, shows_background: bool | None) -> bool:
        """Whether a region is at rest and the code's place in it is bare.

        A place that only looks bare must rest for long where an arm may reach in from the border or several cards are
        occluded at once: shadow on a sleeve may look like wood. A place that doesn't look bare may show a card's back
        or the next card of a pile, but never where an arm may reach in.
        """
        calm_s = float(self.masks.calm_seconds[region].min())
        may_be_arm = border_cells(region) >= MIN_BORDER_CELLS
        if shows_background is None and self._looks_bare(region, cells):
            doubtful = may_be_arm or count_codes_in(region, self.occluded) > 1
            return calm_s >= (MIN_LONG_CALM_S if doubtful else MIN_CALM_S)
        return calm_s >= MIN_CALM_S if shows_background else calm_s >= MIN_LONG_CALM_S and not may_be_arm

    def _looks_bare(self, region: Mask, cells: Mask) -> bool:
        """Whether most of these cells have a color that is found right around the region."""
        inside, outside = self._colors[cells], self._surroundings(region)
        if not len(outside):
            return False
        difference = np.abs(inside[:, None] - outside[None]).max(2).min(1)
        return bool((difference < MAX_COLOR_DIFFERENCE).mean() > MIN_SAME_COLOR_SHARE)

    def _surroundings(self, region: Mask) -> CellColors:
        """The colors right around a region, n x channels. Empty if most of them are new: by light alone, a sleeve that
        covers all of it can't be told from the mat."""
        near = cv2.dilate(region.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool) & ~self.masks.changed
        same = near & self._have_usual_color(self._colors)
        return self._colors[same if 2 * same.sum() > near.sum() else np.zeros_like(same)]

    @cached_property
    def _colors(self) -> CellColors:
        return cell_colors(self.image)

    def _have_usual_color(self, colors: CellColors) -> Mask:
        """The cells with the same color as usual, apart from a change of light that all cells share."""
        if self.usual_colors is None or self.usual_colors.shape != colors.shape:
            return np.ones(colors.shape[:2], bool)
        light = np.median(colors / np.maximum(self.usual_colors, 1), axis=(0, 1))
        return np.asarray(np.abs(colors - self.usual_colors * light).max(2) < MAX_COLOR_DIFFERENCE)

    def _is_near_causes(self, region: Mask) -> bool:
        """Whether nearly every cell of a region is within a card's reach of a cause."""
        rows, columns = np.nonzero(region)
        cells_px = (np.stack([columns, rows], 1) + 0.5) * CELL_PX
        near = np.zeros(len(cells_px), bool)
        for center, side in self.causes:
            near |= np.linalg.norm(cells_px - center, axis=1) < CARD_REACH_SIDES * side
        return bool(near.mean() > MIN_NEAR_SHARE)


def cell_colors(image: CameraImage) -> CellColors:
    """The mean color of each cell in the image's own color space, to be compared within one camera."""
    if isinstance(image, YuvImage):
        # U and V differ by little more than half of what blue and red do.
        chroma = (2 * mean_colors(plane, CELL_PX // 2) for plane in image.chroma())
        return np.concatenate([mean_colors(image.luma, CELL_PX), *chroma], 2)
    return mean_colors(image, CELL_PX)


def mean_colors(frame: Frame, cell_px: int) -> CellColors:
    """The mean of each square cell, sampled with COLOR_STRIDE."""
    rows, columns = (max(1, n // cell_px) for n in frame.shape[:2])
    sample = np.ascontiguousarray(frame[: rows * cell_px : COLOR_STRIDE, : columns * cell_px : COLOR_STRIDE])
    mean = cv2.resize(sample, (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(mean, np.float32).reshape(rows, columns, -1)


def count_codes_in(region: Mask, codes: Iterable[PlacedCode]) -> int:
    """The number of cells in the region that hold the center of a code."""
    limit = np.array(region.shape[::-1]) - 1
    centers = [np.clip(center // CELL_PX, 0, limit).astype(int) for center, _ in codes]
    return len({(int(x), int(y)) for x, y in centers if region[y, x]})


def border_cells(region: Mask) -> int:
    """The number of cells of the region at the border of the image."""
    return int(region[0].sum() + region[-1].sum() + region[:, 0].sum() + region[:, -1].sum())


def max_card_cells(side_px: float) -> float:
    """The number of cells that a card can cover whose code has this side."""
    return CARD_AREA_SIDES * (side_px / CELL_PX) ** 2 + CARD_RIM_CELLS


def connected_regions(changed: Mask) -> NDArray[np.int32]:
    """The connected components of the mask, numbered from 1. Diagonal neighbors are connected."""
    _, labels = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    return np.asarray(labels, np.int32)


def cells_under(corners: Points, shape: tuple[int, ...]) -> Mask:
    """The cells that a convex polygon in pixels touches. `shape` is that of the grid of cells."""
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, np.floor(corners / CELL_PX).astype(np.int32), 1)
    return mask.astype(bool)


def may_be_covered(center: Points, side_px: float, newcomers: Iterable[Points]) -> bool:
    """Whether one of the codes that have just come (their centers) is so near that its card may lie on top."""
    reach = CARD_REACH_SIDES * COVER_REACH_RATIO * side_px
    return any(math.dist(center, other) < reach for other in newcomers)
