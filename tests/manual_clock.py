"""A clock that tests set by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ManualClock:
    """A clock that returns, when it is called, the time that a test has set, in seconds."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now
