"""The rules of Traffic Congestion.

Law: pure. Nothing is left to chance, so the house never acts and nothing is hidden: a position waits for the player
whose turn it is, or for nobody once the game is over.

`board` knows the geometry, `legality` what is allowed. Quoted sentences are the rule text's. Where it is silent:

- Nothing but a win ends the game. Where nobody can move any more (gridlock), all pass for ever; people are told so and
  stop when they like.
- All cars of a Go that reaches an exit leave and score, also beyond twenty.
- The ban on direct paths goes by the signals alone, whether or not cars stand in the way; signals that lead around in
  a circle lead nowhere.
- Seats for which a set-up names no color take the first ones left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final

from companion.games.rules import HouseMove, Move, Seat, Viewer
from companion.games.traffic_congestion import legality
from companion.games.traffic_congestion.board import CAPACITY, Path, Roads
from companion.games.traffic_congestion.moves import Enter, Go, Signal, Then, Turn
from companion.text.refusals import IllegalMove

GOAL: Final = 20
""" "A player wins if 20 cars of their color have exited on the proper side of the board." """

Cars = tuple[str, ...]
"""The colors of the cars in a lane, the head of the queue first."""


@dataclass(frozen=True)
class State:
    """A position of Traffic Congestion."""

    roads: Roads = field(repr=False)
    colors: Cars
    """The players' colors, by seat."""
    scores: tuple[int, ...]
    """Cars that left on their proper side, by seat."""
    player: Seat = Seat(0)
    queues: Mapping[str, Cars] = field(default_factory=dict)
    """The lanes in which cars wait; the others are empty."""
    signals: Mapping[str, str] = field(default_factory=dict)
    """The lane to which each lane's signal points; most have none."""
    winner: Seat | None = None
    turns: int = 0
    """Turns taken so far."""

    # What a game is asked --------------------------------------------------------------------------

    @property
    def turn(self) -> Seat | None:
        return self.player if self.winner is None else None

    def play(self, move: Move) -> State:
        if refusal := legality.refusal(self, move):
            raise IllegalMove(refusal)
        after = self._carried_out(move)
        return replace(
            after,
            player=Seat((self.player + 1) % len(self.colors)),
            winner=after._first_home(),
            turns=self.turns + 1,
        )

    def legal_moves(self) -> Iterator[Move]:
        return legality.legal_moves(self)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        return iter(())

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """All of it: everything lies open on the board."""
        return {
            "board": self.roads.board.name,
            "driving": self.roads.driving,
            "turn": self.turn,
            "colors": list(self.colors),
            "lanes": {lane: list(self.queues.get(lane, ())) for lane in self.roads.lanes},
            "signals": dict(self.signals),
            "scores": dict(zip(self.colors, self.scores, strict=True)),
            "over": self.winner is not None,
            "winner": self.winner,
        }

    @classmethod
    def restored(cls, roads: Roads, seen: Mapping[str, Any]) -> State:
        """The position that `seen_by` shows, for who would ask the rules but has only that.

        Everything lies open, so all of it is there but how many turns it took.
        """
        colors = tuple(seen["colors"])
        return cls(
            roads=roads,
            colors=colors,
            scores=tuple(seen["scores"][color] for color in colors),
            player=Seat(seen["turn"] or 0),
            queues={lane: tuple(cars) for lane, cars in seen["lanes"].items() if cars},
            signals=dict(seen["signals"]),
            winner=seen["winner"],
        )

    # What the rules ask ----------------------------------------------------------------------------

    @property
    def gridlocked(self) -> bool:
        """Whether nobody can do anything but pass, so that nothing will ever change."""
        others = (replace(self, player=Seat(seat)) for seat in range(len(self.colors)) if seat != self.player)
        return self.winner is None and all(map(legality.must_pass, chain((self,), others)))

    @property
    def color(self) -> str:
        """The color of the player whose turn it is."""
        return self.colors[self.player]

    @cached_property
    def paths(self) -> frozenset[Path]:
        """ "Already existing paths": from each lane with a signal to where it points."""
        return frozenset(self.signals.items())

    def waiting(self, lane: str) -> Cars:
        """The cars in a lane; an exit holds none, for they leave at once."""
        return self.queues.get(lane, ())

    def moving(self, lane: str, to: str) -> Cars:
        """ "The maximum number of cars from the head of a lane" that the other has room for."""
        return self.waiting(lane)[: CAPACITY - len(self.waiting(to))]

    def destination(self, lane: str) -> str:
        """Where the signals lead from a lane: to a lane without a signal, or around in a circle back to one passed."""
        passed = set()
        while lane in self.signals and lane not in passed:
            passed.add(lane)
            lane = self.signals[lane]
        return lane

    # What the moves do -----------------------------------------------------------------------------

    def _carried_out(self, move: Move) -> State:
        match move:
            case Enter(lane=lane):
                return self._with_cars(lane, (*self.waiting(lane), self.color))
            case Signal(lane=lane, to=to):
                return replace(self, signals={**self.signals, lane: to})
            case Go(lane=lane, then=then):
                return self._moved(lane)._with_signal(lane, then)
        return self

    def _moved(self, lane: str) -> State:
        to = self.signals[lane]
        cars = self.moving(lane, to)
        left = self._with_cars(lane, self.waiting(lane)[len(cars) :])
        if to in self.roads.goals:
            return replace(left, scores=self._scored(cars, to))
        return left._with_cars(to, left.waiting(to) + cars)

    def _with_cars(self, lane: str, cars: Cars) -> State:
        others = {other: queue for other, queue in self.queues.items() if other != lane}
        return replace(self, queues=others | {lane: cars} if cars else others)

    def _scored(self, cars: Cars, exit_lane: str) -> tuple[int, ...]:
        """ "Removed from the board and scored if the exit lane exits in the direction" of the car's color."""
        home = Counter(car for car in cars if car in self.roads.goals[exit_lane])
        return tuple(score + home[color] for color, score in zip(self.colors, self.scores, strict=True))

    def _with_signal(self, lane: str, then: Then) -> State:
        """ "Remove the signal, keep the signal the same, or change the signal to a new direction." """
        if then == "keep":
            return self
        others = {other: to for other, to in self.signals.items() if other != lane}
        return replace(self, signals=others | {lane: then.to} if isinstance(then, Turn) else others)

    def _first_home(self) -> Seat | None:
        """Who has won, the acting seat before others, then in turn order: one exit may serve several colors."""
        seats = len(self.colors)
        in_turn = ((self.player + n) % seats for n in range(seats))
        return next((Seat(seat) for seat in in_turn if self.scores[seat] >= GOAL), None)
