"""A slow second implementation of Traffic Congestion, written from the rule text alone. The game's own code is compared
with it.

Nothing here imports the game. Boards are read as plain TOML. Lane ends are points on a circle around their
intersection, paths are chords between them, and two paths cross if the chords do. A position is the JSON of the view.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import atan2, hypot, isclose, tau
from typing import Any

HALF_STREET = 0.02
"""The distance from the middle of a street to the end of a lane, for a circle of radius 1."""

Point = tuple[float, float]
Path = tuple[str, str]
Position = dict[str, Any]


@dataclass(frozen=True)
class ReferenceBoard:
    """A board file with its traffic rules."""

    text: str
    driving: str = "right"
    u_turns: bool = True

    @cached_property
    def content(self) -> dict[str, Any]:
        return tomllib.loads(self.text)

    @cached_property
    def places(self) -> dict[str, Point]:
        """The position of each intersection and gate."""
        return {spot["id"]: tuple(spot["at"]) for spot in (*self.content["intersection"], *self.content["gate"])}

    @cached_property
    def gates(self) -> dict[str, str]:
        """The side of each gate."""
        return {gate["id"]: gate["side"] for gate in self.content["gate"]}

    @cached_property
    def lanes(self) -> list[Path]:
        """The start and the end of each lane."""
        streets = [street["between"] for street in self.content.get("street", [])]
        streets += [[gate["id"], gate["street_to"]] for gate in self.content["gate"]]
        return [ends for one, other in streets for ends in ((one, other), (other, one))]

    def end_point(self, lane: Path, here: str) -> Point:
        """The end of `lane` at the intersection `here`, on the circle of radius 1 around it. y points south."""
        (x, y), (far_x, far_y) = self.places[here], self.places[lane[0] if lane[1] == here else lane[1]]
        length = hypot(far_x - x, far_y - y)
        out_x, out_y = (far_x - x) / length, (far_y - y) / length
        right_x, right_y = -out_y, out_x  # to the right of somebody who drives out of the intersection
        goes_out = lane[0] == here
        offset = HALF_STREET if goes_out == (self.driving == "right") else -HALF_STREET
        point = (out_x + offset * right_x, out_y + offset * right_y)
        return point[0] / hypot(*point), point[1] / hypot(*point)

    def cross(self, one: Path, other: Path) -> bool:
        """Whether two paths, each from one lane to another, cross as chords of the circle."""
        if (one, other) not in self._crossings:
            self._crossings[one, other] = self._chords_cross(one, other)
        return self._crossings[one, other]

    @cached_property
    def _crossings(self) -> dict[tuple[Path, Path], bool]:
        """A cache of the results of `cross`."""
        return {}

    def _chords_cross(self, one: Path, other: Path) -> bool:
        first, second = self._chord(one), self._chord(other)
        if first is None or second is None or first[0] != second[0] or set(one) & set(other):
            return False
        return chords_cross(first[1], first[2], second[1], second[2])

    def _chord(self, path: Path) -> tuple[str, Point, Point] | None:
        (start, here), lane_out = path[0].split(">"), path[1].split(">")
        if lane_out[0] != here:
            return None
        return here, self.end_point((start, here), here), self.end_point((here, lane_out[1]), here)

    def scores_at(self, lane: str, color: str) -> bool:
        """Whether a lane is an exit on the side of `color`."""
        return self.gates.get(lane.split(">")[1]) == self.content["sides"][color]


def chords_cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the segments a–b and c–d cross at a point inside both."""

    def turn(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


def everything(drawing: ReferenceBoard, seat: int) -> Iterator[dict[str, Any]]:
    """Yields every move that a seat could submit for the lanes of a board, legal or not."""
    names = [f"{start}>{end}" for start, end in drawing.lanes]
    yield {"seat": seat, "move": "pass"}
    for lane in names:
        yield {"seat": seat, "move": "enter", "lane": lane}
        yield from ({"seat": seat, "move": "signal", "lane": lane, "to": to} for to in names)
        yield from ({"seat": seat, "move": "go", "lane": lane, "then": then} for then in ("keep", "remove"))
        yield from ({"seat": seat, "move": "go", "lane": lane, "then": {"to": to}} for to in names)


def legal(drawing: ReferenceBoard, position: Position) -> list[dict[str, Any]]:
    """Every legal move of the seat in turn."""
    if position["over"]:
        return []
    others = [move for move in everything(drawing, position["turn"]) if _allowed(drawing, position, move)]
    return others or [{"seat": position["turn"], "move": "pass"}]


def _allowed(drawing: ReferenceBoard, position: Position, move: dict[str, Any]) -> bool:
    match move:
        case {"move": "enter", "lane": lane}:
            return _may_enter(drawing, position, lane)
        case {"move": "signal", "lane": lane, "to": to}:
            return lane not in position["signals"] and _may_point(drawing, position, lane, to)
        case {"move": "go", "lane": lane, "then": then}:
            if lane not in position["signals"] or not _movers(position, lane):
                return False
            if then in ("keep", "remove"):
                return True
            without = {**position, "signals": {k: v for k, v in position["signals"].items() if k != lane}}
            return then["to"] != position["signals"][lane] and _may_point(drawing, without, lane, then["to"])
    return False


def _may_enter(drawing: ReferenceBoard, position: Position, lane: str) -> bool:
    if lane.split(">")[0] not in drawing.gates or len(position["lanes"][lane]) == 5:
        return False
    at = lane
    for _ in position["lanes"]:  # no path is longer
        at = position["signals"].get(at, at)
    return not drawing.scores_at(at, position["colors"][position["turn"]])


def _may_point(drawing: ReferenceBoard, position: Position, lane: str, to: str) -> bool:
    (start, end), (begin, finish) = lane.split(">"), to.split(">")
    if end in drawing.gates or end != begin or (finish == start and not drawing.u_turns):
        return False
    return not any(drawing.cross((lane, to), other) for other in position["signals"].items())


def _movers(position: Position, lane: str) -> list[str]:
    free = 5 - len(position["lanes"][position["signals"][lane]])
    return list(position["lanes"][lane][:free])


def played(drawing: ReferenceBoard, position: Position, move: dict[str, Any]) -> Position:
    """The position after a legal move."""
    after = {key: copy.copy(value) for key, value in position.items()}
    seats, seat = len(position["colors"]), position["turn"]
    match move:
        case {"move": "enter", "lane": lane}:
            after["lanes"][lane] = [*position["lanes"][lane], position["colors"][seat]]
        case {"move": "signal", "lane": lane, "to": to}:
            after["signals"][lane] = to
        case {"move": "go", "lane": lane, "then": then}:
            _go(drawing, after, lane, _movers(position, lane))
            if then == "remove":
                del after["signals"][lane]
            elif then != "keep":
                after["signals"][lane] = then["to"]
    home = [n % seats for n in range(seat, seat + seats) if after["scores"][position["colors"][n % seats]] >= 20]
    winner = home[0] if home else None
    return after | {"turn": None if home else (seat + 1) % seats, "winner": winner, "over": bool(home)}


def _go(drawing: ReferenceBoard, after: Position, lane: str, cars: list[str]) -> None:
    to = after["signals"][lane]
    after["lanes"][lane] = after["lanes"][lane][len(cars) :]
    if to.split(">")[1] not in drawing.gates:
        after["lanes"][to] = [*after["lanes"][to], *cars]
        return
    for car in cars:
        after["scores"][car] += drawing.scores_at(to, car)


def broken(drawing: ReferenceBoard, before: Position, move: dict[str, Any], after: Position) -> list[str]:
    """Describes each invariant that the move or the position after it violates; empty if there is none."""
    found = []
    if any(len(cars) > 5 for cars in after["lanes"].values()):
        found.append("a lane holds more than five cars")
    if any(after["lanes"][f"{start}>{end}"] for start, end in drawing.lanes if end in drawing.gates):
        found.append("a car waits in an exit")
    paths = list(after["signals"].items())
    if any(drawing.cross(one, other) for n, one in enumerate(paths) for other in paths[:n]):
        found.append("two paths cross")
    if any(after["scores"][color] < score for color, score in before["scores"].items()):
        found.append("a score fell")
    entered = 1 if move["move"] == "enter" else 0
    left = _cars(before) + entered - _cars(after)
    gained = sum(after["scores"].values()) - sum(before["scores"].values())
    through = move["move"] == "go" and before["signals"][move["lane"]].split(">")[1] in drawing.gates
    if left != (len(_movers(before, move["lane"])) if through else 0) or gained > left:
        found.append("cars came or went as they can't")
    return found


def _cars(position: Position) -> int:
    return sum(map(len, position["lanes"].values()))


def star(angles: list[Point], sides: tuple[str, ...] = ("north", "east", "south", "west")) -> str:
    """A board file with one intersection at (100, 100) and gates around it at these angles."""
    gates = [
        f'[[gate]]\nid = "g{n}"\nside = "{sides[n % len(sides)]}"\nat = [{x}, {y}]\nstreet_to = "X"'
        for n, (x, y) in enumerate(angles)
    ]
    colors = ("blue", "red", "yellow", "green")
    targets = [f'{color} = "{sides[n % min(len(sides), len(angles))]}"' for n, color in enumerate(colors)]
    return "\n".join(
        ['[board]\nname = "star"', '[[intersection]]\nid = "X"\nat = [100, 100]', *gates, "[sides]", *targets]
    )


def once_around(points: list[Point]) -> bool:
    """Whether the points go clockwise around the origin exactly once."""
    angles = [atan2(y, x) for x, y in points]  # y counts to the south, so angles grow clockwise
    return isclose(sum((later - angle) % tau for angle, later in pairwise([*angles, angles[0]])), tau)
