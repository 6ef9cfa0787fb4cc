"""A careful player of Traffic Congestion, for simulation; it knows the seat's view and nothing else.

It looks one move ahead. A car is worth more the fewer signals it is from home, in cars scored; cars of others count
against it, though less, for who only hinders gets nobody home. It gathers a few cars, sets their signal, sends them
and takes the signal away again, so that it may enter more cars there. Now and then it does anything, lest two of its
kind hold each other up for ever.

The view tells no geometry, but lanes are named for what they join and gates for their sides (`north1`). On a board of
a person's own whose gates are named otherwise it plays on, without knowing where home is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random
from typing import Any, Final

from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import CAPACITY, COLORS
from companion.games.traffic_congestion.moves import Enter, Go, Signal, Then, Turn

View = Mapping[str, Any]
Lanes = tuple[str, ...]

SIDES: Final = dict(zip(COLORS, ("north", "east", "south", "west"), strict=True))
FIRST_STEP: Final = 0.55
"""What a car is worth that one Go takes home; each step before is worth this much less."""
FURTHER: Final = 0.75
OTHERS: Final = 0.25
PLANNED: Final = 0.5
"""What comes of a signal only at the next turn, if nobody is quicker."""
TOGETHER: Final = 0.06
"""For each own car that waits there already, and against each foreign one."""
ASTRAY: Final = 0.3
"""A car enters behind a signal that takes it away from home."""
IN_THE_WAY: Final = 0.1
"""A signal that stays and keeps the own cars from entering, or points where nothing is to be gained."""
WHIM: Final = 0.03
"""How often it does anything."""


def careful(view: View, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The move that gains most."""
    if rng.random() < WHIM:
        return rng.choice(legal)
    sight = TrackedTable(view, view["colors"][seat])
    return max(legal, key=lambda move: sight.gain(move) + rng.random() / 100)


@dataclass(frozen=True)
class TrackedTable:
    """What a player of a color sees."""

    view: View
    color: str

    def gain(self, move: Move) -> float:
        """What a move brings, in cars scored."""
        match move:
            case Enter(lane=lane):
                return self._entering(lane)
            case Signal(lane=lane, to=to):
                return PLANNED * self._moving(lane, to)
            case Go(lane=lane, then=then):
                to = self.view["signals"][lane]
                return self._moving(lane, to) + self._staying(lane, to, then)
        return 0.0

    @cached_property
    def _lanes(self) -> Lanes:
        return tuple(self.view["lanes"])

    def _worth(self, color: str, lane: str) -> float:
        return worths(self._lanes, color)[lane]

    def _moving(self, lane: str, to: str) -> float:
        """What it brings to move cars on."""
        cars, there = self.view["lanes"][lane], self.view["lanes"][to]
        return sum(
            (1 if car == self.color else -OTHERS) * (self._worth(car, to) - self._worth(car, lane))
            for car in cars[: CAPACITY - len(there)]
        )

    def _entering(self, lane: str) -> float:
        cars: list[str] = self.view["lanes"][lane]
        own = cars.count(self.color)
        astray = lane in self.view["signals"] and not self._leads_home(lane, self.view["signals"][lane])
        return self._worth(self.color, lane) + TOGETHER * (2 * own - len(cars)) - ASTRAY * astray

    def _leads_home(self, lane: str, to: str) -> bool:
        return self._worth(self.color, to) > self._worth(self.color, lane)

    def _staying(self, lane: str, to: str, then: Then) -> float:
        """What it brings to leave the signal there, or another; to take it away brings nothing."""
        if then == "remove":
            return 0.0
        points_to = then.to if isinstance(then, Turn) else to
        home = self._leads_home(lane, points_to) and self._worth(self.color, points_to) < 1
        return IN_THE_WAY if home else -IN_THE_WAY


@lru_cache(maxsize=64)
def worths(lanes: Lanes, color: str) -> Mapping[str, float]:
    """What a car of a color is worth in each lane: 1 once it is home, nothing once it has left elsewhere."""
    exits = {lane for lane in lanes if _is_exit(lane, lanes)}
    worth, value = dict.fromkeys(lanes, 0.0), 1.0
    reached = {lane for lane in exits if _end(lane).rstrip("0123456789") == SIDES[color]}
    while reached:
        worth.update(dict.fromkeys(reached, value))
        value = value * FURTHER if value < 1 else FIRST_STEP
        starts = {_start(lane) for lane in reached}
        reached = {lane for lane in lanes if _end(lane) in starts and lane not in exits and not worth[lane]}
    return worth


def _is_exit(lane: str, lanes: Lanes) -> bool:
    """At the end of an exit nothing begins but the entrance beside it; at least two streets meet elsewhere."""
    return sum(_start(other) == _end(lane) for other in lanes) == 1


def _start(lane: str) -> str:
    return lane.partition(">")[0]


def _end(lane: str) -> str:
    return lane.partition(">")[2]
