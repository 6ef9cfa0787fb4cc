"""Where has the picture changed? A cheap look at every frame that spares the decoder the rest.

Law: no I/O, no clock. The picture is judged in cells of 16 px by two measures, mean brightness and mean
step between neighbours, from every fourth row and column. Light that drifts or flickers is taken out row
by row, since mains flicker comes in horizontal bands.

A cell is *moving* when it differs from the last frame, *calm* when neither it nor a neighbour is, and
*changed* when it differs from the base: the table as last explained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CellGrid, Frame, Mask

CELL_PX = 16
STRIDE = 4
GLANCE_PX = 32
SAME = 4
"""Noise of 4 grey levels makes a mean of 32 samples differ from frame to frame by 1.0, the worst of 2,000 by 3.6."""
MOVES = 6.0
"""A cell moves when it differs by so many times its usual step, and one of its neighbours does ..."""
LEAST_STEP, MOST_STEP = 3.0, 9.0
"""... within these limits, in grey levels; it has changed if it differs by half as much again."""
USUAL_STEP, LEARNS = 0.8, 0.05
"""How much a cell differs from frame to frame by noise alone: the first guess, and how fast it is bettered."""
ODD, LIGHT_S = 0.2, 30.0
"""A row whose brightness has changed by so much more or less than the picture's is not in another light, but shows
something large and plain, such as a sleeve; unless it stays so for about so many seconds."""
DRIFT = 0.05
"""What is unchanged drifts into the base by this share a frame: shadows of clouds, not hands."""


@dataclass(frozen=True, eq=False)
class Change:
    """What differs in this frame; a mask each, rows x columns of cells."""

    moving: Mask
    calm: Mask
    changed: Mask
    calm_for: CellGrid
    """Seconds since a cell or its neighbour moved; infinite before anything did."""

    @property
    def quiet(self) -> bool:
        """Whether nothing of a card's size moves anywhere."""
        return not cv2.erode(self.moving.astype(np.uint8), np.ones((2, 2), np.uint8)).any()


def measures(frame: Frame) -> CellGrid:
    """Brightness and texture of every cell: 2 x rows x columns; the green of a coloured frame."""
    rows, columns = (max(1, n // CELL_PX) for n in frame.shape[:2])
    plane = frame[..., 1] if frame.ndim == 3 else frame
    sample = np.ascontiguousarray(plane[: rows * CELL_PX : STRIDE, : columns * CELL_PX : STRIDE])
    steps = np.zeros_like(sample)
    if sample.shape[1] > 1:  # OpenCV takes no empty arrays
        steps[:, 1:] = cv2.absdiff(sample[:, 1:], sample[:, :-1])
    return np.stack([shrunk(sample, rows, columns), shrunk(steps, rows, columns)])


def shrunk(sample: NDArray[np.uint8], rows: int, columns: int) -> CellGrid:
    """Mean of each cell; the area filter is fast for whole ratios."""
    small = cv2.resize(sample.astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)


def gains(now: CellGrid, base: CellGrid) -> CellGrid:
    """How much brighter each row was, by what most of its cells say: rows x 1."""
    ratio = (base + 1) / (now + 1)
    middle = ratio.shape[1] // 2
    ratio.partition(middle, axis=1)
    return np.asarray(np.clip(ratio[:, middle : middle + 1], 0.2, 5), np.float32)


def apart(change: CellGrid) -> Mask:
    """Which rows have changed unlike the picture. Where light changes, all do; one that stays the same in a part of the
    rows is the light, whatever hides the others."""
    tenth = max(1, len(change) // 10)
    ordered = np.sort(change)
    light = min(max(1.0, float(ordered[tenth - 1])), float(ordered[-tenth]))
    return np.asarray(np.abs(change / light - 1) > ODD)


def in_company(mask: Mask) -> Mask:
    """Without lone cells: whatever is worth seeing is larger than one."""
    neighbours = cv2.boxFilter(mask.astype(np.uint8), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return mask & (neighbours > 1)


class Glance:
    """The cheapest look of all: does the frame show what the last one did that was looked at in earnest? Light that
    flickers or drifts is taken out row by row."""

    def __init__(self) -> None:
        self._kept: Any = None

    def keep(self, frame: Frame) -> None:
        """This frame is looked at in earnest."""
        self._kept = small(frame)

    def same(self, frame: Frame) -> bool:
        """Whether no 32 x 32 px differ in their mean by more than noise can do."""
        now, kept = small(frame), self._kept
        if kept is None or now.shape != kept.shape:
            return False
        return cv2.norm(now, kept, cv2.NORM_INF) <= SAME or cv2.norm(now * gains(now, kept), kept, cv2.NORM_INF) <= SAME


def small(frame: Frame) -> CellGrid:
    """The mean brightness of every 32 x 32 px, from every eighth row and fourth column:
    fetching the frame from memory is most of the cost."""
    rows, columns = (max(1, n // GLANCE_PX) for n in frame.shape[:2])
    plane = frame[..., 1] if frame.ndim == 3 else frame
    sample = np.ascontiguousarray(plane[: rows * GLANCE_PX : 2 * STRIDE, : columns * GLANCE_PX : STRIDE])
    return np.asarray(cv2.resize(sample, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


class Cells:
    """Remembers the base, the last frame and how long each cell has been calm."""

    def __init__(self, noise: CellGrid | None = None) -> None:
        self.base: Any = None
        self.now: Any = None
        self._moved_at: Any = None
        self._usual: Any = noise
        self._light: Any = None
        self._odd: Any = None
        self._t = 0.0

    @property
    def noise(self) -> CellGrid | None:
        """How much each cell differs from frame to frame by noise alone; None before the first."""
        return None if self._usual is None else np.array(self._usual)

    def see(self, frame: Frame, t: float) -> Change:
        """Takes in one frame. A frame of another size, or the first, begins anew with everything moving."""
        now = measures(frame)
        if self.base is None or now.shape != self.base.shape:
            return self._begin(now, t)
        now, last = self._levelled(now, t), self.now
        step = np.abs(now - last).max(0)
        limit = np.clip(MOVES * self._usual, LEAST_STEP, MOST_STEP)
        moving = in_company(step > limit)
        self._usual += np.where(moving, 0, LEARNS) * (np.minimum(step, limit) - self._usual)
        changed = np.abs(now - self.base).max(0) > 1.5 * limit
        self.now = now
        return self._judge(moving, in_company(changed), t)

    def _levelled(self, now: CellGrid, t: float) -> CellGrid:
        """The cells in the light of the base."""
        gain = gains(now[0], self.base[0])
        self._odd = apart(gain[:, 0] / self._light)
        self._light += min(1.0, max(0.0, t - self._t) / LIGHT_S) * (gain[:, 0] - self._light)
        self._t = t
        return np.asarray(now * gain[None], np.float32)

    def in_light(self, mask: Mask) -> bool:
        """Whether the rows of these cells can be compared with the base."""
        return not self._odd[mask.any(1)].any()

    def moved_at(self, mask: Mask) -> float:
        """When something moved last in these cells or next to them; -inf before the first frame."""
        return float(self._moved_at[mask].max(initial=-np.inf)) if self._moved_at is not None else -np.inf

    def beneath(self, mask: Mask) -> CellGrid | None:
        """What these cells showed before they changed: 2 x n; None if they have not."""
        return np.array(self.base[:, mask]) if self.shows(mask, self.base[:, mask]) < 0.5 else None

    def shows(self, mask: Mask, values: CellGrid) -> float:
        """The share of these cells that look like the values now, 0 to 1."""
        limit = 1.5 * np.clip(MOVES * self._usual[mask], LEAST_STEP, MOST_STEP)
        return float((np.abs(self.now[:, mask] - values).max(0) < limit).mean())

    def absorb(self, mask: Mask) -> None:
        """What these cells show is explained: it becomes their base."""
        self.base[:, mask] = self.now[:, mask]

    def _begin(self, now: CellGrid, t: float) -> Change:
        self.base, self.now = now.copy(), now
        if self._usual is None or self._usual.shape != now.shape[1:]:
            self._usual = np.full(now.shape[1:], USUAL_STEP, np.float32)
        everywhere = np.ones(now.shape[1:], bool)
        self._moved_at = np.full(now.shape[1:], t, np.float32)
        self._light, self._odd, self._t = np.ones(now.shape[1]), np.zeros(now.shape[1], bool), t
        return Change(everywhere, ~everywhere, ~everywhere, np.zeros(now.shape[1:], np.float32))

    def _judge(self, moving: Mask, changed: Mask, t: float) -> Change:
        near = cv2.dilate(moving.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
        self._moved_at[near] = t
        share = np.where(near | changed, np.float32(0), np.float32(DRIFT))
        self.base += share * (self.now - self.base)
        return Change(moving, ~near, changed, np.asarray(t - self._moved_at, np.float32))
