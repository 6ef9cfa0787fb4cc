"""The physical world: where each printed component and each cube of a game is, in millimeters, and in which order they
lie on top of each other.

Law: no I/O, no clock, no chance. Nothing here depends on the match, the rules or what the camera believes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from companion.tabletop.mat import Mat, Point
from companion.tabletop.token_colors import TokenField
from tests.evenings.printed_components import PrintedCode, PrintedComponent

FIELD_SAMPLES = tuple((across / 8, down / 3) for across in range(9) for down in range(4))
"""Where a field is probed for being covered, in shares of its width and height."""
FRAME_MARGIN_MM = 36.0
"""How much of the table around the mat the camera sees, as `vision.simulated_camera` frames it."""
CODE_SAMPLES = tuple((across / 4 - 0.5, down / 4 - 0.5) for across in range(5) for down in range(5))
"""Where a code is probed for being covered, in sides of the code from its center."""
CODE_CORNERS = tuple((across, down) for across in (-0.5, 0.5) for down in (-0.5, 0.5))
"""A component that covers these samples covers the whole code."""
MAX_COVERED_SHARE = 0.1
"""A code is still read if at most this share of it is covered."""


@dataclass(frozen=True)
class Lying:
    """How a component lies on the table: its center (mm on the mat), its angle in degrees clockwise, and its side."""

    x: float
    y: float
    angle: float = 0.0
    face_up: bool = True

    @property
    def center(self) -> Point:
        return self.x, self.y

    def to_table(self, dx: float, dy: float) -> Point:
        """The point on the table that is (dx, dy) from the center in the component's own directions."""
        cos, sin = _direction(self.angle)
        return self.x + dx * cos - dy * sin, self.y + dx * sin + dy * cos

    def not_covering(self, points: Iterable[Point], half_width: float, half_height: float) -> list[Point]:
        """The points on the table that a component of this size does not cover if it lies like this."""
        (cos, sin), x, y = _direction(-self.angle), self.x, self.y
        return [
            point
            for point in points
            if abs((point[0] - x) * cos - (point[1] - y) * sin) > half_width
            or abs((point[0] - x) * sin + (point[1] - y) * cos) > half_height
        ]


@dataclass(frozen=True)
class VisibleCode:
    """A code as the camera sees it: its center on the mat (mm), and the direction of its top edge on the mat."""

    id: str
    mm: Point
    angle: float
    side: float


@dataclass
class World:
    """All physical components. `lying`: those on the table, from the bottom up. `elsewhere`: the place of every other
    component, such as a hand, the tray or the box. `decks`: the face-down piles by zone, the top card last. `tokens`:
    the number of cubes of each kind in each place."""

    mat: Mat
    components: Mapping[str, PrintedComponent]
    lying: dict[str, Lying] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)
    decks: dict[str, list[str]] = field(default_factory=dict)
    tokens: dict[str, Counter[str]] = field(default_factory=dict)
    under_cubes: set[str] = field(default_factory=set)
    """The components on the table with cubes on their codes."""
    moves: dict[str, int] = field(default_factory=dict)
    """For each component on the table, the number of its last movement: higher numbers came later."""
    _visible: tuple[tuple[object, ...], tuple[tuple[str, VisibleCode], ...]] = ((), ())
    """What lay on the table when it was last looked at, and what was visible."""
    _zones: dict[str, tuple[Lying, str | None]] = field(default_factory=dict)
    """The zone of each component that was asked for, with how the component lay then."""

    def place_of(self, component: str) -> str:
        """Where a component is, in one word: "table", a hand, the tray, a deck."""
        if component in self.lying:
            return "table"
        return self.elsewhere.get(component) or next(
            f"deck {zone}" for zone, deck in self.decks.items() if component in deck
        )

    def components_in(self, place: str) -> list[str]:
        """The components that are in a hand, the tray or the box."""
        return [component for component, where in self.elsewhere.items() if where == place]

    def code_up(self, component: str) -> PrintedCode | None:
        """The code on the side that faces up; None if there is none."""
        printed = self.components[component]
        return printed.front if self.lying[component].face_up else printed.back

    def code_center(self, component: str) -> Point:
        """The middle of the code that faces up, or of the component if that side has no code."""
        code = self.code_up(component)
        return self.lying[component].to_table(code.dx, code.dy) if code else self.lying[component].center

    def zone_of(self, component: str) -> str | None:
        """The zone in which the code of a component on the table is."""
        lying, known = self.lying[component], self._zones.get(component)
        if known is None or known[0] is not lying:
            known = self._zones[component] = lying, self.mat.zone_at(self.code_center(component))
        return known[1]

    def components_in_zone(self, zone: str) -> list[str]:
        """The components whose codes are in a zone, from the bottom up."""
        return [component for component in self.lying if self.zone_of(component) == zone]

    def is_hidden(self, center: Point, angle: float, side: float, above: Iterable[str]) -> bool:
        """Whether the components `above` hide a code."""
        return self.covered_share(center, angle, side, above) > MAX_COVERED_SHARE

    def covered_share(self, center: Point, angle: float, side: float, above: Iterable[str]) -> float:
        """The share of a square at `center` that the components `above` cover."""
        reaching = list(self._reaching(above, center, side))
        if not reaching:
            return 0.0
        here = Lying(*center, angle)
        corners = [here.to_table(side * across, side * down) for across, down in CODE_CORNERS]
        if any(not self._left_open(corners, other) for other in reaching):
            return 1.0
        points = [here.to_table(side * across, side * down) for across, down in CODE_SAMPLES]
        for other in reaching:
            points = self._left_open(points, other)
        return (len(CODE_SAMPLES) - len(points)) / len(CODE_SAMPLES)

    def _left_open(self, points: Iterable[Point], component: str) -> list[Point]:
        """The points that a component on the table does not cover."""
        printed = self.components[component]
        return self.lying[component].not_covering(points, printed.width / 2, printed.height / 2)

    def _reaching(self, components: Iterable[str], center: Point, side: float) -> Iterator[str]:
        """Yields the components that may cover part of a square, because their circumscribed circles overlap."""
        (x, y), diagonal = center, side * math.sqrt(2)
        for component in components:
            at = self.lying[component]
            dx, dy = at.x - x, at.y - y
            if 4 * (dx * dx + dy * dy) <= (self.components[component].diagonal + diagonal) ** 2:
                yield component

    def visible_codes(self) -> tuple[tuple[str, VisibleCode], ...]:
        """Each component whose code the camera can read, with the code, from the bottom up."""
        key = (*self.lying.items(), frozenset(self.under_cubes))
        if key != self._visible[0]:
            self._visible = key, tuple(self._find_visible())
        return self._visible[1]

    def _find_visible(self) -> Iterator[tuple[str, VisibleCode]]:
        order = list(self.lying)
        for number, component in enumerate(order):
            code, lying = self.code_up(component), self.lying[component]
            if code is None or component in self.under_cubes:
                continue
            mm = lying.to_table(code.dx, code.dy)
            hidden = self.is_hidden(mm, lying.angle, code.side, order[number + 1 :])
            if self.is_in_frame(mm, code.side) and not hidden:
                yield component, VisibleCode(code.id, mm, lying.angle, code.side)

    @property
    def fields(self) -> Mapping[str, TokenField]:
        """The fields of the components on which cubes are counted, by component."""
        return self.mat.token_colors.fields if self.mat.token_colors else {}

    def field_points(self, component: str, shares: Iterable[Point]) -> list[Point]:
        """Points on the field of a component that lies face up on the table, given in shares of its width and
        height."""
        (left, top), _, (right, bottom), _ = self.fields[component].area
        code = Lying(*self.code_center(component), self.lying[component].angle)
        return [code.to_table(left + across * (right - left), top + down * (bottom - top)) for across, down in shares]

    def is_field_in_view(self, component: str) -> bool:
        """Whether the camera can count the cubes on a component: its code and its whole field are in view."""
        if component not in self.fields or component not in {visible for visible, _ in self.visible_codes()}:
            return False
        points, order = self.field_points(component, FIELD_SAMPLES), list(self.lying)
        return all(self._left_open(points, other) == points for other in order[order.index(component) + 1 :])

    def is_in_frame(self, mm: Point, side: float) -> bool:
        """Whether the camera's picture contains a code at a point."""
        room = FRAME_MARGIN_MM - side / 2
        width, height = self.mat.size
        return -room <= mm[0] <= width + room and -room <= mm[1] <= height + room

    def take(self, component: str, place: str) -> None:
        """Takes a component from wherever it is to a place off the table."""
        self.lying.pop(component, None)
        self.under_cubes.discard(component)
        for deck in self.decks.values():
            if component in deck:
                deck.remove(component)
        self.elsewhere[component] = place

    def lay(self, component: str, lying: Lying) -> None:
        """Lays a component on top of what is there."""
        self.take(component, "air")
        del self.elsewhere[component]
        self.shift(component, lying)

    def push_below(self, component: str) -> None:
        """Pushes a component below everything else that lies on the table."""
        self.moves[component] = 1 + max(self.moves.values(), default=0)
        self.lying = {component: self.lying.pop(component), **self.lying}

    def shift(self, component: str, lying: Lying) -> None:
        """Pushes or turns a component without taking it up."""
        self.moves[component] = 1 + max(self.moves.values(), default=0)
        self.lying[component] = lying

    def flip(self, component: str) -> None:
        """Turns a component over where it lies. It then lies on top of everything else there."""
        lying = self.lying.pop(component)
        self.lying[component] = replace(lying, face_up=not lying.face_up)

    def put_on_deck(self, component: str, zone: str) -> None:
        """Puts a card face down on top of a pile."""
        self.take(component, "air")
        del self.elsewhere[component]
        self.decks[zone].append(component)

    def move_token(self, kind: str, source: str, target: str, count: int = 1) -> None:
        """Carries cubes of one color from one place to another."""
        self.tokens[source][kind] -= count
        self.tokens[target][kind] += count

    def counted(self, place: str) -> dict[str, int]:
        """The cubes in a place, by color."""
        return {kind: count for kind, count in self.tokens.get(place, Counter()).items() if count}


@lru_cache(1024)
def _direction(angle: float) -> tuple[float, float]:
    """The cosine and the sine of an angle in degrees."""
    return math.cos(math.radians(angle)), math.sin(math.radians(angle))
