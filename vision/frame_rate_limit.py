"""Limits the frame rate: says when the next frame is due.

Law: no I/O, no clock.
"""

from __future__ import annotations

import math


class FrameRateLimit:
    """A schedule of at most `max_fps` frames per second.

    Each frame is due one interval after the frame before was due, not after it arrived. Otherwise a camera with exactly
    this frame rate would be asked for every frame a moment too late, and deliver only every second one.
    """

    def __init__(self, max_fps: float) -> None:
        self._interval = 1 / max_fps
        self._due = -math.inf

    def next_due(self, now: float) -> float:
        """When the frame after one that arrived at `now` is due, in seconds of the same clock. Call it once for each
        frame. It is `now` at the earliest: after a pause, the frames that were missed are not caught up on."""
        self._due = max(self._due + self._interval, now)
        return self._due
