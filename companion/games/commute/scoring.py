"""What minutes are worth in reputation.

Law: pure.
"""

from __future__ import annotations

from typing import Final

BEST_MORNING_MINUTES: Final = 100
"""Minutes in the morning that cost no reputation."""
LATE_PENALTY: Final = 7
"""Reputation lost for taking longer, besides one point a minute."""
BEST_EVENING_REPUTATION: Final = 20
"""Reputation gained for the fewest minutes in the evening."""


def morning_gains(minutes: tuple[int, ...]) -> tuple[int, ...]:
    """Each player loses a point for every minute below or above one hundred, and seven more if above."""
    return tuple(
        m - BEST_MORNING_MINUTES if m <= BEST_MORNING_MINUTES else BEST_MORNING_MINUTES - m - LATE_PENALTY
        for m in minutes
    )


def evening_gains(minutes: tuple[int, ...]) -> tuple[int, ...]:
    """The player with the fewest minutes gains twenty points, the others one less for each minute more."""
    return tuple(BEST_EVENING_REPUTATION - (m - min(minutes)) for m in minutes)
