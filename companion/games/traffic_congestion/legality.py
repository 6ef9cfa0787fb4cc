"""The legal moves of Traffic Congestion, and the reasons why other moves are refused.

Law: pure. Each rule is a function that returns None or a `LazyRefusal`. `refusal` returns the text of the reason.
`legal_moves` makes no texts, because they would take most of its time, and tries only signals that could be placed. A
test checks that the two agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import SignalPath
from companion.games.traffic_congestion.display_names import lane_label, node_label
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Pass, Redirect, Signal, SignalChange
from companion.games.traffic_congestion.position import Position
from companion.text.messages import Text, _, joined

LazyRefusal = Callable[[], Text]
"""A function that returns the reason why a move is not allowed. It is called only if the text is needed."""


def refusal(position: Position, move: Move) -> Text | None:
    """The reason why a move of the active player is illegal. None if it is legal."""
    found = _move_refusal(position, move)
    return found() if found else None


def _move_refusal(position: Position, move: Move) -> LazyRefusal | None:
    match move:
        case Enter(lane=lane):
            return _enter_refusal(position, lane)
        case Signal(lane=lane, to=to):
            return _signal_refusal(position, lane) or _path_refusal(position, lane, to)
        case Go(lane=lane, then=then):
            return _go_refusal(position, lane) or _signal_change_refusal(position, lane, then)
    return _pass_refusal(position)


def legal_moves(position: Position) -> Iterator[Move]:
    """Yields every legal move of the active player, each once. Yields Pass only if no other move is legal."""
    if position.turn is not None:
        yield from [*_moves_but_pass(position)] or [Pass(seat=position.active_player)]


def must_pass(position: Position) -> bool:
    """Whether the active player has no legal move but Pass."""
    return not any(_moves_but_pass(position))


def _moves_but_pass(position: Position) -> Iterator[Move]:
    """Yields every legal move of the active player except Pass."""
    seat = position.active_player
    for lane in position.network.entrances:
        if not _enter_refusal(position, lane):
            yield _cached_enter(seat, lane)
    for lane, targets in position.network.signal_targets.items():
        if lane not in position.signals:
            yield from _cached_signals(seat, lane, _free_targets(position, lane, targets))
        elif not _go_refusal(position, lane):
            yield from _cached_go(seat, lane, position.signals[lane], _free_targets(position, lane, targets))


def _free_targets(position: Position, lane: str, targets: Iterable[str]) -> tuple[str, ...]:
    """The lanes in `targets` to which a signal in `lane` can point without crossing an existing path."""
    return tuple([to for to in targets if not position.crossing_path((lane, to))])


def is_gridlocked(position: Position) -> bool:
    """Whether all players can only pass. The position will then never change again."""
    if position.is_over or not must_pass(position):
        return False
    seats = map(Seat, range(len(position.colors)))
    return all(must_pass(position.replace(active_player=seat)) for seat in seats)


def _pass_refusal(position: Position) -> LazyRefusal | None:
    """The reason why the active player may not pass. None if the player may, because no other move is legal."""
    if must_pass(position):
        return None
    return lambda: _("You can only pass if you can’t do anything else. Add a car, place a signal, or move cars.")


def _enter_refusal(position: Position, lane: str) -> LazyRefusal | None:
    """The reason why the active player may not add a car to a lane. None if the player may. The lane must be an
    entrance that is not full, and the signals must not already lead from it to an exit where the player's color
    scores."""
    if lane not in position.network.entrances:
        return lambda: _(
            "{lane} isn’t an entrance. Cars come in from outside the board, for example at {other}.",
            lane=lane_label(lane),
            other=lane_label(position.network.entrances[0]),
        )
    if position.is_full(lane):
        return lambda: _(
            "{lane} is full. Add the car elsewhere, or move the cars in this lane first.", lane=lane_label(lane)
        )
    goal = _destination(position, lane)
    if position.active_color in position.network.scoring_colors.get(goal, ()):
        return lambda: _(
            "The signals lead from {lane} to {goal}, where {color} cars score, so you can’t add one here. Add it "
            "elsewhere, or break that path first.",
            lane=lane_label(lane),
            goal=lane_label(goal),
            color=_(position.active_color),
        )
    return None


def _destination(position: Position, lane: str) -> str:
    """The lane in which cars end up if they follow the signals from `lane`. It is the first lane without a signal. If
    the signals form a loop, it is a lane of the loop."""
    signals = position.signals
    passed = set()
    while lane in signals and lane not in passed:
        passed.add(lane)
        lane = signals[lane]
    return lane


def _signal_refusal(position: Position, lane: str) -> LazyRefusal | None:
    """The reason why no signal may be placed at the end of this lane, in any direction. None if a signal may be placed
    there."""
    if lane not in position.network.signal_targets:
        return _no_signal_refusal(position, lane)
    if lane in position.signals:
        return lambda: _(
            "{lane} already has a signal, to {to}. You can only change it after moving cars through it.",
            lane=lane_label(lane),
            to=lane_label(position.signals[lane]),
        )
    return None


def _go_refusal(position: Position, lane: str) -> LazyRefusal | None:
    """The reason why no car of this lane can move through its signal. None if at least one can."""
    if lane not in position.network.signal_targets:
        return _no_signal_refusal(position, lane)
    if lane not in position.signals:
        return lambda: _("{lane} has no signal. Place one first.", lane=lane_label(lane))
    if not position.queue(lane):
        return lambda: _("No cars are waiting in {lane}.", lane=lane_label(lane))
    to = position.signals[lane]
    if position.is_full(to):
        return lambda: _("{to} is full, so no car can go there from {lane}.", to=lane_label(to), lane=lane_label(lane))
    return None


def _signal_change_refusal(position: Position, lane: str, then: SignalChange) -> LazyRefusal | None:
    """The reason why a player who has moved cars through the signal of `lane` may not then change the signal as `then`
    says. None if the player may. A signal may always be kept or removed. It may be redirected to any other lane to
    which a new signal in its place could point."""
    if not isinstance(then, Redirect):
        return None
    to = then.to
    if to == position.signals[lane]:
        return lambda: _(
            "The signal in {lane} already points to {to}. Keep it.", lane=lane_label(lane), to=lane_label(to)
        )
    return _path_refusal(position, lane, to)


def _path_refusal(position: Position, lane: str, to: str) -> LazyRefusal | None:
    """The reason why a signal in `lane` may not point to `to`. None if it may. The lane `to` must begin at the
    intersection where `lane` ends, and the path between the two must not cross the path of another signal."""
    targets = position.network.signal_targets[lane]
    if to not in targets:
        return _target_refusal(position, lane, to)
    if other := position.crossing_path((lane, to)):
        return lambda: _crossing_text((lane, to), other)
    return None


@lru_cache(maxsize=4096)
def _crossing_text(path: SignalPath, other: SignalPath) -> Text:
    """The sentence that says that a path would cross another. It is cached, because pages need many of these sentences
    at every move."""
    return _(
        "The path from {lane} to {to} would cross the one from {start} to {end}.",
        lane=lane_label(path[0]),
        to=lane_label(path[1]),
        start=lane_label(other[0]),
        end=lane_label(other[1]),
    )


def _target_refusal(position: Position, lane: str, to: str) -> LazyRefusal:
    """The reason why a signal in `lane` can never point to `to`. Either `to` does not begin at the intersection where
    `lane` ends, or the signal would make a U-turn in a game without U-turns."""
    here = position.network.lanes[lane].end
    if to == f"{here}>{position.network.lanes[lane].start}":
        return lambda: _("{to} would be a U-turn, which isn’t allowed in this game.", to=lane_label(to))
    return lambda: _(
        "{to} doesn’t start at intersection {here}, where {lane} ends. Try {others}.",
        to=lane_label(to),
        here=node_label(here),
        lane=lane_label(lane),
        others=joined(", ", map(lane_label, position.network.signal_targets[lane])),
    )


def _no_signal_refusal(position: Position, lane: str) -> LazyRefusal:
    """The reason why `lane` never has a signal: it is an exit, or it does not exist."""
    if lane not in position.network.lanes:
        return lambda: _("There’s no lane {lane} on this board.", lane=lane)
    return lambda: _("{lane} is an exit. Cars leave there at once, without a signal.", lane=lane_label(lane))


# Move objects are cached: there are only a few different ones, and they are immutable.


@lru_cache(maxsize=4096)
def _cached_enter(seat: Seat, lane: str) -> Enter:
    return Enter(seat=seat, lane=LaneId(lane))


@lru_cache(maxsize=4096)
def _cached_signals(seat: Seat, lane: str, targets: tuple[str, ...]) -> tuple[Signal, ...]:
    return tuple(Signal(seat=seat, lane=LaneId(lane), to=LaneId(to)) for to in targets)


@lru_cache(maxsize=4096)
def _cached_go(seat: Seat, lane: str, current: str, targets: tuple[str, ...]) -> tuple[Go, ...]:
    """All Go moves of a lane whose signal points to `current` and may be redirected to the other `targets`."""
    redirects = [Redirect(LaneId(to)) for to in targets if to != current]
    changes: tuple[SignalChange, ...] = ("keep", "remove", *redirects)
    return tuple(Go(seat=seat, lane=LaneId(lane), then=then) for then in changes)
