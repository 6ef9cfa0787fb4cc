"""Reports every change on which the tracked table depends, so that it can be recorded: observations, acts, and a few
others. Changes that only affect what people see are not reported."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from companion.match.history import History
from companion.match.match import Match
from companion.table.current_game import CurrentGame
from companion.table.physical_table import PhysicalTable
from companion.tabletop.discrepancy_timing import DiscrepancyTiming
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.tracked_table import TrackedTable

Origin = Literal["camera", "button", "phone"]
"""Where an act came from: the camera, a button or the dial at the table, or anything else."""


@dataclass(frozen=True)
class TableMoment:
    """The table at one moment. `match`: a copy of the match; the copy never changes. `at`: the time on the table's
    clock, in seconds. `companion_seats`: the seats that the companion plays."""

    match: Match
    tracked: TrackedTable
    discrepancy_timing: DiscrepancyTiming
    early_deals: tuple[CardSeen, ...]
    at: float
    companion_seats: tuple[int, ...]


@dataclass(frozen=True)
class ActMade:
    """Reported when an act was made. `history`: the history, with this act as its last act."""

    history: History
    origin: Origin


@dataclass(frozen=True)
class ComponentIgnored:
    """Reported when people have said to ignore a component, or all tokens (`code` is then TOKENS)."""

    code: str


@dataclass(frozen=True)
class ConsentRequested:
    """Reported when somebody has asked for consent, which clears the prompts of the position."""


@dataclass(frozen=True)
class CameraLeft:
    """Reported when the camera no longer matters, because the game was ended or people play on phones only."""


TableChange = Observation | ActMade | ComponentIgnored | ConsentRequested | CameraLeft
ChangeListener = Callable[[TableChange, TableMoment], None]
"""A function that takes a change, and the table before the change. It is called with the table's lock held, so it must
be fast."""


class TableChanges:
    """Passes changes on to a listener, if there is one. Not thread-safe: the table's lock guards it. `clock` returns
    the time in seconds."""

    def __init__(self, clock: Callable[[], float], game: CurrentGame, physical: PhysicalTable) -> None:
        self._clock, self._game, self._physical = clock, game, physical
        self.listener: ChangeListener | None = None

    def moment(self) -> TableMoment | None:
        """The table now; None if nobody listens, if no game is in progress, or if the game is played on phones only."""
        match, physical = self._game.match, self._physical
        if self.listener is None or match is None or physical.tracked.phones_only:
            return None
        early, companion_seats = tuple(physical.early_deals.sightings.values()), tuple(self._game.companion_seats)
        return TableMoment(
            copy.copy(match), physical.tracked, physical.discrepancy_timing, early, self._clock(), companion_seats
        )

    def report(self, change: TableChange, before: TableMoment | None = None) -> None:
        """Reports a change. `before`: the table before the change; None if it has not changed yet."""
        before = before or self.moment()
        if self.listener is not None and before is not None:
            self.listener(change, before)
