"""Groups the moves of an act that share a line of the log, such as the deals of a hand.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

S = TypeVar("S")


def step_runs(steps: Sequence[S], is_continued: Callable[[S, S], bool]) -> Iterator[Sequence[S]]:
    """Yields the steps in runs. `is_continued` says whether a step and the step after it belong to the same run."""
    start = 0
    for end in range(1, len(steps) + 1):
        if end == len(steps) or not is_continued(steps[end - 1], steps[end]):
            yield steps[start:end]
            start = end
