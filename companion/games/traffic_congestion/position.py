"""The position of a game of Traffic Congestion: plain data, and the facts that follow from it.

Law: pure.

Nothing is hidden in this game: every viewer knows the whole position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Self, TypeVar

from msgspec import field

from companion.games.ending import Ending
from companion.games.immutable import Immutable
from companion.games.rules import Seat, Viewer
from companion.games.traffic_congestion.board import CAPACITY, RoadNetwork, SignalPath
from companion.games.traffic_congestion.position_json_types import TrafficCongestionPosition

CARS_TO_WIN: Final = 20
"""The number of cars that a player must bring home to win. A car is home when it has left the board through an exit
where its color scores."""

Queue = tuple[str, ...]
"""The colors of the cars in a lane, from the head of the queue to its tail."""


class Position(Immutable, frozen=True):
    """A position: the cars in each lane, the signals, the scores and the active player."""

    network: RoadNetwork
    colors: tuple[str, ...]
    """The players' colors, by seat."""
    scores: tuple[int, ...]
    """The number of each player's cars that are home, by seat."""
    active_player: Seat = Seat(0)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    """The queue of each lane that contains cars. All other lanes are empty."""
    signals: Mapping[str, str] = field(default_factory=dict)
    """Maps each lane that has a signal to the lane to which the signal points."""
    winner: Seat | None = None
    turns_taken: int = 0

    @property
    def turn(self) -> Seat | None:
        """The seat that must act. None at the end of the game."""
        return None if self.is_over else self.active_player

    @property
    def is_over(self) -> bool:
        return self.winner is not None

    @property
    def ending(self) -> Ending | None:
        """How the game ended. None while the game goes on."""
        return None if self.winner is None else Ending(won=None, winners=(self.winner,))

    @property
    def active_color(self) -> str:
        """The color of the active player."""
        return self.colors[self.active_player]

    def queue(self, lane: str) -> Queue:
        """The cars in a lane. Exits never contain cars, since cars leave the board there at once."""
        return self.queues.get(lane, ())

    def is_full(self, lane: str) -> bool:
        """Whether a lane holds as many cars as it can."""
        return len(self.queues.get(lane, ())) >= CAPACITY

    def movable_cars(self, lane: str, to: str) -> Queue:
        """The cars that a Go moves if the signal in `lane` points to `to`. These are the cars at the head of the queue,
        as many as `to` has room for."""
        return self.queue(lane)[: CAPACITY - len(self.queue(to))]

    def crossing_path(self, path: SignalPath) -> SignalPath | None:
        """An existing path that `path` would cross. None if it would cross none. Each signal on the board forms a path
        from its own lane to the lane to which it points. Paths from the same lane don't cross."""
        signals = self.signals
        for lane, to in self.network.crossing_paths[path]:
            if signals.get(lane) == to:
                return lane, to
        return None

    def as_known_to(self, viewer: Viewer) -> Self:
        """The whole position, because nothing in this game is hidden."""
        return self

    def to_json(self) -> TrafficCongestionPosition:
        """The position as JSON, in the form that `tablekeeper play` prints."""
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


P = TypeVar("P", bound=Position)
"""The type of the position that a function takes, and of the changed copy that the function returns."""
