"""The upcoming turns of System WON: extra turns, skipped seats, and how many turns are left.

Law: pure data.
"""

from __future__ import annotations

from companion.games.immutable import Immutable
from companion.games.rules import Seat


class UpcomingTurns(Immutable, frozen=True):
    """The turns after the present one: first extra turns, then regular ones in the order of the seats."""

    next_regular_player: Seat = Seat(1)
    """The seat that would have the next regular turn if no seats were skipped."""
    extra_turns: tuple[Seat, ...] = ()
    """The seats that take extra turns, in order."""
    skip_count: int = 0
    """The number of seats that are skipped before the next regular turn."""
    regular_turns_left: int | None = None
    """The number of regular turns, including skipped ones. None until the last card of the deck is drawn."""
