"""A careful policy for Commute, for playouts. It uses only the position as its seat knows it.

Each space has a value, which assumes that the player will play the best of three random cards each turn. In the
evening, the value falls with the expected minutes from the space to the goal. In the morning, it is the expected
reputation for the total minutes on arrival. The policy plays the card that leads to the best space. It sends other
pieces to the space that is worst for them, and picks the cheapest option of an "Uh-Oh!" card.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

from companion.games.commute.board import Board
from companion.games.commute.board_reader import MAX_SPACE_MINUTES, MIN_SPACE_MINUTES
from companion.games.commute.moves import Bump, Choose, Travel
from companion.games.commute.position import Position
from companion.games.commute.position_parts import EffectTask, closed_lines
from companion.games.commute.reachability import walk_ends
from companion.games.commute.scoring import morning_gains
from companion.games.commute.suits_and_ranks import HAND_SIZE, HIGHEST_VALUE, VALUES
from companion.games.commute.uh_oh_effect_types import AllOf, AtStation, ByCommute, Choice, Effect, Minutes, Reputation
from companion.games.game import GamePolicies, choose_at_random
from companion.games.rules import Move, Seat

UH_OH_MINUTES: Final = 1
"""A rough estimate of the minutes that an "Uh-Oh!" card costs on average."""
BUMP_COST: Final = 2.0
"""The estimated cost, in reputation, of a bump to the player who makes it."""
MAX_RANDOM_BONUS: Final = 0.3
"""The maximum random bonus of a move, in reputation. Moves whose values differ by less than this are about equally
good."""
BUMP_PROBABILITY: Final = 0.12
"""The probability that a piece is sent on before its player's next turn."""
VALUE_ITERATIONS: Final = 40
"""The number of iterations in the computation of values. After these, the values hardly change any more."""
FIRST_LATE_MINUTE: Final = 120
"""If a morning has taken at least this many minutes, the fastest way to work is the best."""
MAX_CARD_MINUTES: Final = HIGHEST_VALUE + MAX_SPACE_MINUTES + UH_OH_MINUTES
"""The largest number of minutes that playing one card adds."""
LOWEST_MINUTE: Final = MIN_SPACE_MINUTES
"""The first minute in the table of `_morning_value`. It is negative, because landing on a space may subtract minutes.
The total itself never falls below 0."""
END_OF_TABLE: Final = FIRST_LATE_MINUTE + MAX_CARD_MINUTES + 1
"""The first minute after the end of the table."""
RANK_PROBABILITIES: Final = tuple(
    ((HIGHEST_VALUE - rank) ** HAND_SIZE - (HIGHEST_VALUE - rank - 1) ** HAND_SIZE) / HIGHEST_VALUE**HAND_SIZE
    for rank in range(HIGHEST_VALUE)
)
"""The probabilities that the best card of a random hand has the best, the second best, … of all card values."""


@dataclass(frozen=True)
class Journey:
    """The journey of a piece to its goal. `value` is a function of a space and a number of minutes. It returns the
    reputation that the player can expect when the piece is on this space after this number of minutes."""

    board: Board
    goal: str
    value: Callable[[str, int], float]
    minutes: int
    location: str
    closed: frozenset[str]

    def value_after(self, card_minutes: int, to: str) -> float:
        """The expected reputation after the piece has moved to the space `to`. `card_minutes` are the minutes that the
        card adds: its value, or 0 if another player sends the piece on."""
        return self.value(to, max(0, self.minutes + card_minutes + self.board.spaces[to].minutes))


def choose_carefully(position: Position, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The legal move with the highest value for `seat`, in estimated reputation. Small random bonuses are added to the
    values of travel moves, so that games vary. `rng` also chooses among metro lines, and among players with equal
    reputation."""
    journey = _journey(position, seat)
    match legal[0]:
        case Travel():
            occupied = {
                position.locations[other] for other in position.seats if other != seat and not position.arrived[other]
            }
            occupied -= {journey.goal}
            return max(legal, key=lambda move: _travel_value(journey, occupied, move) + MAX_RANDOM_BONUS * rng.random())
        case Bump():
            assert position.bump
            target = _journey(position, position.bump.target)
            return min(legal, key=lambda move: target.value_after(0, move.to) if isinstance(move, Bump) else 0.0)
    return max(legal, key=lambda move: _answer_value(position, journey, move, rng.random()))


def _journey(position: Position, seat: Seat) -> Journey:
    """The journey of a seat's piece from its present space to its goal."""
    board, goal = position.board, position.goal(seat)
    value = _morning_value(board) if position.is_morning else _evening_value(board, goal)
    closed = frozenset(closed_lines(position.closures))
    return Journey(board, goal, value, position.minutes[seat], position.locations[seat], closed)


def _travel_value(journey: Journey, occupied: set[str], move: Move) -> float:
    """The expected reputation after a travel move, minus BUMP_COST if the destination is occupied."""
    assert isinstance(move, Travel)
    return journey.value_after(VALUES[move.card], move.to) - BUMP_COST * (move.to in occupied)


def _answer_value(position: Position, journey: Journey, move: Move, tie_break: float) -> float:
    """The value of an answer to the question of an "Uh-Oh!" card. `tie_break`, a number from 0 to 1, decides between
    metro lines and between players with equal reputation."""
    assert isinstance(move, Choose)
    assert position.question
    match position.question.kind, move.option, position.uh_oh.tasks[0]:
        case "choice", int(option), EffectTask(effect=Choice(effects)):
            return _effect_value(position, journey, effects[option])
        case (("partner" | "skip"), int(other), _):
            return float(position.reputation[other]) + tie_break
        case "card", str(card), _ if card in VALUES:
            spaces = walk_ends(journey.board, journey.goal, journey.closed, journey.location)[VALUES[card] - 1]
            return -max(journey.value_after(VALUES[card], to) for to in spaces)
    return tie_break


def _effect_value(position: Position, journey: Journey, effect: Effect) -> float:
    """The change in expected reputation that an effect brings to the player of `journey`."""
    match effect:
        case Minutes(amount):
            value_after = journey.value(journey.location, max(0, journey.minutes + amount))
            return value_after - journey.value(journey.location, journey.minutes)
        case Reputation(amount):
            return amount
        case AllOf(effects):
            return sum(_effect_value(position, journey, each) for each in effects)
        case ByCommute(morning, evening):
            return _effect_value(position, journey, morning if position.is_morning else evening)
        case AtStation(then, otherwise):
            own = then if journey.board.spaces[journey.location].kind == "station" else otherwise
            return _effect_value(position, journey, own) if own else 0.0
    return 0.1  # a swap, a skipped turn or a closed line: of little value, but free


def _expected_best(values_by_card: list[float]) -> float:
    """The expected value of the best card in a random hand. `values_by_card` contains the values of playing an ace, a
    2, and so on."""
    return sum(map(float.__mul__, RANK_PROBABILITIES, sorted(values_by_card, reverse=True)))


@lru_cache(maxsize=64)
def _minutes_left(board: Board, goal: str) -> Mapping[str, float]:
    """The expected minutes from each space to the goal, found by value iteration."""
    left = dict.fromkeys(board.spaces, 0.0)
    costs = {space: _landing_minutes(board, space) for space in board.spaces}
    ends_from = {space: walk_ends(board, goal, frozenset(), space) for space in board.spaces if space != goal}
    # The minutes that landing on each space adds, plus those that are then left.
    after_landing = {space: float(cost) for space, cost in costs.items()}
    for _ in range(VALUE_ITERATIONS):
        for space, ends in ends_from.items():
            left[space] = -_expected_best(
                [-card - min(map(after_landing.__getitem__, spaces)) for card, spaces in enumerate(ends, 1)]
            )
            after_landing[space] = costs[space] + left[space]
    return left


def _landing_minutes(board: Board, space: str) -> int:
    """The minutes that landing on a space adds, including the average cost of an "Uh-Oh!" card on an "Uh-Oh!" space."""
    return board.spaces[space].minutes + UH_OH_MINUTES * (board.spaces[space].kind == "uh_oh")


@lru_cache(maxsize=64)
def _evening_value(board: Board, goal: str) -> Callable[[str, int], float]:
    """Returns the function that gives the values of spaces in the evening. The function takes a space and the minutes
    so far, and returns a value in reputation. Every minute, past or expected, costs one point."""
    left = _minutes_left(board, goal)
    return lambda space, minutes: -minutes - left[space]


@lru_cache(maxsize=8)
def _morning_value(board: Board) -> Callable[[str, int], float]:
    """Returns the function that gives the values of spaces in the morning. The function takes a space and the minutes
    so far, and returns a value in reputation: the closer the expected total is to a hundred minutes, the higher the
    value. The values come from a table by space and minutes, which is computed from the latest minute back to the
    first.

    If a single card leads from a space to work, the space's value includes the risk that another player sends the piece
    to work too soon.
    """
    left, costs = _minutes_left(board, board.work), {space: _landing_minutes(board, space) for space in board.spaces}
    ends_from = {space: walk_ends(board, board.work, frozenset(), space) for space in board.spaces}
    risk = {
        space: BUMP_PROBABILITY * sum(board.work in ends for ends in ends_from[space]) / HIGHEST_VALUE
        for space in board.spaces
    }
    values = {  # each list begins at LOWEST_MINUTE; entries before minute 0 are equal to that of minute 0
        space: [_morning_gain(max(0, minutes) + left[space]) for minutes in range(LOWEST_MINUTE, END_OF_TABLE)]
        for space in board.spaces
    }
    landings = {
        space: [
            [(values[to], card + costs[to] - LOWEST_MINUTE) for to in spaces] for card, spaces in enumerate(ends, 1)
        ]
        for space, ends in ends_from.items()
        if space != board.work
    }
    for minutes in 2 * tuple(reversed(range(FIRST_LATE_MINUTE))):
        for space, cards in landings.items():
            best = _expected_best([max([row[minutes + added] for row, added in card]) for card in cards])
            value = best + risk[space] * (_morning_gain(minutes) - best)
            values[space][minutes - LOWEST_MINUTE] = value
            if minutes == 0:
                values[space][:-LOWEST_MINUTE] = [value] * -LOWEST_MINUTE
    return lambda space, minutes: (
        values[space][minutes - LOWEST_MINUTE] if minutes < FIRST_LATE_MINUTE else _morning_gain(minutes + left[space])
    )


def _morning_gain(minutes: float) -> float:
    """The reputation for arriving at work after `minutes`, rounded to a whole number of minutes."""
    return float(morning_gains((round(minutes),))[0])


POLICIES: GamePolicies[Position] = GamePolicies(by_name={"careful": choose_carefully, "random": choose_at_random})
