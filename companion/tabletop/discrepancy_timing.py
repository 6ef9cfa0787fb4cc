"""Decides when a difference between the table and the match is reported. It is reported after a delay that is learned
from the pace of play.

Law: pure. Times are in seconds on the table's clock.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import quantiles
from typing import Final

from companion.tabletop.discrepancy import Discrepancy

MIN_DELAY_S: Final = 0.5
MAX_DELAY_S: Final = 6.0
FIRST_DELAY_S: Final = 1.5
"""The delay that is used until the pace of play is known."""
MIN_PAUSES: Final = 4
"""The pace of play is known after this many pauses."""
MAX_PAUSES: Final = 30
"""Only this many of the latest pauses are kept."""
SLACK: Final = 1.25
"""The delay is the 90th percentile of the pauses, multiplied by this factor."""
MAX_CHANGES: Final = 64
"""Only this many of the latest changes are kept."""

FixKey = tuple[str, str, str | None]
"""Identifies a discrepancy: the code of its component, and the act and the place of its fix."""


def fix_key(found: Discrepancy) -> FixKey:
    """The key of a discrepancy. Discrepancies with equal keys count as the same one."""
    return found.code, found.fix.act, found.fix.place


@dataclass(frozen=True)
class DiscrepancyTiming:
    """Decides when differences between the table and the layout are reported, and holds the times on which the decision
    depends. All times are in seconds on the table's clock.

    `pauses`: how long people paused between the two halves of recent moves, for example between card and piece.
    `changes`: when the table or the match changed recently. `acted_at`: when the last act was made.
    `reported_before_act`: the keys, made by `fix_key`, of the discrepancies that were reported before that act.
    `begun_at`: when the first half of a move was seen; None if no move has begun."""

    pauses: tuple[float, ...] = ()
    changes: tuple[float, ...] = ()
    acted_at: float = -math.inf
    reported_before_act: Collection[FixKey] = ()
    begun_at: float | None = None

    @cached_property
    def delay_s(self) -> float:
        """How long a difference must last before it is reported."""
        if len(self.pauses) < MIN_PAUSES:
            return FIRST_DELAY_S
        usual = quantiles(self.pauses, n=10)[-1]
        return min(MAX_DELAY_S, max(MIN_DELAY_S, SLACK * usual))

    def after_change(self, now: float, *, has_begun: bool) -> DiscrepancyTiming:
        """The timing after the table has changed. `has_begun`: whether the table now shows the first half of a
        move."""
        begun_at = (now if self.begun_at is None else self.begun_at) if has_begun else None
        return replace(self, changes=(*self.changes, now)[-MAX_CHANGES:], begun_at=begun_at)

    def after_act(self, now: float, reported: Collection[FixKey]) -> DiscrepancyTiming:
        """The timing after an act. `reported`: the keys, made by `fix_key`, of the discrepancies that were reported
        before the act."""
        return replace(
            self, changes=(*self.changes, now)[-MAX_CHANGES:], acted_at=now, reported_before_act=reported, begun_at=None
        )

    def after_completed_move(self, now: float) -> DiscrepancyTiming:
        """The timing after a begun move was completed on the table."""
        if self.begun_at is None:
            return self
        return replace(self, pauses=(*self.pauses, now - self.begun_at)[-MAX_PAUSES:])

    def next_report(self, after: float) -> float:
        """The first time later than `after` at which a change has lasted long enough to be reported. Infinity if there
        is none."""
        return next((at + self.delay_s for at in self.changes if at + self.delay_s > after), math.inf)

    def is_due(self, found: Discrepancy, now: float) -> bool:
        """Whether a discrepancy must be reported now. Its components and the match must have been unchanged for the
        last `delay_s` seconds. If the discrepancy was already reported before the last act, changes of the match don't
        matter."""
        cutoff = now - self.delay_s
        return found.since <= cutoff and (self.acted_at <= cutoff or fix_key(found) in self.reported_before_act)
