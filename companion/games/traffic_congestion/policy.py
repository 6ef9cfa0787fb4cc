"""A careful policy for Traffic Congestion, for simulations. It uses only the position as its seat knows it.

It looks one move ahead. A car is worth the more, in cars scored, the fewer signals it is from home. Other players' cars
count against it, though less: hindering others brings nobody home. It gathers a few cars, places their signal, moves
them and removes the signal, so that it can enter more cars there. Now and then it chooses at random, so that two such
players can't block each other for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.moves import Enter, Go, Redirect, Signal, SignalChange
from companion.games.traffic_congestion.position import Position

# Values are in cars scored.
ONE_STEP_FROM_HOME: Final = 0.55
"""The value of a car that one Go brings home."""
DISCOUNT: Final = 0.75
"""The factor for each further Go."""
OPPONENT_WEIGHT: Final = 0.25
"""The weight of what other players' cars gain."""
SIGNAL_DISCOUNT: Final = 0.5
"""A signal pays off only in a later turn, if at all."""
COMPANY_BONUS: Final = 0.06
"""For each own car that waits in the lane that a car enters; the cost of each other car there."""
WRONG_WAY_COST: Final = 0.3
"""Of entering a car behind a signal that leads away from home."""
REMAINING_SIGNAL_GAIN: Final = 0.1
"""Of leaving a signal that keeps own cars from entering, or that brings them nothing."""
RANDOM_MOVE_RATE: Final = 0.03


def choose_carefully(position: Position, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The move with the greatest gain. Noise of up to 0.01 breaks ties."""
    if rng.random() < RANDOM_MOVE_RATE:
        return rng.choice(legal)
    evaluator = MoveEvaluator(position, position.colors[seat])
    return max(legal, key=lambda move: evaluator.gain(move) + rng.random() / 100)


@dataclass(frozen=True)
class MoveEvaluator:
    """Estimates what moves bring to a color."""

    position: Position
    color: str

    def gain(self, move: Move) -> float:
        """The gain of a move, in cars scored."""
        match move:
            case Enter(lane=lane):
                return self._enter_gain(lane)
            case Signal(lane=lane, to=to):
                return SIGNAL_DISCOUNT * self._cars_gain(lane, to)
            case Go(lane=lane, then=then):
                return self._go_gain(lane, self.position.signals[lane], then)
        return 0.0

    def _enter_gain(self, lane: str) -> float:
        queue, to = self.position.queue(lane), self.position.signals.get(lane)
        own = queue.count(self.color)
        is_wrong_way = to is not None and not self._leads_home(lane, to)
        company = COMPANY_BONUS * (2 * own - len(queue))
        return self.value(self.color, lane) + company - WRONG_WAY_COST * is_wrong_way

    def _go_gain(self, lane: str, to: str, then: SignalChange) -> float:
        return self._cars_gain(lane, to) + self._signal_gain(lane, to, then)

    def _cars_gain(self, lane: str, to: str) -> float:
        """The gain of moving cars from a lane to another."""
        return sum(
            (1 if car == self.color else -OPPONENT_WEIGHT) * (self.value(car, to) - self.value(car, lane))
            for car in self.position.movable_cars(lane, to)
        )

    def _signal_gain(self, lane: str, to: str, then: SignalChange) -> float:
        """The gain of keeping or redirecting a signal rather than removing it."""
        if then == "remove":
            return 0.0
        target = then.to if isinstance(then, Redirect) else to
        helps = self._leads_home(lane, target) and self.value(self.color, target) < 1
        return REMAINING_SIGNAL_GAIN if helps else -REMAINING_SIGNAL_GAIN

    def _leads_home(self, lane: str, to: str) -> bool:
        return self.value(self.color, to) > self.value(self.color, lane)

    def value(self, color: str, lane: str) -> float:
        """The value of a car of a color in a lane: 1 at home, 0 where it can't get home any more."""
        steps = self.position.network.steps_home[color].get(lane)
        if steps is None:
            return 0.0
        return ONE_STEP_FROM_HOME * DISCOUNT ** (steps - 1) if steps else 1.0
