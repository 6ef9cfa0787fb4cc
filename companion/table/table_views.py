"""Views of the table, the revision that they show, and waiting for a newer revision."""

from __future__ import annotations

import copy
import math
import threading
import time
from collections.abc import Callable, Collection

from companion.games.rules import SPECTATOR
from companion.games.view import Revision
from companion.table.current_game import CurrentGame
from companion.table.physical_table import PhysicalTable
from companion.table.snapshot import Snapshot
from companion.table.transient_prompts import TransientPrompts
from companion.tabletop.discrepancy_timing import FixKey, fix_key


class TableViews:
    """Makes snapshots of a table, and counts its changes. `condition`: is notified at every change; its lock is the
    table's lock, which callers hold. `clock` returns the time in seconds."""

    def __init__(
        self,
        condition: threading.Condition,
        clock: Callable[[], float],
        game: CurrentGame,
        physical: PhysicalTable,
        prompts: TransientPrompts,
    ) -> None:
        self._condition, self._clock = condition, clock
        self._game, self._physical, self._prompts = game, physical, prompts
        self._refreshes = 0
        self._snapshot: Snapshot | None = None
        """The table as it is now; None if nobody has asked for a view since the last change."""
        self._reported_at = -math.inf
        """When it was last checked whether a difference is due to be reported."""
        self._reported: Collection[FixKey] = ()
        """The keys of the discrepancies that were shown to spectators at the time `_reported_at`."""

    def notify(self) -> None:
        """Tells everyone that the table has changed."""
        self._refreshes += 1
        self._snapshot = None
        self._condition.notify_all()

    @property
    def revision(self) -> Revision:
        """The version of the match (0 if there is none), and the count of all other changes."""
        match = self._game.match
        return Revision(match.version if match else 0, self._refreshes)

    def wait(self, seen: Revision, timeout: float) -> Revision:
        """Waits for a newer revision than `seen`, for at most `timeout` seconds; returns the current revision. Releases
        the lock while waiting."""
        deadline = time.monotonic() + timeout
        while self.revision == seen and (left := deadline - time.monotonic()) > 0:
            report_in = self._physical.discrepancy_timing.next_report(self._reported_at) - self._clock()
            if report_in > 0:
                self._condition.wait(min(left, report_in))
            else:
                self._report()
        return self.revision

    def _report(self) -> None:
        """Determines which discrepancies to report now. If they differ from those at the last check, tells everyone
        that the table has changed."""
        self._reported_at, reported = self._clock(), self.reported_fixes()
        if reported != self._reported:
            self._reported = reported
            self.notify()

    def reported_fixes(self) -> Collection[FixKey]:
        """The keys of the discrepancies that are reported to spectators now."""
        tracked = self._physical.tracked
        # An empty mat in view is reported on too: then everything has yet to be put on it.
        snapshot = self.snapshot() if tracked.mat or tracked.visible or tracked.token_counts else None
        return {fix_key(each) for each in snapshot.view(SPECTATOR).tabletop.discrepancies} if snapshot else set()

    def snapshot(self) -> Snapshot | None:
        """The table as it is now, from which views can be made without the lock; None while no game is in progress."""
        match = self._game.match
        if match is None:
            return None
        now = self._clock()
        if self._snapshot is None or self._physical.discrepancy_timing.next_report(self._snapshot.at) <= now:
            self._snapshot = Snapshot(
                copy.copy(match),
                self._physical.tracked,
                self.revision,
                self._prompts.request,
                self._prompts.withdrawn_request(len(match.history.done)) is not None,
                self._prompts.notice,
                self._prompts.dial,
                self._physical.discrepancy_timing,
                now,
                self._game.companion_seats,
            )
        return self._snapshot
