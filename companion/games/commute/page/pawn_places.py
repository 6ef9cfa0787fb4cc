"""Finds the places for pawns and the names of their spaces on Commute's map. These places are beside the marks of the
spaces, not on them.

Law: pure. Marks, pawns and letters are drawn in the same unit, and all lengths are in this unit. On a desktop, it is
the unit of the board file. On a phone held upright, marks are larger and the map is stretched vertically, so the
distances between spaces are different.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import dist, hypot
from typing import Final

from companion.games.commute.board import Space

Point = tuple[float, float]

PHONE_SCALE: Final = 1.3
"""The factor by which marks are larger on a phone held upright (`--larger` in the style sheet)."""
PHONE_ASPECT: Final = 0.86
"""The width of the map divided by its height on a tall phone (`--aspect` in the style sheet). On short phones, the map
is lower and has smaller pawns, without the names of their spaces."""
PAWN_RADIUS: Final = 13.5
"""The radius of a pawn, including the ring that marks the pawn to move."""
CLEAR: Final = 0.5
"""The gap that is large enough. Of several places with such a gap, the preferred one is taken."""
PAWN_DISTANCE: Final = 22.0
"""The minimum distance between two pawns on the same space."""
REACH: Final = 90.0
"""Marks that are farther away than this, across or down, are never within CLEAR of a pawn or of the name beside it."""
PAWN_OFFSETS: Final = (
    (-18.0, -18.0),
    (18.0, -18.0),
    (-18.0, 18.0),
    (18.0, 18.0),
    (0.0, -21.0),
    (-23.0, 0.0),
    (23.0, 0.0),
    (0.0, 21.0),
)
"""The places for a pawn, relative to its space, the preferred one first."""


@dataclass(frozen=True)
class Rectangle:
    """A rectangle: its center, and half its width and height."""

    center: Point
    half: Point

    def gap_to(self, other: Rectangle) -> float:
        """The gap between two rectangles. Negative if they overlap."""
        (x, y), (wide, high) = self.center, self.half
        (other_x, other_y), (other_wide, other_high) = other.center, other.half
        return max(abs(x - other_x) - wide - other_wide, abs(y - other_y) - high - other_high)

    def gap_to_disc(self, center: Point, radius: float) -> float:
        """The gap between the rectangle and a disc. Negative if they overlap."""
        (x, y), (wide, high) = self.center, self.half
        return hypot(max(0.0, abs(x - center[0]) - wide), max(0.0, abs(y - center[1]) - high)) - radius

    def margin_around(self, other: Rectangle) -> float:
        """The smallest distance between the edges of this rectangle and those of one inside it. Negative if the inner
        one sticks out."""
        return min(self.half[axis] - abs(self.center[axis] - other.center[axis]) - other.half[axis] for axis in (0, 1))


@dataclass(frozen=True)
class PawnPlace:
    """The place of a pawn, relative to its space, and the place of the space's name, relative to the pawn."""

    pawn: Point
    name: Point

    def __str__(self) -> str:
        """The place as CSS custom properties."""
        return f"--dx:{self.pawn[0]:g};--dy:{self.pawn[1]:g};--name-x:{self.name[0]:g};--name-y:{self.name[1]:g}"


def pawn_places(spaces: Mapping[str, Space], id: str, frame: tuple[int, int, int, int]) -> tuple[PawnPlace, ...]:
    """The places for pawns on a space, the best one first. Pawns on the first two places don't touch. `frame`: the left
    edge, the top edge, the width and the height of the map, in units of the board file."""
    phone = _Scene.of(spaces, id, frame, (1 / PHONE_SCALE, frame[2] / frame[3] / (PHONE_ASPECT * PHONE_SCALE)))
    scenes = [_Scene.of(spaces, id, frame, (1.0, 1.0)), phone]
    offsets = sorted(PAWN_OFFSETS, key=lambda offset: -min(scene.pawn_gap(offset) for scene in scenes))
    apart = [each for each in offsets[1:] if dist(each, offsets[0]) >= PAWN_DISTANCE]
    return tuple(PawnPlace(offset, phone.name_beside(offset)) for offset in (offsets[0], *apart))


@dataclass(frozen=True)
class _Scene:
    """A space, which is at (0, 0), with its surroundings: the frame of the map, the marks of the other spaces within
    REACH, and the parts of the space's own mark (the number and, on some spaces, a badge)."""

    frame: Rectangle
    others: Sequence[Rectangle]
    own: Sequence[Rectangle]
    size: float
    """Half the width of the space's own mark."""

    @classmethod
    def of(cls, spaces: Mapping[str, Space], id: str, frame: tuple[int, int, int, int], scale: Point) -> _Scene:
        here, own = spaces[id], [Rectangle((0, 0), (8, 6))]
        if here.kind == "uh_oh":
            own.append(Rectangle((11, -11), (6, 6)))
        elif here.kind == "station":
            own.append(Rectangle((11.5, 11.5), (6, 6)))

        def seen(x: float, y: float) -> Point:
            return (x - here.xy[0]) * scale[0], (y - here.xy[1]) * scale[1]

        left, top, width, height = frame
        others = [
            Rectangle(seen(*space.xy), (_half(space), _half(space))) for other, space in spaces.items() if other != id
        ]
        others = [box for box in others if max(map(abs, box.center)) < REACH]
        middle, half = seen(left + width / 2, top + height / 2), (width / 2 * scale[0], height / 2 * scale[1])
        return cls(Rectangle(middle, half), others, own, _half(here))

    def pawn_gap(self, offset: Point) -> float:
        """The smallest gap between a pawn and anything that it should not cover, but at most CLEAR."""
        inside = self.frame.margin_around(Rectangle(offset, (PAWN_RADIUS, PAWN_RADIUS)))
        gaps = (box.gap_to_disc(offset, PAWN_RADIUS) for box in (*self.own, *self.others))
        return min(CLEAR, inside, *gaps)

    def name_beside(self, pawn: Point) -> Point:
        """The best place for the name of the space, relative to the pawn."""

        def gap(center: Point) -> float:
            box, own = Rectangle(center, (13, 7)), Rectangle((0, 0), (self.size, self.size))
            gaps = (box.gap_to(other) for other in (own, *self.others))
            return min(CLEAR, self.frame.margin_around(box), box.gap_to_disc(pawn, PAWN_RADIUS), *gaps)

        x, y = max(_name_places(pawn, self.size), key=gap)
        return x - pawn[0], y - pawn[1]


def _half(space: Space) -> float:
    """Half the width of a space's mark."""
    return 20 if space.kind in ("house", "work") else 16 if space.kind == "uh_oh" else 14


def _name_places(pawn: Point, size: float) -> Iterator[Point]:
    """Yields places for the name of a space, relative to the space, the preferred one first: above or below the pawn,
    beside the pawn, and on the other sides of the space."""
    side, row = (1 if pawn[0] > 0 else -1), (1 if pawn[1] > 0 else -1)
    yield pawn[0], pawn[1] + row * 23
    yield pawn[0] - side * 30, pawn[1] + row * 4
    yield pawn[0] + side * 29, pawn[1]
    yield 0, -row * (size + 9)
    yield -side * (size + 15), 0
    yield pawn[0] + side * 8, -row * 6
    yield -side * (size + 8), -row * (size + 4)
