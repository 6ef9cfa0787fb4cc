"""A snapshot of the table, from which views are made without the table's lock. The snapshot never changes, but it
caches these views."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

from companion.games.rules import SPECTATOR, Viewer
from companion.games.view import ConsentRequest, Revision, View
from companion.match.match import Match
from companion.match.view_builder import Tabletop, tabletop_of_match, view_of_match
from companion.table.buttons_and_dial import DialSelection
from companion.table.companion_seats import CompanionSeats
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.discrepancy_timing import DiscrepancyTiming
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import NamingPlayers, TextLike


@dataclass(frozen=True)
class Snapshot:
    """The table at one revision, and the views of it that have been requested so far. `match`: a copy of the match; the
    copy never changes. Thread-safe."""

    match: Match
    tracked: TrackedTable
    revision: Revision
    request: ConsentRequest | None
    is_request_withdrawn: bool
    """Whether redo restores a request that undo withdrew."""
    notice: TextLike
    dial: DialSelection | None
    discrepancy_timing: DiscrepancyTiming
    at: float
    """When the snapshot was made, on the table's clock, in seconds."""
    companion_seats: CompanionSeats
    _tabletops: dict[Viewer, Tabletop] = field(default_factory=dict, init=False, repr=False)
    _views: dict[Viewer, View] = field(default_factory=dict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def view(self, viewer: Viewer) -> View:
        """The view of a viewer. Each viewer's view is made only once."""
        with self._lock:
            if viewer not in self._views:
                notice = NamingPlayers(self.notice, self.match.names) if self.notice else ""
                dial = (self.dial.index, len(self.dial.moves)) if self.dial else None
                shown = view_of_match(
                    self.match,
                    viewer,
                    self._tabletop(viewer),
                    self.revision,
                    self.request,
                    notice,
                    dial,
                )
                choices = replace(shown.choices, can_redo=shown.choices.can_redo or self.is_request_withdrawn)
                self._views[viewer] = replace(shown, choices=choices, companion_seats=self.companion_seats)
            return self._views[viewer]

    def _tabletop(self, viewer: Viewer) -> Tabletop:
        """The real table as the viewer may know it. In a game without hidden information, it is the same for all
        viewers."""
        known_to = viewer if self.match.game.rules.has_hidden_information else SPECTATOR
        if known_to not in self._tabletops:
            self._tabletops[known_to] = tabletop_of_match(
                self.match, known_to, self.tracked, self._is_due, self.companion_seats
            )
        return self._tabletops[known_to]

    def _is_due(self, found: Discrepancy) -> bool:
        return self.discrepancy_timing.is_due(found, self.at)
