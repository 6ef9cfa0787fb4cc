"""A careful player of Commute, for simulation; it knows what the seat is told and nothing else.

It knows what each space is worth to somebody who will play the best of three random cards each turn: in the evening the
minutes still to come, in the morning the reputation that the minutes so far will bring. It plays the card that leads
to the best space, sends others to their worst, and takes of an "Uh-Oh!" card what costs least.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Final

from companion.games.commute.board import Board
from companion.games.commute.card_effects import All, AtStation, ByCommute, Choice, Effect, Minutes, Reputation
from companion.games.commute.catalog import MOST
from companion.games.commute.deck import HAND, HIGHEST, VALUES
from companion.games.commute.details import board_of
from companion.games.commute.moves import Bump, Choose, Travel
from companion.games.commute.reachability import walks
from companion.games.commute.turn_order import morning_gains
from companion.games.commute.uh_oh import uh_oh_cards
from companion.games.rules import Move, Seat

View = Mapping[str, Any]

UH_OH: Final = 1
"""Minutes that an "Uh-Oh!" card costs, more or less."""
BUMP: Final = 2.0
"""What it costs to send somebody on, in reputation: a card, and a rival who may do the same."""
ALIKE: Final = 0.3
"""Up to here two moves are as good as each other."""
RISK: Final = 0.12
"""How likely it is to be sent on before the next turn."""
SWEEPS: Final = 40
LATEST: Final = 120
"""Minutes in the morning from which on there is nothing to be gained but an early end."""
FARTHEST: Final = HIGHEST + MOST + UH_OH
"""Minutes that one card adds, at most."""
BEST_OF: Final = tuple(((HIGHEST - k) ** HAND - (HIGHEST - k - 1) ** HAND) / HIGHEST**HAND for k in range(HIGHEST))
"""How likely the best card of a hand is the best of all values, the second, …"""


@dataclass(frozen=True)
class Road:
    """What a seat sees ahead: the worth of being on a space with so many minutes, in reputation."""

    board: Board
    goal: str
    seat: Seat
    worth: Callable[[str, int], float]
    minutes: int
    position: str
    closed: frozenset[str]

    def after(self, card: int, to: str) -> float:
        """The worth after playing a card of this value."""
        return self.worth(to, max(0, self.minutes + card + self.board.spaces[to].minutes))


def careful(view: dict[str, Any], seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The move that promises most."""
    road = _road(view, seat)
    match legal[0]:
        case Travel():
            taken = {view["positions"][other] for other in _others(view, seat)} - {road.goal}
            return max(legal, key=lambda move: _travelling(road, taken, move) + ALIKE * rng.random())
        case Bump():
            target = _road(view, Seat(view["pending"]["target"]))
            return min(legal, key=lambda move: target.after(0, move.to) if isinstance(move, Bump) else 0.0)
    return max(legal, key=lambda move: _answering(view, road, move, rng.random()))


def _travelling(road: Road, taken: set[str], move: Move) -> float:
    assert isinstance(move, Travel)
    return road.after(VALUES[move.card], move.to) - BUMP * (move.to in taken)


def _others(view: View, seat: Seat) -> list[int]:
    return [other for other, arrived in enumerate(view["arrived"]) if other != seat and not arrived]


def _road(view: View, seat: Seat) -> Road:
    board = board_of(view)
    morning = view["commute"] == "morning"
    goal = board.work if morning else view["houses"][seat]
    worth = _morning(board) if morning else _evening(board, goal)
    return Road(board, goal, seat, worth, view["minutes"][seat], view["positions"][seat], frozenset(view["closed"]))


# Answers ----------------------------------------------------------------------------------------------


def _answering(view: View, road: Road, move: Move, chance: float) -> float:
    """The worth of an answer; `chance`, below 1, settles what is alike."""
    assert isinstance(move, Choose)
    match view["question"], move.option:
        case "choice", int(option):
            return _effect(view, road, _choice(uh_oh_cards()[view["uh_oh"]].effect).of[option])
        case (("partner" | "skip"), int(other)):
            return float(view["reputation"][other]) + chance
        case "card", str(card) if card in VALUES:
            reach = walks(road.board, road.goal, road.closed, road.position)[VALUES[card] - 1]
            return -max(road.after(VALUES[card], to) for to in reach)
    return chance


def _choice(effect: Effect) -> Choice:
    """The choice in a card's effect; the game's cards have one at most."""
    match effect:
        case Choice():
            return effect
        case All(several):
            return next(_choice(each) for each in several)
    raise AssertionError(f"{effect} leaves no choice")


def _effect(view: View, road: Road, effect: Effect) -> float:
    match effect:
        case Minutes(amount):
            later = road.worth(road.position, max(0, road.minutes + amount))
            return later - road.worth(road.position, road.minutes)
        case Reputation(amount):
            return amount
        case All(several):
            return sum(_effect(view, road, each) for each in several)
        case ByCommute(morning, evening):
            return _effect(view, road, morning if view["commute"] == "morning" else evening)
        case AtStation(then, otherwise):
            mine = then if road.board.spaces[road.position].kind == "station" else otherwise
            return _effect(view, road, mine) if mine else 0.0
    return 0.1  # a swap, a lost turn, a closed line: of little use, but of no cost


# What a space is worth --------------------------------------------------------------------------------


def _best_of_three(by_card: list[float]) -> float:
    return sum(map(float.__mul__, BEST_OF, sorted(by_card, reverse=True)))


@lru_cache(maxsize=64)
def _left(board: Board, goal: str) -> Mapping[str, float]:
    """The minutes still to come from each space, by going over all of them until little changes."""
    left = dict.fromkeys(board.spaces, 0.0)
    costs = {space: _landing(board, space) for space in board.spaces}
    reach = {space: walks(board, goal, frozenset(), space) for space in board.spaces if space != goal}
    for _ in range(SWEEPS):
        for space, ends in reach.items():
            left[space] = -_best_of_three(
                [-card - min(costs[to] + left[to] for to in there) for card, there in enumerate(ends, 1)]
            )
    return left


def _landing(board: Board, space: str) -> int:
    return board.spaces[space].minutes + UH_OH * (board.spaces[space].kind == "uh_oh")


@lru_cache(maxsize=64)
def _evening(board: Board, goal: str) -> Callable[[str, int], float]:
    """Every minute costs one point."""
    left = _left(board, goal)
    return lambda space, minutes: -minutes - left[space]


@lru_cache(maxsize=8)
def _morning(board: Board) -> Callable[[str, int], float]:
    """The nearer to a hundred minutes, the better; the table is filled from late to early.

    Whoever stands where one card reaches work may be sent there too soon, so that counts for a part.
    """
    left, costs = _left(board, board.work), {space: _landing(board, space) for space in board.spaces}
    reach = {space: walks(board, board.work, frozenset(), space) for space in board.spaces}
    risk = {space: RISK * sum(board.work in ends for ends in reach[space]) / HIGHEST for space in board.spaces}
    worth = {
        space: [_gain(minutes + left[space]) for minutes in range(LATEST + FARTHEST + 1)] for space in board.spaces
    }
    ways = {
        space: [[(worth[to], card + costs[to]) for to in there] for card, there in enumerate(ends, 1)]
        for space, ends in reach.items()
        if space != board.work
    }
    for minutes in 2 * tuple(reversed(range(LATEST))):
        for space, cards in ways.items():
            best = _best_of_three([max(row[max(0, minutes + more)] for row, more in there) for there in cards])
            worth[space][minutes] = best + risk[space] * (_gain(minutes) - best)
    return lambda space, minutes: worth[space][minutes] if minutes < LATEST else _gain(minutes + left[space])


def _gain(minutes: float) -> float:
    return float(morning_gains((round(minutes),))[0])
