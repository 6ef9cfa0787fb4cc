"""Says for each cell of the image when to search it for a code again.

Law: no I/O, no clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry import CellMask

MAX_ATTEMPTS = 6
"""A place that looks like a code is read at most this many times: again after 1, 2, 4, 8 and 16 frames. Then it counts
as print or clutter."""
NEVER = 1 << 30
"""A frame number that is never reached."""


@dataclass
class RetrySchedule:
    """Says for each cell of the image when to search it for a code again. `pending`: whether the cell must be read
    although it has not changed. `postponed`: whether it was due in the last frame, but left to this one; this ends when
    the cell moves. `decoded`: whether zxing-cpp has already searched the cell, so that it only remains to
    be matched with templates. `attempts`: how many attempts to read the cell have failed since it last changed.
    `due_frame`: the number of the first frame in which the cell may be read again."""

    pending: CellMask
    postponed: CellMask
    decoded: CellMask
    attempts: NDArray[np.int32]
    due_frame: NDArray[np.int32]

    @classmethod
    def create(cls, shape: tuple[int, ...]) -> RetrySchedule:
        """A schedule for a grid of cells of this `shape`, with every cell due."""
        postponed, decoded = (np.zeros(shape, bool) for _ in range(2))
        attempts, due_frame = (np.zeros(shape, np.int32) for _ in range(2))
        return cls(np.ones(shape, bool), postponed, decoded, attempts, due_frame)

    @property
    def waiting(self) -> CellMask:
        """Mask of the cells that must be read although they have not changed, or were left to this frame."""
        return self.pending | self.postponed

    def due_cells(self, frame: int) -> CellMask:
        """Mask of the cells that may be read in frame number `frame`."""
        return self.due_frame <= frame

    def reset_attempts(self, cells: CellMask) -> None:
        """Forgets that attempts to read `cells` have failed. The cells may then be read again at once."""
        self.attempts[cells] = 0
        self.due_frame[cells] = 0
        self.postponed[cells] = False
        self.decoded[cells] = False

    def mark_pending(self, cells: CellMask) -> None:
        """Marks `cells` as pending: they must be read even if they do not change. Also resets their failed attempts, so
        that they can be read at once."""
        self.pending[cells] = True
        self.reset_attempts(cells)

    def postpone(self, cells: CellMask, frame: int, *, decoded: bool = False) -> None:
        """Leaves those of `cells` that are due in frame number `frame` to the next frame. `decoded`: whether zxing-cpp
        has searched them."""
        due = cells & self.due_cells(frame)
        self.postponed |= due
        if decoded:
            self.decoded |= due

    def back_off(self, cells: CellMask, frame: int) -> None:
        """Delays the next attempt to read `cells`, which look like a code but could not be read in frame number
        `frame`. The delay doubles with each failed attempt. After MAX_ATTEMPTS the cells are not read again until they
        change."""
        self.attempts[cells] += 1
        self.due_frame[cells] = frame + (1 << np.minimum(self.attempts[cells], 16) - 1)
        self.postponed[cells] = False
        self.decoded[cells] = False
        self.finish(cells & (self.attempts >= MAX_ATTEMPTS))

    def finish(self, cells: CellMask) -> None:
        """Takes `cells` off the schedule: they are not read again until they change."""
        self.due_frame[cells] = NEVER
        self.pending[cells] = False
        self.postponed[cells] = False
        self.decoded[cells] = False
