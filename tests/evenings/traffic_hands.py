"""Hands that play Traffic Congestion: they lay and turn signals, and move cubes for cars."""

from __future__ import annotations

from collections import Counter

from companion.games.rules import Move
from companion.games.traffic_congestion.mat_street_geometry import street_plan
from companion.games.traffic_congestion.moves import Enter, Go, Redirect, Signal
from tests.evenings.hand_acts import Carry, HandAct, Lay, Rotate
from tests.evenings.hands import BOX, Hands, tap

SUPPLY = "supply"
CARS_FIRST_RATE = 0.3
"""How often the cars are moved before the signal is turned, or before the phone is tapped."""


class TrafficHands(Hands):
    """The players' hands, not their cards, at a game of Traffic Congestion."""

    def set_up(self) -> None:
        for component in self.world.components:
            self.world.elsewhere[component] = BOX
        colors = self.group.mat.token_colors
        assert colors is not None
        self.world.tokens = {place: Counter() for place in (*colors.areas, SUPPLY)}
        self.world.tokens[SUPPLY].update(dict.fromkeys(self.state.colors, 200))

    def bearing(self, to: str) -> float:
        """The direction of a signal that points to a lane."""
        plan = street_plan(self.state.network)
        lane = plan.network.lanes[to]
        return plan.bearing(lane.start, lane.end)

    def signal_at(self, lane: str) -> str | None:
        return next(iter(self.world.components_in_zone(lane)), None)

    def plan(self, move: Move) -> list[HandAct]:
        match move:
            case Signal(lane=lane, to=to):
                spare = self.world.components_in(BOX)
                return [Lay(self.rng.choice(spare), lane, self.bearing(to) + self.rng.gauss(0, 3))]
            case Go(lane=lane, then=Redirect(to=to)) if component := self.signal_at(lane):
                return [*self._cars_first(move), Rotate(component, self.bearing(to))]
            case Enter(lane=lane):
                return [Carry(self.state.active_color, SUPPLY, lane), tap(move)]
        return [*self._cars_first(move), tap(move)]

    def _cars_first(self, move: Move) -> list[HandAct]:
        """The acts that move the cars of a Go, for a player who moves the cars before doing anything else."""
        if not isinstance(move, Go) or self.rng.random() > CARS_FIRST_RATE:
            return []
        after = self.state.play(move)
        source, target = move.lane, self.state.signals[move.lane]
        cars = Counter(self.state.queue(source)) - Counter(after.queue(source))
        goal = target if target in self.world.tokens else SUPPLY
        return [Carry(kind, source, goal, count) for kind, count in cars.items()]

    def deal(self) -> list[HandAct]:
        return []

    def tidy_off_mat(self) -> None:
        """Does nothing, because this game has neither hands nor decks."""

    def home(self, component: str) -> str:
        return BOX
