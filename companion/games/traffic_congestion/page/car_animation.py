"""Makes the cars that the page draws. For animations, each car has its place before the last act.

In the rules, cars of the same color are interchangeable. Players, however, see each car move: it leaves the head of one
queue and joins the tail of another, and an undo sends it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from companion.games.traffic_congestion.page.page_street_geometry import Streets
from companion.games.traffic_congestion.position import Position, Queue
from companion.games.view import View

Lanes = Mapping[str, Queue]
"""The cars in each lane. Empty lanes are included."""
Place = tuple[str, int]
"""The place of a car: its lane, and its index in the queue. The head of the queue has index 0."""


class Car(NamedTuple):
    """A car in the drawing. `key` identifies the car's place, `position_css` is the CSS that positions the car, and
    `tilt` is the car's rotation in degrees."""

    color: str
    key: str
    previous_key: str
    """The key of the car's place before the last act. If the car was not on the board, a key that ends in "-new"."""
    position_css: str
    tilt: float


def cars(view: View, streets: Streets) -> tuple[Car, ...]:
    """All cars on the board."""
    before, position = view.previous_position, view.position
    assert isinstance(position, Position)
    return _cars(
        streets,
        frozenset(before.queues.items()) if isinstance(before, Position) else None,
        frozenset(position.queues.items()),
        before is not None and view.log[-1].kind == "undo",
    )


@lru_cache(maxsize=8)
def _cars(
    streets: Streets,
    queues_before: frozenset[tuple[str, Queue]] | None,
    queues: frozenset[tuple[str, Queue]],
    is_undo: bool,
) -> tuple[Car, ...]:
    """All cars on the board. The result is cached, because it is the same for all viewers. `queues_before`: the queues
    before the last act, if there was one."""
    lanes, origins = _lanes_with_cars(streets, queues), dict[Place, Place]()
    if queues_before is not None:
        before = _lanes_with_cars(streets, queues_before)
        origins = origins_after_undo(before, lanes) if is_undo else origins_after_move(before, lanes)
    found = []
    for lane, queue in lanes.items():
        for number, color in enumerate(queue):
            here, origin = _car_key(lane, number), origins.get((lane, number))
            before_key = _car_key(*origin) if origin else f"{here}-new"
            found.append(Car(color, here, before_key, streets.car_css[lane, number], streets.strips[lane].tilt))
    return tuple(found)


def _lanes_with_cars(streets: Streets, queues: frozenset[tuple[str, Queue]]) -> Lanes:
    """The cars in each lane. `queues`: the queues of the lanes that contain cars."""
    return dict.fromkeys(streets.network.lanes, ()) | dict(queues)


def _car_key(lane: str, number: int) -> str:
    return f"{key(lane)}-{number}"


def key(lane: str) -> str:
    """The id of a lane in a form that is allowed in HTML ids: "north1_A" for "north1>A". It is unique, since the ids of
    nodes contain no underscore."""
    return lane.replace(">", "_")


def origins_after_move(before: Lanes, after: Lanes) -> dict[Place, Place]:
    """Maps the place of each car after a move to the place where the car was before the move. Cars that came onto the
    board are left out."""
    found = {(lane, number): (lane, number) for lane, cars in after.items() for number in range(len(cars))}
    shrunk = [lane for lane, cars in after.items() if len(cars) < len(before[lane])]
    grown = [lane for lane, cars in after.items() if len(cars) > len(before[lane])]
    for lane in shrunk:
        gone = len(before[lane]) - len(after[lane])
        found |= {(lane, number): (lane, number + gone) for number in range(len(after[lane]))}
    for lane in grown:
        for number in range(len(before[lane]), len(after[lane])):
            del found[lane, number]
            for origin in shrunk:
                found[lane, number] = origin, number - len(before[lane])
    return found


def origins_after_undo(before: Lanes, after: Lanes) -> dict[Place, Place]:
    """Maps the place of each car after the undo of a move to the place where the car was before the undo. Cars that had
    left the board are left out."""
    return {there: here for here, there in origins_after_move(after, before).items()}
