"""What does the place of a thing show that can't be read just now: the thing, something over it, or neither?

Law: no I/O, no clock. A thing is called gone on evidence only:

- its cells have changed and come to rest, and
- neither its picture nor a code's texture is there any more, and
- what has changed is about as large as a card, since a hand, a sleeve or a book reaches further, and at least
  as large as the code, since a token or a cube changes less, and
- no other thing has come to rest so near that it may lie on top.
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

BLOCK_PX = 8
AGREES = 0.6
"""A block shows what it showed if it correlates so well ..."""
PART = 0.25
"""... and a thing is there if so many blocks of its place do ..."""
WHOLE = 0.75
"""... and in full view if so many do."""
TEXTURED = 0.55
"""With this share of the remembered texture a place still looks like a code."""
CARD_SIDES = 4.7
"""From the middle of a code to the farthest point that its card, and its shadow, can have: in the code's sides.
A poker card's diagonal is 108 mm, 4.3 times a code of 25 mm."""
CARD_AREA, RIM_CELLS = 11.0, 30.0
"""The area of a poker card with its shadow, in squares of the code's side, and so many cells more: it is cut into
whole ones."""
SAME_COLOUR = 9.0
Colours = NDArray[np.float32]
"""Of each cell: rows x columns x channels."""
CALM_S = 0.06
LONG_CALM_S = 0.7


@dataclass(frozen=True, eq=False)
class Memory:
    """The picture of a code at rest, where it was, the cells under it, and what those showed before it came."""

    box: Box
    patch: GrayImage
    under: Mask
    beneath: CellGrid | None


def remember(frame: Frame, corners: Points, under: Mask, beneath: CellGrid | None) -> Memory:
    """The picture of the code now."""
    box = bounds(scale_about_center(corners, 1.1), frame.shape)
    return Memory(box, grey(frame, box).copy(), under, beneath)


def grey(frame: Frame, box: Box) -> GrayImage:
    """A box of the frame as a grey picture."""
    area = frame[box[1] : box[3], box[0] : box[2]]
    return np.asarray(cv2.cvtColor(area, cv2.COLOR_BGR2GRAY) if area.ndim == 3 else area, np.uint8)


def bounds(corners: Points, shape: tuple[int, ...]) -> Box:
    """The upright box around the points, within the picture."""
    (x0, y0), (x1, y1) = np.floor(corners.min(0)).astype(int), np.ceil(corners.max(0)).astype(int) + 1
    return clip_box((int(x0), int(y0), int(x1), int(y1)), shape)


def still_shown(memory: Memory, patch: GrayImage, part: float = PART) -> bool:
    """Whether enough of the patch looks as it did, however the light has changed: a code partly covered."""
    was, now = blocks(memory.patch), blocks(patch)
    rough = was.std(1) > 12
    if not rough.any():
        return False
    return float((correlation(was[rough], now[rough]) > AGREES).mean()) >= part


def blocks(patch: GrayImage) -> NDArray[np.float32]:
    """The patch cut into squares: n x 64."""
    rows, columns = (n // BLOCK_PX for n in patch.shape)
    whole = patch[: rows * BLOCK_PX, : columns * BLOCK_PX].astype(np.float32)
    cut = whole.reshape(rows, BLOCK_PX, columns, BLOCK_PX).swapaxes(1, 2)
    return cut.reshape(rows * columns, BLOCK_PX * BLOCK_PX)


def correlation(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of each row of one with the same row of the other, -1 to 1."""
    a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
    return np.asarray((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1e-6), np.float32)


def looks_coded(memory: Memory, patch: GrayImage) -> bool:
    """Whether the patch is as busy as the code was; then it must be read, not judged."""
    return roughness(patch) > TEXTURED * roughness(memory.patch)


def roughness(patch: GrayImage) -> float:
    """Mean step between pixels two apart, in x and in y, with the noise of single pixels taken out."""
    soft = cv2.blur(patch, (2, 2))
    return cv2.mean(cv2.absdiff(soft[:, 2:], soft[:, :-2]))[0] + cv2.mean(cv2.absdiff(soft[2:], soft[:-2]))[0]


@dataclass(frozen=True, eq=False)
class Scene:
    """The changed cells of a frame, and the known reasons for change: the middles (px) and sides (px) of codes that are
    hidden, and of those that have come or gone. `colours` are those of the cells when nothing was open last."""

    change: ChangeMasks
    hidden: Sequence[tuple[Points, float]]
    known: Sequence[tuple[Points, float]]
    picture: CameraImage
    colours: Colours | None = None

    @property
    def reasons(self) -> list[tuple[Points, float]]:
        return [*self.hidden, *self.known]

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The changed cells as connected areas."""
        return areas(self.change.changed)

    @cached_property
    def changed(self) -> bool:
        """Whether anything at all has."""
        return bool(self.change.changed.any())

    def share_changed(self, under: Mask) -> float:
        """Of these cells, 0 to 1."""
        there = np.count_nonzero(under)
        return np.count_nonzero(self.change.changed & under) / there if there else 0.0

    def emptied(self, under: Mask, side: float, bare: bool | None) -> bool:
        """Whether the change at a code's cells is what a card leaves behind that was taken away. `bare` tells
        whether the place looks as it did before the card came, or None for a card that was there from the start."""
        if self.share_changed(under) < 0.5:
            return False
        mine = np.isin(self.labels, np.unique(self.labels[under & self.change.changed]))
        fits = self._of_a_size(mine, under, side) and self.explained(mine) and len(self._around(mine)) > 0
        return fits and self._uncovered(mine, under, bare)

    def _of_a_size(self, mine: Mask, under: Mask, side: float) -> bool:
        """Larger than the code, and no larger than the cards that may have to do with it. White paper on a white mat
        leaves no more than its code behind, but then all of it, and nothing that looks like a token."""
        cells = int(mine.sum())
        large = cells > 1.1 * int(under.sum())
        pale = not large and self.share_changed(under) > 0.9 and self._looks_bare(mine, under)
        return (large or pale) and cells < card_cells(side) * max(1, within(mine, self.reasons))

    def understood(self, mine: Mask) -> bool:
        """Whether a change is but what the known reasons have left behind: no arm that reaches in."""
        if not self.reasons or not self.explained(mine):
            return False
        side = max(side for _, side in self.reasons)
        return touching(mine) < 2 and int(mine.sum()) < card_cells(side) * max(1, within(mine, self.reasons))

    def _uncovered(self, mine: Mask, under: Mask, bare: bool | None) -> bool:
        """All of it at rest, and the place bare. What only looks bare must rest for long where an arm may reach
        in from the border or several cards are hidden at once: shadow on a sleeve may look like wood. What does
        not may be a card's back or the next card of a pile, but never where an arm may reach in."""
        calm = float(self.change.calm_seconds[mine].min())
        arm = touching(mine) >= 2
        if bare is None and self._looks_bare(mine, under):
            return calm >= (LONG_CALM_S if arm or within(mine, self.hidden) > 1 else CALM_S)
        return calm >= CALM_S if bare else calm >= LONG_CALM_S and not arm

    def _looks_bare(self, mine: Mask, under: Mask) -> bool:
        """Whether most cells of the place have a colour that is found right around the change."""
        inside, outside = self._colours_now[under], self._around(mine)
        if not len(outside):
            return False
        apart = np.abs(inside[:, None] - outside[None]).max(2).min(1)
        return bool((apart < SAME_COLOUR).mean() > 0.8)

    def _around(self, mine: Mask) -> Colours:
        """The colours right around a change; none if most of them are new: light alone does not tell a sleeve that was
        laid over all of it from the mat."""
        near = cv2.dilate(mine.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool) & ~self.change.changed
        same = near & self._same_colour(self._colours_now)
        return self._colours_now[same if 2 * same.sum() > near.sum() else np.zeros_like(same)]

    @cached_property
    def _colours_now(self) -> Colours:
        return colours_of(self.picture)

    def _same_colour(self, colours: Colours) -> Mask:
        """The cells that have kept their colours, but for what the light has done to all of them."""
        if self.colours is None or self.colours.shape != colours.shape:
            return np.ones(colours.shape[:2], bool)
        light = np.median(colours / np.maximum(self.colours, 1), axis=(0, 1))
        return np.asarray(np.abs(colours - self.colours * light).max(2) < SAME_COLOUR)

    def explained(self, mine: Mask) -> bool:
        """Whether nearly every cell lies within a card's reach of something that came or went."""
        rows, columns = np.nonzero(mine)
        at = (np.stack([columns, rows], 1) + 0.5) * CELL_PX
        near = np.zeros(len(at), bool)
        for middle, side in self.reasons:
            near |= np.linalg.norm(at - middle, axis=1) < CARD_SIDES * side
        return bool(near.mean() > 0.97)


def colours_of(picture: CameraImage) -> Colours:
    """The mean colour of each cell, in the picture's own terms: to be compared with others of the same camera."""
    if isinstance(picture, YuvImage):
        light, *tints = (
            mean_of_cells(picture.luma, CELL_PX),
            *(mean_of_cells(p, CELL_PX // 2) for p in picture.chroma()),
        )
        return np.concatenate([light, *(2 * tint for tint in tints)], 2)
    return mean_of_cells(picture, CELL_PX)


def mean_of_cells(frame: Frame, cell_px: int) -> Colours:
    """Of each square cell, from every fourth row and column of a frame as it is."""
    rows, columns = (max(1, n // cell_px) for n in frame.shape[:2])
    sample = np.ascontiguousarray(frame[: rows * cell_px : 4, : columns * cell_px : 4])
    mean = cv2.resize(sample, (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(mean, np.float32).reshape(rows, columns, -1)


def within(mine: Mask, codes: Iterable[tuple[Points, float]]) -> int:
    """How many codes (middle and side, px) have their middles in these cells."""
    limit = np.array(mine.shape[::-1]) - 1
    at = [np.clip(middle // CELL_PX, 0, limit).astype(int) for middle, _ in codes]
    return len({(int(x), int(y)) for x, y in at if mine[y, x]})


def touching(mine: Mask) -> int:
    """How many of the cells lie at the picture's border."""
    return int(mine[0].sum() + mine[-1].sum() + mine[:, 0].sum() + mine[:, -1].sum())


def card_cells(side: float) -> float:
    """The cells that a card can change whose code has sides of so many pixels."""
    return CARD_AREA * (side / CELL_PX) ** 2 + RIM_CELLS


def areas(changed: Mask) -> NDArray[np.int32]:
    """Connected areas of changed cells, numbered from 1; what lies diagonally is connected too."""
    _, labels = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    return np.asarray(labels, np.int32)


def cells_under(corners: Points, shape: tuple[int, ...]) -> Mask:
    """The cells that a quadrilateral in pixels touches."""
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, np.floor(corners / CELL_PX).astype(np.int32), 1)
    return mask.astype(bool)


def covered_by(place: Points, side: float, newcomers: Iterable[Points]) -> bool:
    """Whether one of the codes that have just come (their middles) lies so near that its card may be on top."""
    return any(math.dist(place, middle) < CARD_SIDES * 0.8 * side for middle in newcomers)
