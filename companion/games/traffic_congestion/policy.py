"""A careful policy for Traffic Congestion, for playouts. It uses only the position as its seat knows it.

It looks one move ahead. The fewer signals a car must pass to get home, the higher its value; a car at home is worth 1.
Gains of other players' cars count as losses, but with a lower weight, because hindering others does not bring the
player's own cars home. The policy gathers a few cars, places a signal for them, moves them, and removes the signal so
that it can enter more cars there. Now and then, it makes a random move, so that two such players can't block each other
forever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from companion.games.game import GamePolicies, choose_at_random
from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.moves import Enter, Go, Redirect, Signal, SignalChange
from companion.games.traffic_congestion.position import Position

# The unit of all values and costs is one scored car.
ONE_STEP_FROM_HOME: Final = 0.55
"""The value of a car that gets home with a single Go."""
DISCOUNT: Final = 0.75
"""The factor by which the value falls for each further Go that a car needs."""
OPPONENT_WEIGHT: Final = 0.25
"""The weight of the gains of other players' cars, which count as losses."""
SIGNAL_DISCOUNT: Final = 0.5
"""The factor for the gain of a new signal. The signal pays off only in a later turn, if at all."""
COMPANY_BONUS: Final = 0.06
"""The additional gain from entering a car, for each of the player's cars already in the lane. For each car of another
player in the lane, the same amount is subtracted."""
WRONG_WAY_COST: Final = 0.3
"""The cost of entering a car behind a signal that doesn't lead toward home."""
REMAINING_SIGNAL_GAIN: Final = 0.1
"""The gain from leaving a signal in place if it brings the player's cars closer to home but does not lead directly into
their exit. Leaving any other signal costs the same amount. A signal that leads into their exit is a disadvantage,
because players may not enter cars where the signals lead to an exit of their color."""
RANDOM_MOVE_RATE: Final = 0.03
"""The fraction of moves that are chosen at random."""


def choose_carefully(position: Position, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """Chooses the move with the largest gain or, rarely, a random move. Random noise of up to 0.01 breaks ties."""
    if rng.random() < RANDOM_MOVE_RATE:
        return rng.choice(legal)
    evaluator = MoveEvaluator(position, position.colors[seat])
    return max(legal, key=lambda move: evaluator.gain(move) + rng.random() / 100)


@dataclass(frozen=True)
class MoveEvaluator:
    """Estimates the gains of moves in a position, for the player of one color."""

    position: Position
    color: str

    def gain(self, move: Move) -> float:
        """The gain of a move, in units of one scored car."""
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
        """The gain of moving cars from `lane` to `to`."""
        return sum(
            (1 if car == self.color else -OPPONENT_WEIGHT) * (self.value(car, to) - self.value(car, lane))
            for car in self.position.movable_cars(lane, to)
        )

    def _signal_gain(self, lane: str, to: str, then: SignalChange) -> float:
        """The gain of keeping or redirecting a signal, compared with removing it."""
        if then == "remove":
            return 0.0
        target = then.to if isinstance(then, Redirect) else to
        helps = self._leads_home(lane, target) and self.value(self.color, target) < 1
        return REMAINING_SIGNAL_GAIN if helps else -REMAINING_SIGNAL_GAIN

    def _leads_home(self, lane: str, to: str) -> bool:
        return self.value(self.color, to) > self.value(self.color, lane)

    def value(self, color: str, lane: str) -> float:
        """The value of a car of a color in a lane. The value is 1 in an exit where the color scores. It falls for each
        Go that the car needs to get there, and is 0 if the car can't get there any more."""
        steps = self.position.network.steps_home[color].get(lane)
        if steps is None:
            return 0.0
        return ONE_STEP_FROM_HOME * DISCOUNT ** (steps - 1) if steps else 1.0


POLICIES: GamePolicies[Position] = GamePolicies(by_name={"random": choose_at_random, "careful": choose_carefully})
