"""What the rules of Traffic Congestion allow.

Law: pure. Each rule is one refusal, which says why not; `legal_moves` lists what the same refusals let through.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import CAPACITY
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Pass, Signal, Then, Turn

if TYPE_CHECKING:
    from companion.games.traffic_congestion.board import Path
    from companion.games.traffic_congestion.rules import State


def refusal(state: State, move: Move) -> str | None:
    """Why the rules don't allow a move whose turn it is, or None if they do."""
    match move:
        case Enter(lane=lane):
            return _refuse_enter(state, lane)
        case Signal(lane=lane, to=to):
            return _refuse_signal(state, lane) or _refuse_path(state, lane, to)
        case Go(lane=lane, then=then):
            return _refuse_go(state, lane) or _refuse_then(state, lane, then)
    if not must_pass(state):
        return "You may pass only when nothing else can be done; enter a car, place a signal, or move cars."
    return None


def legal_moves(state: State) -> Iterator[Move]:
    """Every legal move of the seat whose turn it is, each once; to pass only if there is no other."""
    if state.turn is not None:
        yield from [*_others(state)] or [Pass(seat=state.player)]


def must_pass(state: State) -> bool:
    """Whether nothing else can be done by the seat whose turn it is."""
    return not any(_others(state))


def _others(state: State) -> Iterator[Move]:
    """Every legal move but to pass: what the refusals below let through."""
    seat = state.player
    for lane in state.roads.entrances:
        if not _refuse_enter(state, lane):
            yield _enter(seat, lane)
    for lane, turns in state.roads.turns.items():
        if not _refuse_signal(state, lane):
            yield from (_signal(seat, lane, to) for to in turns if not _refuse_path(state, lane, to))
        elif not _refuse_go(state, lane):
            thens = (*KEPT_OR_NOT, *_towards(turns))
            yield from (_go(seat, lane, then) for then in thens if not _refuse_then(state, lane, then))


def crossed(state: State, path: Path) -> Path | None:
    """A path on the board that this one would cross, if there is one.

    The lane's own path never is: it begins where the new one does, and paths that share an end don't cross.
    """
    crossings = state.roads.crossings[path]
    return None if crossings.isdisjoint(state.paths) else min(crossings & state.paths)


def _refuse_enter(state: State, lane: str) -> str | None:
    if lane not in state.roads.entrances:
        return f"{lane} is no entrance: cars enter from outside of the board, such as at {state.roads.entrances[0]}."
    if _full(state, lane):
        return f"{lane} is full; enter elsewhere, or move its cars on first."
    goal = state.destination(lane)
    if state.color in state.roads.goals.get(goal, ()):
        return (
            f"The signals lead from {lane} to {goal}, where {state.color} cars score, so none may enter here; "
            "enter elsewhere, or break that path first."
        )
    return None


def _refuse_signal(state: State, lane: str) -> str | None:
    """Wherever it would point."""
    if lane not in state.roads.turns:
        return _no_signal_here(state, lane)
    if lane in state.signals:
        return f"{lane} has a signal already, to {state.signals[lane]}; it is changed after cars went through it."
    return None


def _refuse_go(state: State, lane: str) -> str | None:
    """Whatever becomes of the signal."""
    if lane not in state.roads.turns:
        return _no_signal_here(state, lane)
    if lane not in state.signals:
        return f"{lane} has no signal to go by; place one first."
    if not state.waiting(lane):
        return f"No car waits in {lane}."
    to = state.signals[lane]
    return f"{to} is full, so no car can go there from {lane}." if _full(state, to) else None


def _refuse_then(state: State, lane: str, then: Then) -> str | None:
    if not isinstance(then, Turn):
        return None
    if then.to == state.signals[lane]:
        return f"The signal of {lane} points to {then.to} already; keep it."
    return _refuse_path(state, lane, then.to)


def _refuse_path(state: State, lane: str, to: str) -> str | None:
    """ "As long as the path from this signal to the lane it is pointing to does not cross any already existing
    paths." """
    turns = state.roads.turns[lane]
    if to not in turns:
        return _no_turn(state, lane, to)
    if other := crossed(state, (lane, to)):
        return f"The path from {lane} to {to} would cross that from {other[0]} to {other[1]}."
    return None


def _no_turn(state: State, lane: str, to: str) -> str:
    here = state.roads.lanes[lane].end
    if to == f"{here}>{state.roads.lanes[lane].start}":
        return f"{to} would be a U-turn, and this game is played without."
    return f"{to} does not leave intersection {here}, where {lane} ends; {', '.join(state.roads.turns[lane])} do."


def _no_signal_here(state: State, lane: str) -> str:
    if lane not in state.roads.lanes:
        return f"There is no lane {lane} on this board."
    return f"{lane} is an exit: cars leave there at once, without a signal."


def _full(state: State, lane: str) -> bool:
    """ "If a lane has 5 cars, then it is considered full": nothing could move there."""
    return len(state.waiting(lane)) >= CAPACITY


KEPT_OR_NOT: Final[tuple[Then, ...]] = ("keep", "remove")


@lru_cache
def _towards(lanes: tuple[str, ...]) -> tuple[Turn, ...]:
    return tuple(Turn(LaneId(lane)) for lane in lanes)


@lru_cache(maxsize=4096)
def _enter(seat: Seat, lane: str) -> Enter:
    return Enter(seat=seat, lane=LaneId(lane))


@lru_cache(maxsize=4096)
def _signal(seat: Seat, lane: str, to: str) -> Signal:
    return Signal(seat=seat, lane=LaneId(lane), to=LaneId(to))


@lru_cache(maxsize=4096)
def _go(seat: Seat, lane: str, then: Then) -> Go:
    return Go(seat=seat, lane=LaneId(lane), then=then)
