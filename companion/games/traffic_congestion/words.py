"""What Traffic Congestion says to people: log, buttons, what to do, scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from companion.games.rules import Meter, Move, Names, Seat, Viewer
from companion.games.traffic_congestion.board import Roads
from companion.games.traffic_congestion.moves import Enter, Go, Signal, Then, Turn
from companion.games.traffic_congestion.rules import GOAL, Cars, State

GRIDLOCK: Final = (
    "Gridlock: nobody can move any more, so nobody will win. End the game on the host's page, or take moves back."
)

# The board --------------------------------------------------------------------------------------------


def lane_words(roads: Roads, lane: str) -> str:
    """What people call a lane: "the lane from north 1 to A"."""
    found = roads.lanes[lane]
    return f"the lane from {spot_words(found.start)} to {spot_words(found.end)}"


def spot_words(spot: str) -> str:
    """ "north 1" of `north1`."""
    return re.sub(r"(?<=[a-z])(?=[0-9])", " ", spot)


# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in a sentence or a few."""
    return " ".join((_deed(before, move, names[before.player]), *consequences(before, move, after, names)))


def _deed(before: State, move: Move, name: str) -> str:
    match move:
        case Enter(lane=lane):
            return f"{name} enters a {before.color} car at {lane}."
        case Signal(lane=lane, to=to):
            return f"{name} places a signal from {lane} to {to}."
        case Go(lane=lane, then=then):
            there = before.signals[lane]
            return f"{name} moves {listed(before.moving(lane, there))} from {lane} to {there} and {_then(then)}."
    return f"{name} passes: nothing can be done."


def _then(then: Then) -> str:
    match then:
        case Turn(to=to):
            return f"turns the signal to {to}"
        case "remove":
            return "removes the signal"
    return "keeps the signal"


def consequences(before: State, move: Move, after: State, names: Names) -> Iterator[str]:
    """Who scores by a move, which cars leave for nothing, and how the game ends: a sentence each."""
    if isinstance(move, Go):
        exit_lane = before.signals[move.lane]
        cars = before.moving(move.lane, exit_lane)
        yield from _left(before, exit_lane, cars, names)
    if after.winner is not None:
        yield ending(after, after.winner, names)


def _left(before: State, exit_lane: str, cars: Cars, names: Names) -> Iterator[str]:
    """Who scores, and which cars left on a side that isn't theirs."""
    if exit_lane not in before.roads.goals:
        return
    goals = before.roads.goals[exit_lane]
    for seat, color in enumerate(before.colors):
        if color in goals and color in cars:
            yield f"{names[seat]} scores {cars.count(color)}."
    if lost := tuple(car for car in cars if car not in goals):
        yield f"Back to the supply: {listed(lost)}."


def listed(cars: Cars) -> str:
    """ "2 blue cars and 1 red car"."""
    return " and ".join(f"{n} {color} car{'s' if n > 1 else ''}" for color, n in Counter(cars).items())


def ending(state: State, seat: Seat, names: Names) -> str:
    """How the game ended."""
    return f"{names[seat]} wins with {state.scores[seat]} {state.colors[seat]} cars home!"


# The buttons ------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move through the buttons."""
    match move:
        case Enter(lane=lane):
            return (f"Enter a {state.color} car", lane)
        case Signal(lane=lane, to=to):
            return ("Place a signal", f"at the end of {lane}", f"to {to}")
        case Go(lane=lane, then=then):
            there = state.signals[lane]
            return ("Move cars", f"{lane} to {there}: {listed(state.moving(lane, there))}", _button(then))
    return ("Pass",)


def _button(then: Then) -> str:
    match then:
        case Turn(to=to):
            return f"then turn the signal to {to}"
        case "remove":
            return "then remove the signal"
    return "then keep the signal"


# The moment -------------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on and what to do with one's hands."""
    if state.winner is not None:
        return ending(state, state.winner, names)
    if state.gridlocked:
        return GRIDLOCK
    if viewer == state.player:
        return f"Your turn: enter a {state.color} car, place a signal, or move cars through one."
    return f"{names[state.player]} ({state.color}) is to move."


def meters(state: State) -> tuple[Meter, ...]:
    """Each player's cars home."""
    return tuple(
        Meter(f"{{{seat}}}, {color}", score, 0, GOAL, seat=seat, measures="Cars home")
        for seat, (color, score) in enumerate(zip(state.colors, state.scores, strict=True))
    )


def outcome(state: State) -> dict[str, bool | float | str]:
    """What counts of a finished game."""
    return {"winner": _winner(state), "turns": state.turns}


def _winner(state: State) -> str:
    if state.winner is None:
        return "nobody (gridlock)" if state.gridlocked else "nobody yet"
    return f"seat {state.winner} ({state.colors[state.winner]})"
