"""Decides which parts of each frame are searched for codes, because searching takes most of the time.

Law: no I/O, no clock. Two kinds of places are read: cells where a change has come to rest and, every few frames, one
tile of a slow sweep over the whole image. A place that looks like a code but can't be read is retried with exponential
backoff. A cell is *due* when it should be read at the next opportunity. No frame costs more than reading one whole
image. Work is spread over frames: regions that come to rest together are read one after the other, and where zxing-cpp
reads a code, the rest of the region is matched with templates one frame later. Otherwise the frame in which a card
comes to rest would also be the one in which the print of the card is searched for further codes. Beside a hand that
moves, regions are matched one frame later, too, because the hand may cover them again by then.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoded_codes import Code, remove_duplicates
from vision.decoding.candidate_regions import TEXTURE_CELL_PX, TextureMap, measure_texture
from vision.decoding.decoder import (
    accepted_codes,
    find_exactly,
    find_in_reduced_image,
    find_with_zxing,
    is_too_busy,
    match_in_place,
    match_near,
    precompute_templates,
)
from vision.decoding.module_size_field import ModuleSizeField, fit_module_size
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE, MIN_REFINABLE_CONFIDENCE, MIN_UNCOVERED_CONFIDENCE
from vision.decoding.templates import build_template_bank
from vision.geometry import CELL_PX, CellGrid, CellMask, Frame, GrayImage, PixelBox, clip_box
from vision.tracking.appearance import gray_patch
from vision.tracking.change_detection import ChangeMasks
from vision.tracking.changed_regions import MIN_CALM_S, dilated
from vision.tracking.retry_schedule import NEVER, RetrySchedule

REGION_MARGIN_CELLS = 2
"""The margin around each due cell, in cells. Due cells whose margins touch are read together."""
MIN_REGION_CELLS = 3
"""A region with fewer due cells is smaller than a code and is not read."""
REGION_MARGIN_PX = 3 * CELL_PX
"""Margin around a region of due cells, for a code that is only partly in the region."""
MIN_CODE_TEXTURE = 2.0
"""If all due cells of a region have less texture than this, in gray levels, the region shows no code. It may be a
sleeve, or the bare table. Codes with modules of 1.25 to 8 pixels have a cell with at least 22 in good light, so the
limit leaves enough for a tenth of that light."""
MAX_READ_PIXELS = 150_000
"""Once this many pixels of a frame have been searched, the other regions wait for the next frame. The region of a card
that has come to rest has about as many, at 2.5 px per module."""
SWEEP_INTERVAL_FRAMES = 6
"""In one frame out of this many, the sweep searches a tile, unless something else has to be read in that frame."""
SWEEP_GRID = (4, 3)
"""The number of columns and rows of tiles into which the sweep divides the image."""
CHANGE_CHECK_SWEEPS = 5
"""On a table at rest, only one in this many frames of the sweep is also searched for changes. The number has no factor
in common with the number of tiles, so that each tile has its turn."""
SWEEP_MARGIN_PX = 64
"""Margin around a tile, for codes on its edge."""
MAX_REMATCHED_CODES = 8
"""The largest number of codes per tile that are matched with templates because zxing-cpp did not find them."""
MAX_CONFIRMATION_FRAMES = 64
"""A partly covered code, for example one under a hand that is about to leave, is accepted only if it is matched twice
at the same place, at most this many frames apart."""
MAX_CONFIRMATION_SHIFT_SIDES = 0.1
"""How far apart the two matches of a partly covered code may be, in sides of the code. Both matches need
MIN_ACCEPTED_CONFIDENCE, because on a still table a wrong match is simply repeated in every frame."""
MAX_MEASURED_SHIFT_SIDES = 0.05
"""A code whose corners have moved less than this since its size was measured, in sides of the code, is not measured
again. That is about one module. The sweep finds corners up to two pixels from where they are, so a smaller limit would
replace good measurements with worse ones."""


class ReadScheduler:
    """Decides where to look for codes in the frames of one camera, and reads them. `decodes` counts the areas that have
    been searched for codes."""

    def __init__(self, known_ids: frozenset[str], module_size: ModuleSizeField | None = None) -> None:
        self.decodes = 0
        self._module_size = module_size
        self._is_size_outdated = False
        self.sweep_results: list[tuple[tuple[float, float], bool]] = []
        """The centers in pixels of the codes that the sweep expected in the last frame, and whether each was read."""
        precompute_templates(known_ids)
        self._known_ids = known_ids
        self._schedule = RetrySchedule.create((0, 0))
        self._frame = -1
        self._measured: dict[str, Code] = {}
        self._unconfirmed: dict[str, tuple[int, Code]] = {}
        self._decoded: list[Code] = []
        """The codes that zxing-cpp has read in regions that remain to be matched with templates."""

    def read(
        self, frame: Frame, texture: CellGrid, masks: ChangeMasks, awaited: Collection[str] | None = ()
    ) -> list[Code]:
        """Searches the cells of `frame` that are due, and returns the codes that were read. If no cell is due, searches
        one tile of the image instead, every few frames. This sweep covers the whole image, tile by tile. Some cells are
        left to the next frame, unless one of the `awaited` codes is not read without them. None: no cell is. `texture`:
        the texture of each cell."""
        self._frame += 1
        self.sweep_results = []
        if not self._schedule.pending.size:
            self._schedule = RetrySchedule.create(masks.calm.shape)
        elif masks.calm.shape != self._schedule.pending.shape:
            self.reset(masks.calm.shape)
        due = self._due_cells(masks)
        boxes = regions_around(due, frame.shape)
        if not boxes:
            self._finish_remnants(due)
        codes = remove_duplicates(self._read_boxes(frame, texture, boxes, due, masks.moving, awaited))
        if not boxes and self._frame % SWEEP_INTERVAL_FRAMES == SWEEP_INTERVAL_FRAMES - 1:
            codes = self._sweep(frame)
        self._reschedule_moving(codes, masks)
        self._measure(codes)
        if not boxes:
            self._fit_module_size()
        return codes

    @property
    def module_size(self) -> ModuleSizeField | None:
        """The size of a module at each point of the image, as far as it is known. May not include the codes of the last
        frames, if enough others have been read."""
        if self._module_size is None or not self._module_size.is_reliable:
            self._fit_module_size()
        return self._module_size

    def must_detect_changes_next(self) -> bool:
        """Whether the next frame must be searched for changes even if the table is at rest and looks the same."""
        return not self.can_skip_next() and (self._frame + 1) // SWEEP_INTERVAL_FRAMES % CHANGE_CHECK_SWEEPS == 0

    def can_skip_next(self) -> bool:
        """Whether the next frame need not be searched for codes. False if it is the turn of the sweep, which searches
        the whole image, one tile every few frames."""
        return (self._frame + 1) % SWEEP_INTERVAL_FRAMES != SWEEP_INTERVAL_FRAMES - 1

    def skip_frame(self) -> None:
        """Advances the frame number for a frame that is not searched for codes."""
        self._frame += 1
        self._fit_module_size()

    def sweep_unchanged(self, frame: Frame, on_table: Container[str]) -> list[Code]:
        """Searches a frame that looks like the one before, and in which it is the turn of the sweep. Returns the codes
        in the tile of the sweep. Those that are not `on_table` or have moved are read again in the next frame, which
        must be searched for changes."""
        self._frame += 1
        self.sweep_results = []
        codes = self._sweep(frame)
        for code in codes:
            if code.id and not (code.id in on_table and self._is_measured(code)):
                self._schedule.mark_pending(cells_in_box(box_around(code), self._schedule.pending.shape))
        return codes

    def is_idle(self, cells: CellMask | None = None) -> bool:
        """Whether no cell is waiting to be read. With `cells`, only these cells count."""
        waiting = self._schedule.waiting & (self._schedule.due_frame < NEVER)
        return not (waiting if cells is None else waiting[cells]).any()

    def reset(self, shape: tuple[int, ...]) -> None:
        """Makes every cell due again, and forgets the codes' sizes. `shape` is the grid's rows and columns."""
        self._schedule = RetrySchedule.create(shape)
        self._measured, self._module_size, self._unconfirmed = {}, None, {}
        self._is_size_outdated = False

    def _reschedule_moving(self, codes: list[Code], masks: ChangeMasks) -> None:
        """Schedules those of `codes` that were moving when they were read: they are read again once they are at rest.
        Also forgets the failed attempts to read any moving cell."""
        resting = resting_cells(masks)
        self._schedule.reset_attempts(~resting)
        for code in codes:
            cells = cells_in_box(box_around(code), resting.shape)
            if not resting[cells].all():
                self._schedule.mark_pending(cells)

    def _measure(self, codes: list[Code]) -> None:
        """Records the sizes of those of `codes` that are new or have moved."""
        if new := {code.id: code for code in codes if code.id and not self._is_measured(code)}:
            self._measured |= new
            self._is_size_outdated = True

    def _fit_module_size(self) -> None:
        """Fits the module size to all codes that have been read so far, if it is outdated. This is done in a frame in
        which no code is read, because such a frame takes little time, or as soon as a reliable size is needed."""
        if self._is_size_outdated:
            self._module_size = fit_module_size(list(self._measured.values()))
            self._is_size_outdated = False

    def _is_measured(self, code: Code) -> bool:
        """Whether `code` has not moved since its size was measured."""
        before = self._measured.get(code.id or "")
        limit = MAX_MEASURED_SHIFT_SIDES * code.side_px
        return before is not None and bool(np.abs(before.corners - code.corners).max() < limit)

    def _due_cells(self, masks: ChangeMasks) -> CellMask:
        """Mask of the cells to read now: they are changed or pending, at rest, and due."""
        due = self._schedule.due_cells(self._frame)
        return (masks.changed | self._schedule.waiting) & due & resting_cells(masks)

    def _finish_remnants(self, due: CellMask) -> None:
        """Takes the `due` cells off the schedule if they are too few for a code, and no other cells are waiting to be
        read together with them."""
        waiting = self._schedule.waiting & (self._schedule.due_frame < NEVER)
        if waiting.any() and not (waiting & ~due).any():
            self._schedule.finish(waiting)

    def _sweep(self, frame: Frame) -> list[Code]:
        """The codes that are read in the tile of the sweep that belongs to the current frame, including those on the
        tile's edge. Also updates `sweep_results`."""
        core = self._sweep_tile(frame.shape)
        margin = SWEEP_MARGIN_PX
        tile = clip_box((core[0] - margin, core[1] - margin, core[2] + margin, core[3] + margin), frame.shape)
        self.decodes += 1
        area = gray_patch(frame, tile)
        found = [shift(code, tile) for code in find_with_zxing(area, self._known_ids)]
        ids = {code.id for code in found}
        expected = [code for code in self._measured.values() if is_in(code.centroid, core)]
        missing = [code for code in expected if code.id not in ids]
        matched = self._match_again(area, tile, missing[:MAX_REMATCHED_CODES])
        self.sweep_results = [
            (code.centroid, code.id in ids or any(is_near(other, code.centroid) for other in matched))
            for code in expected
        ]
        return remove_duplicates(found + matched)

    def _sweep_tile(self, shape: tuple[int, ...]) -> PixelBox:
        """The tile of the sweep that belongs to the current frame, in pixels, without its margin. `shape` is the height
        and width of the frame."""
        columns, rows = SWEEP_GRID
        number = self._frame // SWEEP_INTERVAL_FRAMES % (columns * rows)
        height, width = shape[0] // rows, shape[1] // columns
        x, y = number % columns, number // columns
        return x * width, y * height, (x + 1) * width, (y + 1) * height

    def _match_again(self, area: GrayImage, tile: PixelBox, missing: list[Code]) -> list[Code]:
        """Searches by template matching for the codes in `missing`, where they were read before. Returns the codes that
        it finds, which may be too small for zxing-cpp. `area` is the gray image of `tile`."""
        if not missing:
            return []
        quads = [code.corners - tile[:2] for code in missing]
        matched = match_in_place(area, quads, build_template_bank(self._known_ids))
        return [shift(code, tile) for code in accepted_codes(matched)]

    def _read_boxes(
        self,
        frame: Frame,
        texture: CellGrid,
        boxes: list[PixelBox],
        due: CellMask,
        moving: CellMask,
        awaited: Collection[str] | None,
    ) -> Iterator[Code]:
        """Yields the codes in the `boxes` of the frame. If `awaited` is None, nothing is left to the next frame.
        Otherwise boxes may wait for it once MAX_READ_PIXELS have been searched and all `awaited` codes were read. Those
        that have waited come first, then those with the most `due` cells. A box whose due cells have so little
        `texture` that they can't show a code is not searched. `moving` masks the cells that move."""
        pixels, waiting, decoded = 0, self._schedule.waiting & due, self._schedule.decoded
        self._decoded = [code for code in self._decoded if decoded[cells_in_box(box_around(code), due.shape)].any()]

        def priority(box: PixelBox) -> tuple[bool, int]:
            cells = cells_in_box(box, due.shape)
            return bool(waiting[cells].any()), int(np.count_nonzero(due[cells]))

        for box in sorted(boxes, key=priority, reverse=True) if len(boxes) > 1 else boxes:
            inside = cells_in_box(box, due.shape)
            here = inside & due
            if not (texture[here] > MIN_CODE_TEXTURE).any():
                self._schedule.finish(here)
            elif pixels < MAX_READ_PIXELS or awaited is None or awaited:
                area = gray_patch(frame, box)
                pixels += area.size
                is_whole, is_disturbed = area.shape == frame.shape[:2], bool(moving[inside].any())
                codes = self._read_box(area, box, here, None if is_whole else awaited, is_disturbed)
                yield from (shift(code, box) for code in codes)
                awaited = awaited and set(awaited) - {code.id for code in codes}
            else:
                self._schedule.postpone(here, self._frame)

    def _read_box(
        self, area: GrayImage, box: PixelBox, due: CellMask, awaited: Collection[str] | None, is_disturbed: bool
    ) -> list[Code]:
        """The codes in `area`, the gray image of `box`, with their coordinates there. Updates the schedule of the
        `due` cells. If zxing-cpp reads a code, or if the area `is_disturbed`, so that something that moves may soon
        cover it again, the area is matched with templates in the next frame. If a code is still `awaited` then, or if
        `awaited` is None, it is matched at once."""
        self.decodes += 1
        texture = measure_texture(area)
        if is_too_busy(area, texture):
            self._schedule.finish(due)
            return find_in_reduced_image(area, self._known_ids)
        decoded, found = self._schedule.decoded[due], list[Code]()
        if not decoded.all():
            found = find_exactly(area, self._known_ids)
            may_wait = awaited is not None and not set(awaited) - {code.id for code in found}
            if (found or is_disturbed) and may_wait and not decoded.any():
                self._decoded += [shift(code, box) for code in found]
                self._schedule.postpone(due, self._frame, decoded=True)
                return found
        codes, unread = self._match(area, box, due, texture, found)
        self._update_schedule(due, [shift(code, box) for code in unread])
        return found + codes

    def _match(
        self, area: GrayImage, box: PixelBox, due: CellMask, texture: TextureMap, found: list[Code]
    ) -> tuple[list[Code], list[Code]]:
        """The codes in `area`, the gray image of `box`, that match templates, and the doubtful matches there, which
        should be retried. Only `texture` near `due` cells is matched, and not that of the codes which were `found` in
        this frame or decoded in an earlier one."""
        texture = texture * near_due_cells(due, box, texture.shape[1:])
        size = self.module_size.with_origin(box[0], box[1]) if self.module_size else None
        known = found + [shift(code, (-box[0], -box[1])) for code in self._decoded]
        matched = match_near(area, texture, known, self._known_ids, size)
        covered = [code for code in matched if code.confidence < MIN_UNCOVERED_CONFIDENCE]
        confirmed = [code for code in covered if self._is_confirmed(shift(code, box))]
        unread = [code for code in covered if code.confidence > MIN_REFINABLE_CONFIDENCE and code not in confirmed]
        return confirmed + [code for code in matched if code.confidence >= MIN_UNCOVERED_CONFIDENCE], unread

    def _is_confirmed(self, code: Code) -> bool:
        """Whether the partly covered `code` was also matched at the same place in an earlier frame. Records it for
        later frames."""
        if code.id is None or code.confidence < MIN_ACCEPTED_CONFIDENCE:
            return False
        earlier = self._unconfirmed.get(code.id)
        self._unconfirmed[code.id] = self._frame, code
        if earlier is None or not 0 < self._frame - earlier[0] <= MAX_CONFIRMATION_FRAMES:
            return False
        return math.dist(earlier[1].centroid, code.centroid) < MAX_CONFIRMATION_SHIFT_SIDES * code.side_px

    def _update_schedule(self, due: CellMask, unread: list[Code]) -> None:
        """Updates the schedule after the `due` cells were read: those around `unread` codes are retried later, the
        others are not read again until they change."""
        retry = np.zeros_like(due)
        for code in unread:
            retry |= cells_in_box(box_around(code), due.shape)
        self._schedule.finish(due & ~retry)
        self._schedule.back_off(due & retry, self._frame)


def regions_around(due: CellMask, shape: tuple[int, ...]) -> list[PixelBox]:
    """The boxes around the regions of `due` cells, in pixels; a single box around the whole image if the boxes cover
    more than half of it. `shape` is the image's height and width."""
    if not due.any():
        return []
    near = dilated(due, REGION_MARGIN_CELLS)  # a code may have changed in only some of its cells
    count, labels, stats, _ = cv2.connectedComponentsWithStats(near.astype(np.uint8))
    cells = np.bincount(labels[due], minlength=count)
    boxes = [clip_box(region_box(stats[i]), shape) for i in range(1, count) if cells[i] >= MIN_REGION_CELLS]
    if sum((b[2] - b[0]) * (b[3] - b[1]) for b in boxes) * 2 > shape[0] * shape[1]:
        return [(0, 0, shape[1], shape[0])]
    return boxes


def is_near(code: Code, place: tuple[float, float]) -> bool:
    """Whether `place`, in pixels, is less than half a side from the center of `code`."""
    return math.dist(code.centroid, place) < code.side_px / 2


def is_in(place: tuple[float, float], box: PixelBox) -> bool:
    """Whether `place` is inside `box`, both in pixels."""
    return box[0] <= place[0] < box[2] and box[1] <= place[1] < box[3]


def near_due_cells(due: CellMask, box: PixelBox, shape: tuple[int, ...]) -> CellMask:
    """A mask of the texture cells in `box`: true for texture cells in or next to a cell that is due to be read. `due`
    masks the due cells of the whole image; such a cell is larger than a texture cell. `shape`: the number of
    rows and columns of texture cells in the box."""
    ratio = CELL_PX // TEXTURE_CELL_PX
    # The image may end within a cell.
    rows, columns = (
        np.minimum(box[k] // CELL_PX + np.arange(n) // ratio, due.shape[1 - k] - 1)
        for k, n in ((1, shape[0]), (0, shape[1]))
    )
    return np.asarray(dilated(due, REGION_MARGIN_CELLS)[rows[:, None], columns])


def resting_cells(masks: ChangeMasks) -> CellMask:
    """Mask of the cells that have been calm long enough to be read."""
    return masks.calm & (masks.calm_seconds >= MIN_CALM_S)


def region_box(stats: NDArray[np.int32]) -> PixelBox:
    """The box around a connected region of cells, with a margin, in pixels. `stats` comes from OpenCV: the region's x,
    y, width and height in cells."""
    x, y, w, h = (int(v) * CELL_PX for v in stats[:4])
    return x - REGION_MARGIN_PX, y - REGION_MARGIN_PX, x + w + REGION_MARGIN_PX, y + h + REGION_MARGIN_PX


def box_around(code: Code) -> PixelBox:
    """The smallest axis-aligned box around `code`, in pixels."""
    (x0, y0), (x1, y1) = code.corners.min(0), code.corners.max(0)
    return max(0, int(x0)), max(0, int(y0)), max(0, int(x1) + 1), max(0, int(y1) + 1)


def shift(code: Code, offset: Sequence[int]) -> Code:
    """`code`, moved by an offset: the first two numbers of `offset`, in pixels. With a box as the offset, it is
    converted from pixels of the box to pixels of the image."""
    return Code(code.id, code.text, code.corners + offset[:2], code.confidence)


def cells_in_box(box: PixelBox, shape: tuple[int, ...]) -> CellMask:
    """Mask of the cells that `box`, in pixels, touches. `shape` is the grid's rows and columns."""
    mask = np.zeros(shape, bool)
    mask[box[1] // CELL_PX : -(-box[3] // CELL_PX), box[0] // CELL_PX : -(-box[2] // CELL_PX)] = True
    return mask
