"""Positions of games at a correct table, and the trials that are made in each of them."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from multiprocessing import Pipe
from pathlib import Path
from random import Random

from companion.games.rules import HOUSE, Move, Seat
from companion.games.system_won.moves import Discard, Play
from tests.evenings.evening import HANDS, choose_game
from tests.evenings.hand_acts import PhysicalAct
from tests.evenings.hands import json_of, tap
from tests.moves_from_layouts.physical_acts import PlanningGroup, acts_of
from tests.moves_from_layouts.trial import Trial

MAX_STEPS = 150
"""After this many moves and deals, a game is not continued."""
MAX_TRIAL_S = 60
ACTS_WITH_ALL_ORDERS = 3
"""Up to this many acts are tried in all orders."""
TRIED_RATE = 0.2
"""In which share of the positions moves are tried."""
RANDOM_RATE = 0.5
"""How often the game goes on with a random move instead of a careful one."""


@dataclass(frozen=True)
class Extent:
    """How much is tried: the number of positions of a game, the number of further moves beside one of each type, the
    number of orders of many acts, and how often each move is begun and taken back."""

    positions: int
    further_moves: int = 2
    orders: int = 6
    taken_back: int = 2


class PlayedGame:
    """A game in progress. After each step, the table is as the match says."""

    def __init__(self, name: str, seed: str) -> None:
        self.name, self.seed = name, seed
        self.rng = Random(f"layouts {name} {seed}")
        seats, setup, dealers = choose_game(name, self.rng)
        self.group = PlanningGroup(name, seats, setup, dealers, seed, Path())
        self.hands = HANDS[name](self.group)
        self.hands.set_up()
        self.group.start_camera()
        self.hands.put_right()

    def close(self) -> None:
        """Closes the journal."""
        self.group.journal.close()

    @property
    def is_over(self) -> bool:
        return self.group.state.turn is None or self.group.game.playouts.is_stuck(self.group.state)

    @property
    def can_be_tried(self) -> bool:
        """Whether a seat must move, and the table is right."""
        return self.group.state.turn != HOUSE and not self.group.differences()

    def go_on(self) -> None:
        """Makes one move on a phone, or one deal, and puts the table right."""
        if self.group.match.pause_label():
            self.group.table.proceed(Seat(0))
        elif self.group.state.turn == HOUSE:
            self.group.do_all(self.hands.deal())
            self.group.do_all(self.hands.after_deal())
        else:
            self.group.do(tap(self._next_move()))
        if self.group.state.turn is not None:
            self.hands.put_right()
            self.group.rest()

    def _own_moves(self) -> list[Move]:
        """The legal moves of the seat in turn, in random order."""
        own = [move for move in self.group.state.legal_moves() if move.seat == self.group.state.turn]
        return self.rng.sample(own, len(own))

    def _is_made_on_mat(self, move: Move) -> bool:
        """Whether hands can make a move without a phone. In System WON, they can't lay cards that phones hold."""
        plays_card = self.name == "system-won" and isinstance(move, Play | Discard)
        return not (plays_card and self.group.dealers["cards"] == "companion")

    def _next_move(self) -> Move:
        if self.rng.random() >= RANDOM_RATE:
            return self.hands.choose()
        return self.rng.choice(
            [*_one_of_each_type(move for move in self._own_moves() if move.consenting_seat() is None)]
        )

    def trials(self, extent: Extent) -> Iterator[Trial]:
        """Yields the trials in this position."""
        own = [move for move in self._own_moves() if self._is_made_on_mat(move)]
        chosen = [*_one_of_each_type(own)]
        for move in dict.fromkeys((*chosen, *own[: extent.further_moves])):
            acts = acts_of(self.hands, move)
            orders = self._orders(acts, extent.orders) if acts else []
            for order in orders:
                yield Trial(self.group, self.hands, move, order)
            for order in self.rng.sample(orders, min(extent.taken_back, len(orders))):
                yield Trial(self.group, self.hands, move, order, self.rng.randint(1, len(acts)))

    def _orders(self, acts: Sequence[PhysicalAct], count: int) -> list[Sequence[PhysicalAct]]:
        """All orders of a few acts, or some orders of many."""
        if len(acts) <= ACTS_WITH_ALL_ORDERS:
            return [*permutations(acts)]
        return [self.rng.sample(acts, len(acts)) for _ in range(count)]


def _one_of_each_type(moves: Iterator[Move] | Sequence[Move]) -> Iterator[Move]:
    yield from {type_of(move): move for move in moves}.values()


def type_of(move: Move) -> str:
    """The name of a move, with the ability that it uses and what it does with a signal."""
    value = json_of(move)
    parts = (value.get(key) for key in ("move", "use", "then", "ability"))
    return " ".join(str(part) for part in parts if isinstance(part, str) or part is True)


def check_game(name: str, seed: str, extent: Extent) -> tuple[Counter[str], list[str]]:
    """Makes trials in some positions of a game. Returns how often each type of move was tried, and the failures."""
    counts, failures, played = Counter[str](), list[str](), PlayedGame(name, seed)
    for step in range(MAX_STEPS):
        if played.is_over or counts["positions"] >= extent.positions:
            break
        if played.can_be_tried and played.rng.random() < TRIED_RATE:
            counts["positions"] += 1
            for trial in played.trials(extent):
                counts[f"{name}: {type_of(trial.move)}"] += 1
                if problem := in_copy(trial.run):
                    failures.append(f"{name}:{seed}, step {step}, {trial}\n{problem}")
        played.go_on()
    played.close()
    return counts, failures


def in_copy(work: Callable[[], str]) -> str:
    """The result of some work in a copy of this process, so that nothing changes in this one. A copy that does not
    answer is ended."""
    receiving, sending = Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        try:
            sending.send(work())
        finally:
            os._exit(0)  # without the handlers and the output of the original
    sending.close()
    with receiving:
        if receiving.poll(MAX_TRIAL_S):
            result = str(receiving.recv())
        else:
            result = f"no result after {MAX_TRIAL_S} seconds"
            os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return result
