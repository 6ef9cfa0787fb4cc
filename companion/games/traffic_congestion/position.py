"""A position of Traffic Congestion: plain data, and the facts that follow from it.

Law: pure.

Nothing is hidden in this game: every viewer knows the whole position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self, TypeVar

from companion.games.rules import Seat, Viewer
from companion.games.traffic_congestion.board import CAPACITY, RoadNetwork, SignalPath
from companion.games.traffic_congestion.position_json import TrafficCongestionPosition

CARS_TO_WIN: Final = 20
""" "A player wins if 20 cars of their color have exited on the proper side of the board." """

Queue = tuple[str, ...]
"""The colors of cars in a lane, the head of the queue first."""


@dataclass(frozen=True)
class Position:
    """A position of Traffic Congestion."""

    network: RoadNetwork = field(repr=False)
    colors: tuple[str, ...]
    """The players' colors, by seat."""
    scores: tuple[int, ...]
    """The cars that left on their proper side, by seat."""
    active_player: Seat = Seat(0)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    """The queues of the lanes in which cars wait; all other lanes are empty."""
    signals: Mapping[str, str] = field(default_factory=dict)
    """For each lane that has a signal: the lane to which it points."""
    winner: Seat | None = None
    turns_taken: int = 0

    @property
    def turn(self) -> Seat | None:
        """Who must act; None at the end of the game."""
        return None if self.is_over else self.active_player

    @property
    def is_over(self) -> bool:
        return self.winner is not None

    @property
    def active_color(self) -> str:
        """The color of the active player."""
        return self.colors[self.active_player]

    # Lanes and signals -----------------------------------------------------------------------------

    def queue(self, lane: str) -> Queue:
        """The cars in a lane. Exits hold none, since cars leave at once."""
        return self.queues.get(lane, ())

    def is_full(self, lane: str) -> bool:
        """ "If a lane has 5 cars, then it is considered full." """
        return len(self.queue(lane)) >= CAPACITY

    def movable_cars(self, lane: str, to: str) -> Queue:
        """ "The maximum number of cars from the head of a lane" for which the other lane has room."""
        return self.queue(lane)[: CAPACITY - len(self.queue(to))]

    @cached_property
    def paths(self) -> frozenset[SignalPath]:
        """ "Already existing paths": one for each signal."""
        return frozenset(self.signals.items())

    def crossing_path(self, path: SignalPath) -> SignalPath | None:
        """A path on the board that this one would cross, if there is one.

        The lane's own path never is: the two begin in the same lane, and paths that share a lane don't cross."""
        crossings = self.network.crossing_paths[path]
        return None if crossings.isdisjoint(self.paths) else min(crossings & self.paths)

    def destination(self, lane: str) -> str:
        """Where the signals lead from a lane: to a lane without a signal, or, if they form a loop, back into it."""
        passed = set()
        while lane in self.signals and lane not in passed:
            passed.add(lane)
            lane = self.signals[lane]
        return lane

    # What viewers know -----------------------------------------------------------------------------

    def as_known_to(self, viewer: Viewer) -> Self:
        """The whole position: nothing in this game is hidden."""
        return self

    def to_json(self) -> TrafficCongestionPosition:
        """The state as `tablekeeper play` prints it."""
        return {
            "board": self.network.board.name,
            "driving": self.network.driving_side,
            "turn": self.turn,
            "colors": list(self.colors),
            "lanes": {lane: list(self.queue(lane)) for lane in self.network.lanes},
            "signals": dict(self.signals),
            "scores": dict(zip(self.colors, self.scores, strict=True)),
            "over": self.is_over,
            "winner": self.winner,
        }

    def with_queue(self, lane: str, queue: Queue) -> Self:
        """This position with other cars in a lane."""
        others = {other: cars for other, cars in self.queues.items() if other != lane}
        return replace(self, queues=others | {lane: queue} if queue else others)


P = TypeVar("P", bound=Position)
"""The type of the position that a function takes and returns changed."""
