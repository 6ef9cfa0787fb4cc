"""The changed regions of a frame, and whether they are evidence that a component has been taken away.

Law: no I/O, no clock. A component counts as taken away only if there is evidence. The best evidence is that its place
shows the print that was there before it came (`Appearance.looks_as_before`). Without that, all of the following must be
true:

- the cells of its code have changed and come to rest, and
- they show neither the earlier appearance nor the texture of a code, and
- the changed region is about as large as a card (a hand, a sleeve or a book covers more; a token or a cube covers less
  than the code), and
- no other component has come to rest so near that it may lie on top.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import repeat

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoded_codes import Code
from vision.geometry import CELL_PX, CellGrid, CellMask, Points
from vision.tracking.cell_colors import (
    CellBox,
    CellColors,
    cell_colors,
    colors_in,
    exact_mean_colors,
    relight,
    within,
)
from vision.tracking.change_detection import ChangeMasks
from vision.yuv import CameraImage

CARD_REACH_SIDES = 4.7
"""The greatest distance from the center of a code to a point of its card or its shadow, in sides of the code. The
diagonal of a poker card is 108 mm, 4.3 times a code of 25 mm."""
COVER_REACH_RATIO = 0.8
"""A card may lie on another component's code if their two codes are nearer to each other than this share of
CARD_REACH_SIDES."""
MAX_REACH_RATIO = 2.0
"""How far a component may reach, in sides of its code, as a multiple of what it is in the usual print: codes may be
printed smaller."""
CARD_AREA_SIDES = 15.0
"""The area of a poker card with its shadow, as a multiple of the area of its code. With a code of 25 mm, it is 9 to 11
times as large; with one of 20 mm, up to 15 times."""
CARD_RIM_CELLS = 30.0
"""The number of cells that a card covers only partly, at its edge. This number is added to the area of a card."""
PILE_SIDES = 1.0
"""Codes whose centers are nearer to each other than this, in sides of a code, belong to a pile of cards, which takes up
hardly more space than one card."""
MIN_CHANGED_SHARE = 0.5
"""At least this share of a code's cells changes when its card is taken away."""
MIN_REGION_RATIO = 1.1
"""When a card is taken away, the changed region has more than this many times the cells of the card's code, because a
card is larger than its code."""
MIN_PALE_CHANGED_SHARE = 0.9
"""When white paper is taken from a white mat, only the cells under the code on the paper change. More than this share
of these cells must have changed."""
MIN_SAME_COLOR_SHARE = 0.8
"""A place looks bare if more than this share of its cells has the same color as its surroundings."""
MIN_NEAR_SHARE = 0.97
"""Components may have caused a changed region if more than this share of it is within the reach of their cards."""
MAX_COLOR_DIFFERENCE = 9.0
"""Two cells have the same color if they differ by less than this in every channel."""
MAX_COLOR_DRIFT = 0.15
"""The largest share by which drifting white balance may change a channel in all cells at once. A larger change comes
from a sleeve that covers most of the image."""
MIN_BORDER_CELLS = 2
"""A region with at least this many cells at the border of the image may be an arm."""
MIN_CALM_S = 0.06
"""How long cells must be calm to count as at rest."""
MIN_LONG_CALM_S = 0.7
"""How long cells must be calm to count as at rest, if there is only weak evidence that a component was taken away."""
MAX_RESTLESS_SHARE = 0.5
"""While the light changes, some cells around a code may seem to move. If no arm can be there, a region counts as calm
while the cells of the code are, unless more than this share of its cells has moved."""
ABSORB_UNEXPLAINED_S = 3.0
"""A change that nothing explains, such as a cup on the table, becomes part of the background after resting for this
long. When it has gone, what was there before becomes the background again at once."""

PlacedCode = tuple[Points, float]
"""The center and the side of a code in pixels."""


@dataclass(frozen=True, eq=False)
class ChangedRegions:
    """The changed regions of a frame, and the places of the components that may have caused them.

    A region is a set of changed cells that touch. `occluded`: the codes that can't be read now and whose cells have
    changed. `moved`: the places that a code recently came to or left. `light`: for each cell, the factor that converts
    the cell's brightness to the usual light. `usual_colors`: the colors of the cells when the table was last at rest;
    None if unknown. `unknown_hues` masks the cells that are overexposed now or were overexposed then: white and colored
    surfaces look the same there. None: there are none. `unsettled` masks the cells in which the background may show a
    hand (see `ChangeDetector.unsettled`); None: there are none."""

    masks: ChangeMasks
    occluded: Sequence[PlacedCode]
    moved: Sequence[PlacedCode]
    image: CameraImage
    light: CellGrid
    usual_colors: CellColors | None = None
    unknown_hues: CellMask | None = None
    unsettled: CellMask | None = None

    @property
    def causes(self) -> list[PlacedCode]:
        """The codes of all components that may have caused a change."""
        return [*self.occluded, *self.moved]

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """For each cell, the number of the changed region that contains it, from 1; 0 if the cell has not changed."""
        return connected_regions(self.masks.changed)

    @cached_property
    def any_changed(self) -> bool:
        """Whether any cell has changed."""
        return bool(self.masks.changed.any())

    def share_changed(self, cells: CellMask) -> float:
        """The fraction (0 to 1) of `cells` that have changed."""
        count = np.count_nonzero(cells)
        return np.count_nonzero(self.masks.changed & cells) / count if count else 0.0

    def may_hold_arm(self, cells: CellMask) -> bool:
        """Whether something that reaches in from the border of the image has changed any of `cells`."""
        labels = np.unique(self.labels[cells & self.masks.changed])
        return any(border_cells(self.labels == label) >= MIN_BORDER_CELLS for label in labels)

    def is_vacated(self, cells: CellMask, side_px: float, shows_background: bool | None) -> bool:
        """Whether the change at a code shows that the component was taken away.

        `cells` masks the cells of the code, `side_px` is the side of the code. `shows_background`: whether the cells
        look as before the component came; None if it is unknown how they looked.
        """
        if self.share_changed(cells) < MIN_CHANGED_SHARE:
            return False
        region = touching(self.labels, cells & self.masks.changed)
        settled = region
        if self.unsettled is not None and (self.unsettled & region).any():
            settled = touching(connected_regions(region & ~self.unsettled), cells)
        if not settled.any() or float(self.masks.calm_seconds[region].min()) < MIN_CALM_S:
            return False
        looks_bare = cache(partial(self._looks_bare, region, cells))
        return (
            self._has_size_of_cards(settled, cells, side_px, looks_bare)
            and self._is_near_causes(settled)
            and self._is_calm_long_enough(region, cells, shows_background, looks_bare)
            and looks_bare() is not None
        )

    def is_explained(self, region: CellMask) -> bool:
        """Whether components alone can have caused the changed `region`. They can if the region is near the codes of
        components that came, left or are covered, and is no larger than their cards. Fewer than MIN_BORDER_CELLS of its
        cells may be at the border of the image; otherwise it may be an arm."""
        if not self.causes or not self._is_near_causes(region):
            return False
        side_px = max(side for _, side in self.causes)
        return border_cells(region) < MIN_BORDER_CELLS and self._is_no_larger_than_cards(region, side_px)

    def is_background(self, region: CellMask) -> bool:
        """Whether a changed `region` belongs to the background: it is explained by components and at rest, or it has
        rested for ABSORB_UNEXPLAINED_S."""
        calm_s = float(self.masks.calm_seconds[region].min())
        return calm_s >= ABSORB_UNEXPLAINED_S or (calm_s >= MIN_CALM_S and self.is_explained(region))

    def _is_no_larger_than_cards(self, region: CellMask, side_px: float) -> bool:
        """Whether `region` is no larger than the cards that may have caused it. `side_px` is the side of the codes on
        these cards."""
        return int(region.sum()) < max_card_cells(side_px) * max(1, count_codes_in(region, self.causes))

    def _has_size_of_cards(
        self, region: CellMask, cells: CellMask, side_px: float, looks_bare: Callable[[], bool | None]
    ) -> bool:
        """Whether `region` is larger than the code's `cells`, but no larger than the cards that may have caused it.

        A region no larger than the code is accepted too if white paper may have been taken from a white mat. In that
        case, nearly all cells of the code must have changed, and they must look like the bare mat, not like a token.
        `looks_bare`: whether they do (see `_looks_bare`).
        """
        large = int(region.sum()) > MIN_REGION_RATIO * int(cells.sum())
        pale = not large and self.share_changed(cells) > MIN_PALE_CHANGED_SHARE and bool(looks_bare())
        return (large or pale) and self._is_no_larger_than_cards(region, side_px)

    def _is_calm_long_enough(
        self,
        region: CellMask,
        cells: CellMask,
        shows_background: bool | None,
        looks_bare: Callable[[], bool | None],
    ) -> bool:
        """Whether `region`, which has been calm for MIN_CALM_S, has been calm so long that the code must have left its
        `cells`. `looks_bare`: whether they look bare (see `_looks_bare`).

        - If the cells look as before the component came, MIN_CALM_S is enough.
        - If it is unknown how they looked, but they look bare now, MIN_CALM_S is enough too. MIN_LONG_CALM_S is
          required where an arm may reach in from the border, or where several cards are occluded at once: a shadow on
          a sleeve may look like a bare wooden table.
        - Other cells may show the back of a card or the next card of a pile. They and most of the region require
          MIN_LONG_CALM_S, and they are never accepted where an arm may reach in.
        """
        calm = self.masks.calm_seconds
        calm_s = float(calm[region].min())
        may_be_arm = border_cells(region) >= MIN_BORDER_CELLS
        if shows_background is None and looks_bare():
            doubtful = may_be_arm or count_codes_in(region, self.occluded) > 1
            return not doubtful or calm_s >= MIN_LONG_CALM_S
        mostly_calm_s = min(float(calm[cells].min()), float(np.quantile(calm[region], MAX_RESTLESS_SHARE)))
        return bool(shows_background) or (mostly_calm_s >= MIN_LONG_CALM_S and not may_be_arm)

    def _looks_bare(self, region: CellMask, cells: CellMask) -> bool | None:
        """Whether most of the cells in `cells` have a color that is also found in the unchanged cells right around
        `region`. None if most of the latter have unusual colors: a sleeve may then cover all of the surroundings, and
        brightness alone can't distinguish it from the mat."""
        near = dilated(region, 2) & ~self.masks.changed
        if self.unsettled is not None:
            near &= ~self.unsettled
        x, y, width, height = cv2.boundingRect(dilated(region | cells, 2 + 1).astype(np.uint8))  # see _mean_nearby
        box = np.s_[y : y + height, x : x + width]
        # All pixels count, because noise is amplified when colors in dim light are converted to the usual light.
        colors = colors_in(box, self.image, exact_mean_colors)
        inside, outside = colors[cells[box]], colors[near[box] & self._has_usual_color(colors, box)]
        if 2 * len(outside) <= near.sum():
            return None
        pairs = within(inside.T[:, :, None], outside.T[:, None], MAX_COLOR_DIFFERENCE)
        return bool(pairs.any(1).mean() > MIN_SAME_COLOR_SHARE)

    def _has_usual_color(self, colors: CellColors, box: CellBox) -> CellMask:
        """Mask of the cells in `box` whose color is the usual one, apart from a change of light that all cells share,
        or whose hue is unknown. It contains all cells if the usual colors are unknown. `colors` are those in the
        box."""
        if self.usual_colors is None or self._change_of_light is None:
            return np.ones(colors.shape[:2], bool)
        expected = self.usual_colors[box] * self._change_of_light
        difference = relight(colors, self.light[box], self.image) - expected
        difference = self._mean_nearby(np.asarray(difference, np.float32), box)
        usual = within(cv2.split(difference), repeat(0.0), MAX_COLOR_DIFFERENCE)
        return usual if self.unknown_hues is None else usual | self.unknown_hues[box]

    @cached_property
    def _change_of_light(self) -> CellColors | None:
        """The factor by which each channel has changed in most cells. None if the usual colors are unknown."""
        some, usual = np.s_[::2, ::2], self.usual_colors  # enough for a median
        colors = cell_colors(self.image)
        if usual is None or usual.shape != colors.shape:
            return None
        change = relight(colors[some], self.light[some], self.image) / np.maximum(usual[some], 1)
        ordered = np.sort(change.reshape(-1, change.shape[2]), axis=0)  # several times as fast as NumPy's median
        return np.asarray(np.clip(ordered[len(ordered) // 2], 1 - MAX_COLOR_DRIFT, 1 + MAX_COLOR_DRIFT), np.float32)

    def _mean_nearby(self, difference: CellColors, box: CellBox) -> CellColors:
        """The mean difference of the unchanged cells in and around each cell of `box`. Sensor noise cancels out. A
        sleeve is larger than a few cells, so its difference remains."""
        unchanged = (~self.masks.changed[box]).astype(np.float32)
        count = np.maximum(cv2.blur(unchanged, (3, 3)), np.finfo(np.float32).eps)[:, :, None]
        total = cv2.blur(difference * unchanged[:, :, None], (3, 3))
        return np.asarray(total.reshape(difference.shape) / count, np.float32)

    def _is_near_causes(self, region: CellMask) -> bool:
        """Whether nearly every cell of `region` is so near a code in `causes` that the code's card may reach the
        cell."""
        rows, columns = np.nonzero(region)
        cells_px = (np.stack([columns, rows], 1) + 0.5) * CELL_PX
        near = np.zeros(len(cells_px), bool)
        for center, side in self.causes:
            near |= np.linalg.norm(cells_px - center, axis=1) < CARD_REACH_SIDES * side
        return bool(near.mean() > MIN_NEAR_SHARE)


def touching(labels: NDArray[np.int32], cells: CellMask) -> CellMask:
    """The cells of all numbered regions that contain any of `cells`. `labels`: see `connected_regions`."""
    is_touched = np.zeros(int(labels.max()) + 1, bool)
    is_touched[labels[cells]] = True
    is_touched[0] = False
    return is_touched[labels]


def dilated(mask: CellMask, distance: int) -> CellMask:
    """`mask`, extended by `distance` cells on all sides."""
    side = 2 * distance + 1
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((side, side), np.uint8)).astype(bool))


def count_codes_in(region: CellMask, codes: Iterable[PlacedCode]) -> int:
    """The number of `codes` with their centers in `region`. The codes of a pile count as one (see PILE_SIDES)."""
    limit = np.array(region.shape[::-1]) - 1
    counted: list[Points] = []
    for center, side_px in codes:
        x, y = np.clip(center // CELL_PX, 0, limit).astype(int)
        if region[y, x] and all(math.dist(center, other) >= PILE_SIDES * side_px for other in counted):
            counted.append(center)
    return len(counted)


def border_cells(region: CellMask) -> int:
    """The number of cells of `region` that are at the border of the image."""
    return int(region[0].sum() + region[-1].sum() + region[:, 0].sum() + region[:, -1].sum())


def max_card_cells(side_px: float) -> float:
    """The largest number of cells that a card can cover if the side of its code is `side_px`."""
    return CARD_AREA_SIDES * (side_px / CELL_PX) ** 2 + CARD_RIM_CELLS


def connected_regions(changed: CellMask) -> NDArray[np.int32]:
    """Numbers the regions of `changed` cells that touch, at an edge or a corner. Returns the number of each cell's
    region, from 1; 0 for a cell in no region."""
    _, labels = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    return np.asarray(labels, np.int32)


def cells_under(corners: Points, shape: tuple[int, ...]) -> CellMask:
    """Mask of the cells that a convex polygon touches. `corners` are the polygon's corners in pixels, `shape` is the
    rows and columns of the grid."""
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, np.floor(corners / CELL_PX).astype(np.int32), 1)
    return mask.astype(bool)


def cells_near(center: Points, side_px: float, shape: tuple[int, ...]) -> CellMask:
    """Mask of the cells near a code. If another card's code is in one of these cells, that card may cover the code.
    `center` and `side_px`: the center of the code that may be covered and the length of its sides, in pixels. `shape`:
    the rows and columns of the grid."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    dx, dy = (columns + 0.5) * CELL_PX - center[0], (rows + 0.5) * CELL_PX - center[1]
    return np.asarray(dx * dx + dy * dy < (CARD_REACH_SIDES * COVER_REACH_RATIO * side_px) ** 2)


def may_be_covered(code: Code, other: Code, reach_sides: float = math.inf) -> bool:
    """Whether the component with the code `other` is near enough to cover a part of `code`. `reach_sides`: how far that
    component reaches from the center of its code in the usual print, in sides of the code. If it is unknown, the
    component may be a card."""
    reach = min(CARD_REACH_SIDES * COVER_REACH_RATIO, MAX_REACH_RATIO * reach_sides)
    return math.dist(code.center, other.center) < reach * code.side_px
