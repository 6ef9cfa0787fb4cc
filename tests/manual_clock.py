"""A clock that tests set by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ManualClock:
    """Calling it returns the time that a test has set, seconds."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now
