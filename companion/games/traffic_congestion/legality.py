"""What the rules of Traffic Congestion allow.

Law: pure. Each rule is one refusal, which says why not if it is asked; `legal_moves` lists what the same refusals let
through, and asks none of them for its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import CAPACITY
from companion.games.traffic_congestion.labels import lane_called, spot_called
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Pass, Signal, Then, Turn
from companion.text.translation import _

if TYPE_CHECKING:
    from companion.games.traffic_congestion.board import Path
    from companion.games.traffic_congestion.rules import State

Why = Callable[[], str]
"""Says why something is not allowed, in the language that is spoken."""


def refusal(state: State, move: Move) -> str | None:
    """Why the rules don't allow a move whose turn it is, or None if they do."""
    why = _refuse(state, move)
    return why() if why else None


def _refuse(state: State, move: Move) -> Why | None:
    match move:
        case Enter(lane=lane):
            return _refuse_enter(state, lane)
        case Signal(lane=lane, to=to):
            return _refuse_signal(state, lane) or _refuse_path(state, lane, to)
        case Go(lane=lane, then=then):
            return _refuse_go(state, lane) or _refuse_then(state, lane, then)
    return None if must_pass(state) else _more_can_be_done


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


def _more_can_be_done() -> str:
    return _("You may pass only when nothing else can be done; enter a car, place a signal, or move cars.")


def _refuse_enter(state: State, lane: str) -> Why | None:
    if lane not in state.roads.entrances:
        return lambda: _(
            "{lane} is no entrance: cars enter from outside of the board, such as at {other}.",
            lane=lane_called(lane),
            other=lane_called(state.roads.entrances[0]),
        )
    if _full(state, lane):
        return lambda: _("{lane} is full; enter elsewhere, or move its cars on first.", lane=lane_called(lane))
    goal = state.destination(lane)
    if state.color in state.roads.goals.get(goal, ()):
        return lambda: _(
            "The signals lead from {lane} to {goal}, where {color} cars score, so none may enter here; "
            "enter elsewhere, or break that path first.",
            lane=lane_called(lane),
            goal=lane_called(goal),
            color=_(state.color),
        )
    return None


def _refuse_signal(state: State, lane: str) -> Why | None:
    """Wherever it would point."""
    if lane not in state.roads.turns:
        return _no_signal_here(state, lane)
    if lane in state.signals:
        return lambda: _(
            "{lane} has a signal already, to {to}; it is changed after cars went through it.",
            lane=lane_called(lane),
            to=lane_called(state.signals[lane]),
        )
    return None


def _refuse_go(state: State, lane: str) -> Why | None:
    """Whatever becomes of the signal."""
    if lane not in state.roads.turns:
        return _no_signal_here(state, lane)
    if lane not in state.signals:
        return lambda: _("{lane} has no signal to go by; place one first.", lane=lane_called(lane))
    if not state.waiting(lane):
        return lambda: _("No car waits in {lane}.", lane=lane_called(lane))
    to = state.signals[lane]
    if _full(state, to):
        return lambda: _(
            "{to} is full, so no car can go there from {lane}.", to=lane_called(to), lane=lane_called(lane)
        )
    return None


def _refuse_then(state: State, lane: str, then: Then) -> Why | None:
    if not isinstance(then, Turn):
        return None
    to = then.to
    if to == state.signals[lane]:
        return lambda: _(
            "The signal of {lane} points to {to} already; keep it.", lane=lane_called(lane), to=lane_called(to)
        )
    return _refuse_path(state, lane, to)


def _refuse_path(state: State, lane: str, to: str) -> Why | None:
    """ "As long as the path from this signal to the lane it is pointing to does not cross any already existing
    paths." """
    turns = state.roads.turns[lane]
    if to not in turns:
        return _no_turn(state, lane, to)
    if other := crossed(state, (lane, to)):
        return lambda: _(
            "The path from {lane} to {to} would cross that from {start} to {end}.",
            lane=lane_called(lane),
            to=lane_called(to),
            start=lane_called(other[0]),
            end=lane_called(other[1]),
        )
    return None


def _no_turn(state: State, lane: str, to: str) -> Why:
    here = state.roads.lanes[lane].end
    if to == f"{here}>{state.roads.lanes[lane].start}":
        return lambda: _("{to} would be a U-turn, and this game is played without.", to=lane_called(to))
    return lambda: _(
        "{to} does not leave intersection {here}, where {lane} ends; {others} do.",
        to=lane_called(to),
        here=spot_called(here),
        lane=lane_called(lane),
        others=", ".join(map(lane_called, state.roads.turns[lane])),
    )


def _no_signal_here(state: State, lane: str) -> Why:
    if lane not in state.roads.lanes:
        return lambda: _("There is no lane {lane} on this board.", lane=lane)
    return lambda: _("{lane} is an exit: cars leave there at once, without a signal.", lane=lane_called(lane))


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
