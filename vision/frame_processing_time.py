"""Measures how long the processing of frames takes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

MAX_SAMPLES = 5000
"""Percentiles are computed from the latest frames, at most this many."""


class FrameTiming:
    """Measures how long the processing of each frame takes, in milliseconds."""

    def __init__(self) -> None:
        self.frames = 0
        self._ms: deque[float] = deque(maxlen=MAX_SAMPLES)

    @contextmanager
    def measure(self) -> Iterator[None]:
        """A context manager for the processing of one frame: measures how long its block takes."""
        start = time.perf_counter()
        yield
        self._ms.append((time.perf_counter() - start) * 1e3)
        self.frames += 1

    def percentile_ms(self, percent: float) -> float:
        """The processing time, in milliseconds, below which this percentage of the frames lies; 0 before the first
        frame."""
        return float(np.percentile(self._ms, percent)) if self._ms else 0.0

    def to_json(self, decodes: int) -> dict[str, float]:
        """The statistics that `tablekeeper watch --json --stats` prints at the end. `decodes`: the number of areas that
        were searched for codes."""
        return {
            "frames": self.frames,
            "median_ms": round(self.percentile_ms(50), 3),
            "p95_ms": round(self.percentile_ms(95), 3),
            "decodes": decodes,
        }

    def summary(self, decodes: int) -> str:
        median, p95 = self.percentile_ms(50), self.percentile_ms(95)
        return f"{self.frames} frames, median {median:.2f} ms, p95 {p95:.2f} ms, {decodes} decodes"
