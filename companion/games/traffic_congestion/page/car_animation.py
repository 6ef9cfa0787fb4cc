"""Makes the cars that the page draws. For animations, each car has its place before the last act.

In the rules, cars of the same color are interchangeable. Players, however, see each car move: it leaves the head of one
queue and joins the tail of another, and an undo sends it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def cars(view: View, streets: Streets) -> Iterator[Car]:
    """Yields all cars on the board."""
    origins = _origins(view)
    for lane, queue in _lanes_with_cars(view.position).items():
        tilt = streets.strips[lane].tilt if queue else 0.0
        for number, color in enumerate(queue):
            origin = origins.get((lane, number))
            yield Car(
                color,
                _car_key(lane, number),
                _car_key(*origin) if origin else f"{_car_key(lane, number)}-new",
                streets.car_css[lane, number],
                tilt,
            )


def _lanes_with_cars(position: Position) -> Lanes:
    return {lane: position.queue(lane) for lane in position.network.lanes}


def _origins(view: View) -> Mapping[Place, Place]:
    """Maps the place of each car to the place where the car was before the last act. Cars that came onto the board are
    left out."""
    if view.previous_position is None:
        return {}
    origins = origins_after_undo if view.log[-1].kind == "undo" else origins_after_move
    return origins(_lanes_with_cars(view.previous_position), _lanes_with_cars(view.position))


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
