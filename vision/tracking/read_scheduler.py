"""What of a frame to read, and how often: the part of watching that spends the time.

Law: no I/O, no clock. Only where a change has come to rest is read, plus one tile of a slow sweep now and then; what
looks like a code and can't be read is tried again ever more rarely. Whatever happens, a frame costs at most what
reading a whole picture does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoding.candidates import TEXTURE_CELL_PX, measure_texture
from vision.decoding.decoder import (
    accepted_codes,
    find_and_match,
    find_in_reduced_image,
    find_with_zxing,
    is_too_busy,
    match_candidates,
    precompute_templates,
)
from vision.decoding.module_size import ModuleSizeField, fit_module_size
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE, MIN_REFINABLE_CONFIDENCE, MIN_UNCOVERED_CONFIDENCE
from vision.decoding.templates import build_template_bank
from vision.geometry import Box, Code, Frame, GrayImage, Mask, clip_box, remove_duplicates
from vision.tracking.change_detection import CELL_PX, ChangeMasks
from vision.tracking.occlusion import MIN_CALM_S, gray_patch

MARGIN_CELLS = 2
FEWEST_CELLS = 3
ROOM_PX = 3 * CELL_PX
TRIES = 6
"""What looks like an unread code is tried again after 1, 2, 4, 8 and 16 frames; then it is print or clutter."""
NEVER = 1 << 30
SWEEP_FRAMES = 6
SWEEP_GRID = (4, 3)
SWEEP_MARGIN_PX = 64
MOST_AGAIN = 8
"""So many codes that are too small for the sweep are confirmed in a tile."""
AGAIN_FRAMES = 64
"""A match of a code that is partly covered, maybe by a hand that is about to leave, is believed if a frame before said
the same, at most so many ago ... A weak one is not: on a still table each frame errs like the last."""
SAME_PLACE = 0.1
"""... within this share of the code's side."""


@dataclass
class Tries:
    """How often each cell was read in vain since it last moved, and the frame in which it is due again."""

    fresh: Mask
    count: NDArray[np.int32]
    due: NDArray[np.int32]

    @classmethod
    def new(cls, shape: tuple[int, ...]) -> Tries:
        return cls(np.ones(shape, bool), np.zeros(shape, np.int32), np.zeros(shape, np.int32))

    def restart(self, where: Mask) -> None:
        self.count[where] = 0
        self.due[where] = 0

    def renew(self, where: Mask) -> None:
        self.fresh[where] = True
        self.restart(where)

    def again(self, where: Mask, frame: int) -> None:
        """These hold what looks like a code and was not read."""
        self.count[where] += 1
        self.due[where] = frame + (1 << np.minimum(self.count[where], 16) - 1)
        self.stop(where & (self.count >= TRIES))

    def stop(self, where: Mask) -> None:
        self.due[where] = NEVER
        self.fresh[where] = False


class Reader:
    """Reads frame after frame of one camera. `decodes` counts the areas that were looked into."""

    def __init__(self, known: frozenset[str], scale: ModuleSizeField | None = None) -> None:
        self.decodes = 0
        self.scale = scale
        """How large codes look, as far as that is known."""
        self.swept: list[tuple[tuple[float, float], bool]] = []
        """Of the codes that the last frame's sweep expected: their middles, and whether they were read at once."""
        precompute_templates(known)
        self._known = known
        self._tries = Tries.new((0, 0))
        self._frame = -1
        self._sizes: dict[str, Code] = {}
        self._covered: dict[str, tuple[int, Code]] = {}

    def read(self, frame: Frame, change: ChangeMasks) -> list[Code]:
        """The codes that are read in this frame."""
        self._frame += 1
        self.swept = []
        if not self._tries.fresh.size:
            self._tries = Tries.new(change.calm.shape)
        elif change.calm.shape != self._tries.fresh.shape:
            self.forget(change.calm.shape)
        due = self._due(change)
        boxes = boxes_around(due, frame.shape)
        codes = remove_duplicates(code for box in boxes for code in self._read_box(frame, box, due))
        if not boxes and self._frame % SWEEP_FRAMES == SWEEP_FRAMES - 1:
            codes = self._sweep(frame)
        # What was read on its way, all of it, is due again when it rests.
        self._tries.restart(~ripe(change))
        for code in codes:
            under = box_mask(around(code), due.shape)
            if not ripe(change)[under].all():
                self._tries.renew(under)
        self._measure(codes)
        return codes

    def may_pass(self) -> bool:
        """Whether the next frame has no part in the sweep."""
        return (self._frame + 1) % SWEEP_FRAMES != SWEEP_FRAMES - 1

    def passed(self) -> None:
        """A frame that was not read."""
        self._frame += 1

    def idle(self) -> bool:
        """Whether nothing waits to be read."""
        return not (self._tries.fresh & (self._tries.due < NEVER)).any()

    def forget(self, shape: tuple[int, ...]) -> None:
        """All is to be read again; codes may look larger or smaller than before."""
        self._tries = Tries.new(shape)
        self._sizes, self.scale, self._covered = {}, None, {}

    def _measure(self, codes: list[Code]) -> None:
        """The size of codes is learned from all that were read."""
        fresh = {code.id: code for code in codes if code.id and not self._measured(code)}
        if fresh:
            self._sizes |= fresh
            self.scale = fit_module_size(list(self._sizes.values()))

    def _measured(self, code: Code) -> bool:
        """Whether it lies where it was measured."""
        was = self._sizes.get(code.id or "")
        return was is not None and bool(np.abs(was.corners - code.corners).max() < 1)

    def _due(self, change: ChangeMasks) -> Mask:
        """Where changes have come to rest and reading is due."""
        return (change.changed | self._tries.fresh) & (self._tries.due <= self._frame) & ripe(change)

    def _sweep(self, frame: Frame) -> list[Code]:
        """What is easily read in the next tile of the sweep, wide enough to hold a code on its edge."""
        columns, rows = SWEEP_GRID
        at = self._frame // SWEEP_FRAMES % (columns * rows)
        h, w = frame.shape[0] // rows, frame.shape[1] // columns
        core = at % columns * w, at // columns * h, (at % columns + 1) * w, (at // columns + 1) * h
        edge = SWEEP_MARGIN_PX
        tile = clip_box((core[0] - edge, core[1] - edge, core[2] + edge, core[3] + edge), frame.shape)
        self.decodes += 1
        area = gray_patch(frame, tile)
        found = [shifted(code, tile) for code in find_with_zxing(area, self._known)]
        read = {code.id for code in found}
        expected = [(code.centroid, code.id in read) for code in self._sizes.values() if inside(code.centroid, core)]
        missed = [place for place, there in expected if not there]
        again = self._again(area, tile, missed[:MOST_AGAIN])
        self.swept = [(place, there or any(near(code, place) for code in again)) for place, there in expected]
        return remove_duplicates(found + again)

    def _again(self, area: GrayImage, tile: Box, missed: list[tuple[float, float]]) -> list[Code]:
        """Of the codes that were read there before and are too small to be found, those that match again."""
        if not missed or not self.scale:
            return []
        scale = self.scale.with_origin(tile[0], tile[1])
        matched = match_candidates(area, np.array(missed) - tile[:2], scale, build_template_bank(self._known))
        return [shifted(code, tile) for code in accepted_codes(matched)]

    def _read_box(self, frame: Frame, box: Box, due: Mask) -> Iterator[Code]:
        """The codes in a box of the picture."""
        self.decodes += 1
        found, unread = self._look(gray_patch(frame, box), box, due)
        self._tried(box, due, [shifted(code, box) for code in unread])
        yield from (shifted(code, box) for code in found)

    def _look(self, area: GrayImage, box: Box, due: Mask) -> tuple[list[Code], list[Code]]:
        """The codes in an area, and what looks like codes there that were not read. What has not changed is not
        matched again."""
        cells = measure_texture(area)
        if is_too_busy(area, cells):
            return find_in_reduced_image(area, self._known), []
        cells *= within(due, box, cells.shape[1:])
        scale = self.scale.with_origin(box[0], box[1]) if self.scale else None
        found, matched = find_and_match(area, cells, self._known, scale, max_failures=math.inf)
        again = [
            code
            for code in matched
            if code.confidence < MIN_UNCOVERED_CONFIDENCE and self._said_before(shifted(code, box))
        ]
        unread = [
            code
            for code in matched
            if MIN_REFINABLE_CONFIDENCE < code.confidence < MIN_UNCOVERED_CONFIDENCE and code not in again
        ]
        return found + again + [code for code in matched if code.confidence >= MIN_UNCOVERED_CONFIDENCE], unread

    def _said_before(self, code: Code) -> bool:
        """Whether the same match was made at the same place in a frame before."""
        if code.id is None or code.confidence < MIN_ACCEPTED_CONFIDENCE:
            return False
        said = self._covered.get(code.id)
        self._covered[code.id] = self._frame, code
        if said is None or not 0 < self._frame - said[0] <= AGAIN_FRAMES:
            return False
        return math.dist(said[1].centroid, code.centroid) < SAME_PLACE * code.side_px

    def _tried(self, box: Box, due: Mask, unread: list[Code]) -> None:
        inside = box_mask(box, due.shape) & due
        again = np.zeros_like(inside)
        for code in unread:
            again |= box_mask(around(code), inside.shape)
        self._tries.stop(inside & ~again)
        self._tries.again(inside & again, self._frame)


def boxes_around(due: Mask, shape: tuple[int, ...]) -> list[Box]:
    """The areas of a picture that hold these cells; all of it, if they are more than half."""
    if not due.any():
        return []
    wide = widened(due).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(wide)
    cells = np.bincount(labels.ravel(), weights=due.ravel(), minlength=count)
    boxes = [clip_box(box_of(stats[i]), shape) for i in range(1, count) if cells[i] >= FEWEST_CELLS]
    if sum((b[2] - b[0]) * (b[3] - b[1]) for b in boxes) * 2 > shape[0] * shape[1]:
        return [(0, 0, shape[1], shape[0])]
    return boxes


def near(code: Code, place: tuple[float, float]) -> bool:
    """Whether the code's middle is about there."""
    return math.dist(code.centroid, place) < code.side_px / 2


def inside(place: tuple[float, float], box: Box) -> bool:
    return box[0] <= place[0] < box[2] and box[1] <= place[1] < box[3]


def widened(mask: Mask) -> Mask:
    """With the cells around: a code may show a change in one place only."""
    return cv2.dilate(mask.astype(np.uint8), np.ones((2 * MARGIN_CELLS + 1, 2 * MARGIN_CELLS + 1), np.uint8)).astype(
        bool
    )


def within(due: Mask, box: Box, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """1 for those texture cells of a box that are near what is due, else 0."""
    finer = CELL_PX // TEXTURE_CELL_PX
    # The picture may end within a cell.
    down, right = (
        np.minimum(box[k] // CELL_PX + np.arange(n) // finer, due.shape[1 - k] - 1)
        for k, n in ((1, shape[0]), (0, shape[1]))
    )
    return np.asarray(widened(due)[down[:, None], right], np.float32)


def ripe(change: ChangeMasks) -> Mask:
    """The cells that have been at rest long enough to be read."""
    return change.calm & (change.calm_seconds >= MIN_CALM_S)


def box_of(stats: NDArray[np.int32]) -> Box:
    """A component of cells as a box in pixels, with room for a code that only begins there."""
    x, y, w, h = (int(v) * CELL_PX for v in stats[:4])
    return x - ROOM_PX, y - ROOM_PX, x + w + ROOM_PX, y + h + ROOM_PX


def around(code: Code) -> Box:
    """The upright box around a code."""
    (x0, y0), (x1, y1) = code.corners.min(0), code.corners.max(0)
    return max(0, int(x0)), max(0, int(y0)), max(0, int(x1) + 1), max(0, int(y1) + 1)


def shifted(code: Code, box: Box) -> Code:
    """A code within a box, in pixels of the picture."""
    return Code(code.id, code.text, code.corners + box[:2], code.confidence)


def box_mask(box: Box, shape: tuple[int, ...]) -> Mask:
    """The cells that a box touches."""
    mask = np.zeros(shape, bool)
    mask[box[1] // CELL_PX : -(-box[3] // CELL_PX), box[0] // CELL_PX : -(-box[2] // CELL_PX)] = True
    return mask
