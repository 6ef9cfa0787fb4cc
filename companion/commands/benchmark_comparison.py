"""Compares the speed of Tablekeeper with that of a peer (another program or library), for `tablekeeper bench`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True)
class Comparison:
    """How fast Tablekeeper and a peer (another program or library) do the same work: the median times `ours_ms` and
    `peer_ms`, in milliseconds, and their ratio, `ours_ms / peer_ms`."""

    name: str
    ours_ms: float
    peer: str
    peer_ms: float
    ratio: float


Benchmark = Callable[[bool], Iterator[Comparison]]
"""A function that yields comparisons. If its argument is true, it runs fewer rounds."""


def compare(name: str, ours: Work, peer_name: str, peer: Work, rounds: int) -> Comparison:
    """Compares the median times of `ours` and `peer` over a number of rounds. Each round runs both, so that other load
    on the machine affects both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for work, elapsed in zip((ours, peer), times, strict=True):
            start = time.perf_counter()
            work()
            elapsed.append((time.perf_counter() - start) * 1e3)
    ours_ms, peer_ms = (statistics.median(elapsed) for elapsed in times)
    return Comparison(name, round(ours_ms, 4), peer_name, round(peer_ms, 4), round(ours_ms / peer_ms, 5))
