"""Groups the moves of an act for the log: cards dealt to the same player one after the other share a line.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from companion.games.rules import UNSEEN, Seat

S = TypeVar("S")


def runs_of_deals(
    steps: Sequence[S],
    dealt: Callable[[S], tuple[Seat, str] | None],
    ends_run: Callable[[S], bool] = lambda step: False,
) -> Iterator[Sequence[S]]:
    """Yields the steps of an act in runs; the log has one line for each run. Successive deals to the same player form a
    run if the viewer sees the faces of either all or none of these cards. Any other step is a run of its own.

    `dealt` takes a step, and returns the seat to which the step deals a card and the face of the card. It returns None
    if the step deals no card. `ends_run` returns whether a run must end with this step even if another deal follows.
    """
    run: list[S] = []
    last = None
    for step in steps:
        deal = dealt(step)
        group = None if deal is None else (deal[0], deal[1] == UNSEEN)
        if run and (group is None or group != last):
            yield run
            run = []
        run.append(step)
        last = None if ends_run(step) else group
    if run:
        yield run
