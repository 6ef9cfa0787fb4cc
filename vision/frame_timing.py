"""How long frames take: the one place in `vision` that looks at a clock."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


class Stats:
    """Milliseconds of work a frame, over the last few thousand frames."""

    def __init__(self) -> None:
        self.frames = 0
        self._ms: deque[float] = deque(maxlen=5000)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Counts what is done within as one frame."""
        start = time.perf_counter()
        yield
        self._ms.append((time.perf_counter() - start) * 1e3)
        self.frames += 1

    def ms(self, percent: float) -> float:
        """A percentile of the milliseconds; 0 before the first frame."""
        return float(np.percentile(self._ms, percent)) if self._ms else 0.0

    def as_json(self, decodes: int) -> dict[str, float]:
        """The contract's line."""
        return {
            "frames": self.frames,
            "median_ms": round(self.ms(50), 3),
            "p95_ms": round(self.ms(95), 3),
            "decodes": decodes,
        }

    def in_words(self, decodes: int) -> str:
        return f"{self.frames} frames, median {self.ms(50):.2f} ms, p95 {self.ms(95):.2f} ms, {decodes} decodes"
