"""Looking back on a game that was played: its positions one by one, its meters over time, how long people thought, and
who won.

Law: pure. Only what stands is looked back on: what was taken back is left out. Times are those at which the journal
wrote an act down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from companion.games.rules import HOUSE, Seat, State, Viewer
from companion.match.history import History, fold
from companion.match.journal import StoredGame
from companion.match.view import View, view_of_history

BREAK_S = 900.0
"""Nobody thinks longer than this: what is longer was a break, and counts as so much."""


@dataclass(frozen=True)
class Curve:
    """A meter over the game: its value at the start and after every act. `seat`: whose it is, if it is a player's."""

    measures: str
    seat: int | None
    values: tuple[int, ...]
    lowest: int
    highest: int


@dataclass(frozen=True)
class Past:
    """A game in the journal, folded."""

    stored: StoredGame
    history: History

    @classmethod
    def of(cls, stored: StoredGame) -> Past:
        """Raises ReplayError if it can't be replayed."""
        return cls(stored, fold(stored))

    @property
    def over(self) -> bool:
        """Whether it was played to its end."""
        return self.history.state.turn is None

    @property
    def length(self) -> int:
        """The number of acts that stand."""
        return len(self.history.done)

    def at(self, act: int, viewer: Viewer) -> View:
        """What a viewer could see after so many acts, 0 to `length`; with the acts before it as its log."""
        done = self.history.done[:act]
        return view_of_history(
            self.stored.id, self.stored.header, replace(self.history, acts=done, done=done, undone=()), viewer
        )

    def curves(self) -> tuple[Curve, ...]:
        """Every meter over time, in the game's own order."""
        points = [self.history.game.physical.meters(state) for state in self._states()]
        return tuple(
            Curve(
                meter.measures or meter.name,
                meter.seat,
                tuple(row[n].value for row in points),
                min(row[n].lowest for row in points),
                max(row[n].highest for row in points),
            )
            for n, meter in enumerate(points[-1])
        )

    def _states(self) -> tuple[State, ...]:
        return (self.history.start, *(act.after for act in self.history.done))

    def seconds(self) -> Mapping[Seat | str, float]:
        """How long the table waited for each: a seat, or the house."""
        spent: defaultdict[Seat | str, float] = defaultdict(float)
        last = datetime.fromisoformat(self.stored.started)
        for act in self.history.done:
            now = datetime.fromisoformat(self.stored.records[act.version - 1].at)
            spent[HOUSE if act.before.turn is None else act.before.turn] += min(
                max((now - last).total_seconds(), 0), BREAK_S
            )
            last = now
        return spent
