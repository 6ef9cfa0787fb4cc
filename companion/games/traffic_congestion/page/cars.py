"""The cars as the page draws them, and the place of each car one act ago, for animations.

Cars of a color are interchangeable in the rules. Players see the cars that leave the head of one queue as those that
join the tail of another, and an undo sends them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from companion.games.traffic_congestion.page.streets import Streets
from companion.games.traffic_congestion.position import Position, Queue
from companion.games.view import View

Lanes = Mapping[str, Queue]
"""The cars of every lane, empty ones included."""
Place = tuple[str, int]
"""A lane, and a car's index in its queue, 0 at the head."""


@dataclass(frozen=True)
class Car:
    """A car on the drawing. `position_css` is CSS, `tilt` an angle in degrees."""

    color: str
    key: str
    previous_key: str
    """Its key one act ago."""
    position_css: str
    tilt: float


def cars(view: View, streets: Streets) -> Iterator[Car]:
    """Every car."""
    origins = _origins(view)
    for lane, queue in _lanes_with_cars(view.position).items():
        strip = streets.strips[lane]
        for number, color in enumerate(queue):
            origin = origins.get((lane, number))
            yield Car(
                color,
                _car_key(lane, number),
                _car_key(*origin) if origin else f"{_car_key(lane, number)}-new",
                streets.box.place(strip.place(number)),
                strip.tilt,
            )


def _lanes_with_cars(position: Position) -> Lanes:
    return {lane: position.queue(lane) for lane in position.network.lanes}


def _origins(view: View) -> Mapping[Place, Place]:
    """For each place with a car: where the car stood before the last act."""
    if view.previous_position is None:
        return {}
    origins = origins_after_undo if view.log[-1].kind == "undo" else origins_after_move
    return origins(_lanes_with_cars(view.previous_position), _lanes_with_cars(view.position))


def _car_key(lane: str, number: int) -> str:
    return f"{key(lane)}-{number}"


def key(lane: str) -> str:
    """A lane's id for use in element ids: "north1_A". Ids of nodes contain no underscore."""
    return lane.replace(">", "_")


def origins_after_move(before: Lanes, after: Lanes) -> dict[Place, Place]:
    """For each place with a car: where the car stood before one move. A car that came onto the board is left out."""
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
    """The same for one move that was undone. A car that had left the board is left out."""
    return {there: here for here, there in origins_after_move(after, before).items()}
