"""Scoring: the reputation that players gain or lose, depending on their minutes in a commute.

Law: pure.
"""

from __future__ import annotations

from typing import Final

BEST_MORNING_MINUTES: Final = 100
"""The number of minutes that costs no reputation in a morning."""
LATE_PENALTY: Final = 7
"""The reputation that a player loses for having more than BEST_MORNING_MINUTES. One more point is lost for each minute
above this number."""
BEST_EVENING_REPUTATION: Final = 20
"""The reputation gained for the fewest minutes in an evening."""


def morning_gains(minutes: tuple[int, ...]) -> tuple[int, ...]:
    """The reputation that each seat gains in a morning: minus one point for every minute below or above 100, and minus
    another seven points if the minutes exceed 100."""
    return tuple(
        m - BEST_MORNING_MINUTES if m <= BEST_MORNING_MINUTES else BEST_MORNING_MINUTES - m - LATE_PENALTY
        for m in minutes
    )


def evening_gains(minutes: tuple[int, ...]) -> tuple[int, ...]:
    """The reputation that each seat gains in an evening: 20 points for the fewest minutes, and one point less for each
    additional minute."""
    return tuple(BEST_EVENING_REPUTATION - (m - min(minutes)) for m in minutes)
