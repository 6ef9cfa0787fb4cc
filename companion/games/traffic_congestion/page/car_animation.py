"""Makes the cars that the page draws, each with its place before the last act, for animations.

In the rules, cars of a color are interchangeable. For players, each car moves: it leaves the head of one queue and
joins the tail of another, and an undo sends it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from companion.games.traffic_congestion.page.page_street_geometry import Streets
from companion.games.traffic_congestion.position import Position, Queue
from companion.games.view import View

Lanes = Mapping[str, Queue]
"""The cars of every lane, empty ones included."""
Place = tuple[str, int]
"""The place of a car: its lane, and its index in the queue, 0 at the head."""


class Car(NamedTuple):
    """A car in the drawing. `key` identifies the car's place, `position_css` is the CSS that positions the car, and
    `tilt` is the angle by which the car is turned, in degrees."""

    color: str
    key: str
    previous_key: str
    """The key of the car's place before the last act; a key that ends in "-new" if the car was not on the board."""
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
    """For each place with a car: the place where that car stood before the last act."""
    if view.previous_position is None:
        return {}
    origins = origins_after_undo if view.log[-1].kind == "undo" else origins_after_move
    return origins(_lanes_with_cars(view.previous_position), _lanes_with_cars(view.position))


def _car_key(lane: str, number: int) -> str:
    return f"{key(lane)}-{number}"


def key(lane: str) -> str:
    """The id of a lane in a form that HTML ids can contain: "north1_A" for "north1>A". It is unique, since ids of nodes
    contain no underscore."""
    return lane.replace(">", "_")


def origins_after_move(before: Lanes, after: Lanes) -> dict[Place, Place]:
    """For each place with a car after a move: the place where that car stood before the move. A car that came onto the
    board is left out."""
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
    """For each place with a car after the undo of a move: the place where that car stood before the undo. A car that
    had left the board is left out."""
    return {there: here for here, there in origins_after_move(after, before).items()}
