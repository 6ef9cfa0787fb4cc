"""When a difference between the table and the match is reported: after it has lasted for a while, which is learned from
the pace of play.

Law: pure. Times are in seconds on the table's clock.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from statistics import quantiles
from typing import Final

from companion.tabletop.discrepancies import Discrepancy

MIN_DELAY_S: Final = 0.5
MAX_DELAY_S: Final = 6.0
FIRST_DELAY_S: Final = 1.5
"""The delay until the pace of play is known."""
MIN_PAUSES: Final = 4
"""The pace of play is known after this many pauses."""
MAX_PAUSES: Final = 30
"""The latest pauses count, at most this many."""
SLACK: Final = 1.25
"""The delay is this much longer than nine out of ten pauses."""
MAX_CHANGES: Final = 64
"""This many of the latest changes are remembered, so that each is reported in time."""

FixKey = tuple[str, str, str | None]
"""What tells one fix from another: the component, the act, the place."""


def fix_key(found: Discrepancy) -> FixKey:
    """What tells a discrepancy from others."""
    return found.code, found.fix.act, found.fix.place


@dataclass(frozen=True)
class Patience:
    """What decides how long a difference must last before it is reported.

    `pauses`: the latest pauses between the two halves of a move, for example between card and piece. `changes`: when
    the table or the match changed. `acted_at`: the time of the last act. `standing`: the fixes that were reported
    before that act. `begun_at`: when the first half of a move was seen; None if no move has begun."""

    pauses: tuple[float, ...] = ()
    changes: tuple[float, ...] = ()
    acted_at: float = -math.inf
    standing: Collection[FixKey] = ()
    begun_at: float | None = None

    @property
    def delay_s(self) -> float:
        """How long a difference must last before it is reported."""
        if len(self.pauses) < MIN_PAUSES:
            return FIRST_DELAY_S
        usual = quantiles(self.pauses, n=10)[-1]
        return min(MAX_DELAY_S, max(MIN_DELAY_S, SLACK * usual))

    def after_change(self, now: float, *, has_begun: bool) -> Patience:
        """The patience after the table has changed. `has_begun`: whether it shows the first half of a move."""
        begun_at = (now if self.begun_at is None else self.begun_at) if has_begun else None
        return replace(self, changes=(*self.changes, now)[-MAX_CHANGES:], begun_at=begun_at)

    def after_act(self, now: float, standing: Collection[FixKey]) -> Patience:
        """The patience after an act. `standing`: the fixes that were reported until then."""
        return replace(
            self, changes=(*self.changes, now)[-MAX_CHANGES:], acted_at=now, standing=standing, begun_at=None
        )

    def after_completed_move(self, now: float) -> Patience:
        """The patience after a begun move was completed on the table."""
        if self.begun_at is None:
            return self
        return replace(self, pauses=(*self.pauses, now - self.begun_at)[-MAX_PAUSES:])

    def next_report(self, after: float) -> float:
        """When the first of the differences is due that were not yet due at the time `after`; infinity if there is
        none."""
        return next((at + self.delay_s for at in self.changes if at + self.delay_s > after), math.inf)

    def is_due(self, found: Discrepancy, now: float) -> bool:
        """Whether a discrepancy is reported: neither its components nor the match have changed for a while. One that
        was reported before the last act stays."""
        settled_at = now - self.delay_s
        return found.since <= settled_at and (self.acted_at <= settled_at or fix_key(found) in self.standing)
