"""Replays of stored games: the positions one by one, the meters over time, and how long people thought.

Law: pure. Undone acts are left out. The time of an act is when the journal stored it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from companion.games.end_screen import KeyFigure, OpenCard
from companion.games.rules import HOUSE, Seat, State, Viewer
from companion.games.view import View
from companion.match.history import History, fold
from companion.match.stored_game import StoredGame
from companion.match.view_builder import view_of_history
from companion.text.messages import TextLike

MAX_THINKING_S = 900.0
"""The longest time between two acts that counts as thinking, in seconds. A longer time is taken for a break, and counts
as MAX_THINKING_S."""


@dataclass(frozen=True)
class MeterCurve:
    """A meter over time: its value at the start and after every act. `measures`: the quantity that it shows. `seat`:
    the player to whom the meter belongs; None for a meter of the whole table."""

    measures: TextLike
    seat: int | None
    values: tuple[int, ...]
    lowest: int
    highest: int


@dataclass(frozen=True)
class Replay:
    """A stored game with its history."""

    stored: StoredGame
    history: History

    @classmethod
    def from_stored(cls, stored: StoredGame) -> Replay:
        """The replay of a stored game. Raises ReplayError if the game can't be replayed."""
        return cls(stored, fold(stored))

    @property
    def is_finished(self) -> bool:
        """Whether the game was played to its end."""
        return self.history.state.turn is None

    @property
    def length(self) -> int:
        """The number of acts in force."""
        return len(self.history.done)

    def state_at(self, act: int) -> State:
        """The position after the first `act` acts."""
        return self.history.done[act - 1].after if act else self.history.start

    def at(self, act: int, viewer: Viewer) -> View:
        """The viewer's view after the first `act` acts, with the log up to there. `act` is 0 to `length`."""
        done = self.history.done[:act]
        return view_of_history(
            self.stored.id, self.stored.header, replace(self.history, acts=done, done=done, undone=()), viewer
        )

    def curves(self) -> tuple[MeterCurve, ...]:
        """Every meter over time, in the game's order."""
        points = [self.history.game.physical.meters(state) for state in self._states()]
        return tuple(
            MeterCurve(
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

    def key_figures(self) -> tuple[KeyFigure, ...]:
        """The figures that tell how the game went; none before the first move."""
        steps = [(step.before, step.move, step.after) for step in self.history.steps()]
        names = self.stored.header.names
        return tuple(self.history.game.text.key_figures(steps, names)) if steps else ()

    def open_hands(self) -> tuple[tuple[OpenCard, ...], ...]:
        """The cards in each seat's hand if the game is over; otherwise nothing, because hands may be hidden."""
        hands = self.history.game.text.open_hands(self.history.state) if self.is_finished else ()
        return tuple(map(tuple, hands))

    def seconds(self) -> Mapping[Seat | str, float]:
        """How long the table waited for each seat and for the house, in seconds."""
        spent: defaultdict[Seat | str, float] = defaultdict(float)
        last = datetime.fromisoformat(self.stored.started)
        for act in self.history.done:
            now = datetime.fromisoformat(self.stored.records[act.version - 1].at)
            spent[HOUSE if act.before.turn is None else act.before.turn] += min(
                max((now - last).total_seconds(), 0), MAX_THINKING_S
            )
            last = now
        return spent
