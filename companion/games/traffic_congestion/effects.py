"""The effects of moves: cars enter, move and leave, and signals are placed and changed.

Law: pure; functions return the position afterwards. The legality of a move has been checked before.
"""

from __future__ import annotations

from collections import Counter

from companion.games.rules import Move
from companion.games.traffic_congestion.moves import Enter, Go, Redirect, Signal, SignalChange
from companion.games.traffic_congestion.position import P, Queue


def apply_move(position: P, move: Move) -> P:
    """The position right after a legal move, before the turn passes."""
    match move:
        case Enter(lane=lane):
            return _with_queue(position, lane, (*position.queue(lane), position.active_color))
        case Signal(lane=lane, to=to):
            return position.replace(signals={**position.signals, lane: to})
        case Go(lane=lane, then=then):
            return _change_signal(_move_cars(position, lane), lane, then)
    return position


def _with_queue(position: P, lane: str, queue: Queue) -> P:
    """The position with `queue` as the cars in a lane."""
    queues = dict(position.queues)
    queues.pop(lane, None)
    if queue:
        queues[lane] = queue
    return position.replace(queues=queues)


def _move_cars(position: P, lane: str) -> P:
    """The position after a Go has moved cars from the head of `lane` through its signal into the lane to which the
    signal points. As many cars move as possible."""
    to = position.signals[lane]
    cars = position.movable_cars(lane, to)
    after = _with_queue(position, lane, position.queue(lane)[len(cars) :])
    if to in position.network.scoring_colors:
        return _score(after, cars, to)
    return _with_queue(after, to, after.queue(to) + cars)


def _score(position: P, cars: Queue, exit_lane: str) -> P:
    """The position after cars have reached an exit. They leave the board. Each car whose color scores at this exit adds
    a point to its player's score."""
    home = Counter(car for car in cars if car in position.network.scoring_colors[exit_lane])
    scores = zip(position.colors, position.scores, strict=True)
    return position.replace(scores=tuple(score + home[color] for color, score in scores))


def _change_signal(position: P, lane: str, then: SignalChange) -> P:
    """The position after the signal of a lane has been kept, removed or redirected, as the player chose after moving
    cars."""
    if then == "keep":
        return position
    others = {other: to for other, to in position.signals.items() if other != lane}
    return position.replace(signals=others | {lane: then.to} if isinstance(then, Redirect) else others)
