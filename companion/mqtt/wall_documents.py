"""Makes the document about this table for the wall, a screen that shows many tables."""

from __future__ import annotations

from collections.abc import Callable, Collection

from companion.games.rules import Json
from companion.games.view import View
from companion.match.journal import Journal
from companion.mqtt.documents import wall_document
from companion.tabletop.observations import DeviceHealth

HELP_AFTER_S = 120.0
"""A table that does not match its game for this many seconds needs help."""


class WallDocuments:
    """Makes this table's documents for the wall. `free_seats` returns the number of seats that no phone has taken."""

    def __init__(self, journal: Journal, free_seats: Callable[[], int]) -> None:
        self._journal, self._free_seats = journal, free_seats
        self._mismatch_since: float | None = None
        self._started: tuple[int, str] = (0, "")

    def document(self, view: View | None, health: Collection[DeviceHealth], now: float) -> Json:
        """The document that shows the current state of the table. `view`: a spectator's view. `now`: seconds of a
        monotonic clock."""
        if view is None or not view.tabletop.discrepancies:
            self._mismatch_since = None
        elif self._mismatch_since is None:
            self._mismatch_since = now
        is_stuck = self._mismatch_since is not None and now - self._mismatch_since >= HELP_AFTER_S
        has_failed = any(not each.ok and not each.missing for each in health)
        started, free = (self._start_of(view.id), self._free_seats()) if view else (None, 0)
        return wall_document(view, started, free, health, needs_help=is_stuck or has_failed)

    def _start_of(self, id: int) -> str:
        if self._started[0] != id:
            self._started = (id, self._journal.game(id).started)
        return self._started[1]
