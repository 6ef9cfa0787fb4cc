"""The cars on the streets as the page draws them, and which car is which: where each stood one act ago.

Cars of a color are all alike to the rules; to the eye, those that left the head of one queue are those that came to
the tail of another, and an undo sends them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.match.view import View
from web.boards.traffic_streets import Streets

Lanes = Mapping[str, Sequence[str]]
"""The cars of each lane, the head of the queue first."""
Place = tuple[str, int]
"""A lane, and how many cars stand before this one."""


@dataclass(frozen=True)
class Car:
    """A car on the drawing. `spot` and `tilt` are styles."""

    color: str
    key: str
    came: str
    """The key it had one act ago."""
    spot: str
    tilt: float


def cars(view: View, streets: Streets) -> Iterator[Car]:
    """Every car, as the viewer sees them."""
    came = _came(view)
    for lane, queue in view.state["lanes"].items():
        strip = streets.strips[lane]
        for number, color in enumerate(queue):
            was = came.get((lane, number))
            yield Car(
                color,
                _car(lane, number),
                _car(*was) if was else f"{_car(lane, number)}-new",
                streets.box.place(strip.place(number)),
                strip.tilt,
            )


def _came(view: View) -> Mapping[Place, Place]:
    """Where the cars stood before the last act."""
    if view.before is None:
        return {}
    drive = backed if view.log[-1].kind == "undo" else drove
    return drive(view.before["lanes"], view.state["lanes"])


def _car(lane: str, number: int) -> str:
    return f"{key(lane)}-{number}"


def key(lane: str) -> str:
    """A lane in the names of elements; the names of places hold no underscore."""
    return lane.replace(">", "_")


def drove(before: Lanes, after: Lanes) -> dict[Place, Place]:
    """For each car, where it stood before one move; nothing for one that came onto the board."""
    found = {(lane, number): (lane, number) for lane, cars in after.items() for number in range(len(cars))}
    shrunk = [lane for lane, cars in after.items() if len(cars) < len(before[lane])]
    grown = [lane for lane, cars in after.items() if len(cars) > len(before[lane])]
    for lane in shrunk:
        gone = len(before[lane]) - len(after[lane])
        found |= {(lane, number): (lane, number + gone) for number in range(len(after[lane]))}
    for lane in grown:
        for number in range(len(before[lane]), len(after[lane])):
            del found[lane, number]
            for whence in shrunk:
                found[lane, number] = whence, number - len(before[lane])
    return found


def backed(before: Lanes, after: Lanes) -> dict[Place, Place]:
    """The same where a move was taken back; nothing for a car that had left the board."""
    return {was: now for now, was in drove(after, before).items()}
