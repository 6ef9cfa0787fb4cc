"""Finds the differences between the world and a layout, and says which of them a camera can see at all.

Law: pure. It does not use the product's own comparison, so that it can judge the product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from companion.tabletop.components import ComponentSet
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Zone
from tests.evenings.world import World

MAX_ASKEW_DEGREES = 30.0
"""The largest angle between a component and its proper direction that is no difference."""

What = Literal["extra", "missing", "beside", "covered", "askew", "order", "count", "below"]


@dataclass(frozen=True)
class Difference:
    """A difference between the world and the layout.

    `what` is one of these: "extra" (a component is in a zone where it is not expected), "missing" (a component is
    expected but is not there), "beside" (a component is on the mat, but in no zone), "covered" (a component is where it
    belongs, but can't be seen), "askew" (a component points in a wrong direction), "order" (components are in a wrong
    order), "count" (the number of cubes is wrong), "below" (a card that belongs further down in a pile is missing).
    `kind`: the kind of component. `components`: the components that may be meant.
    """

    what: What
    kind: str
    place: str
    is_visible: bool
    components: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.what} {self.kind} {self.place}{'' if self.is_visible else ' (invisible)'}"


def differences(world: World, layout: Layout, components: ComponentSet) -> list[Difference]:
    """All differences between the world and the layout, which lists the kinds that belong in each place."""
    return list(_Comparison(world, layout, components).all())


class _Comparison:
    def __init__(self, world: World, layout: Layout, components: ComponentSet) -> None:
        self.world, self.layout, self.components = world, layout, components
        self.visible = {component for component, _ in world.visible_codes()}
        self.by_zone: dict[str | None, list[str]] = {}
        self.with_blanks: set[str | None] = set()
        """The zones with a component whose upper side has no code. It may be a component that seems to be missing."""
        for component in world.lying:
            if world.code_up(component) is None:
                self.with_blanks.add(world.zone_of(component))
            else:
                self.by_zone.setdefault(world.zone_of(component), []).append(component)

    def kind(self, component: str) -> str:
        """The kind of the side of a component that is up."""
        code = self.world.code_up(component)
        return self.components.kinds[code.id] if code else ""

    def all(self) -> Iterator[Difference]:
        for zone in self.world.mat.zones:
            if self.layout.cards.get(zone.name) or zone.name in self.by_zone:
                yield from self._in_zone(zone)
        yield from self._beside()
        yield from self._counts()

    def _in_zone(self, zone: Zone) -> Iterator[Difference]:
        expected = self.layout.cards.get(zone.name, ())
        here = self.by_zone.get(zone.name, [])
        seen, there = [each for each in here if each in self.visible], Counter(map(self.kind, here))
        for kind, count in (there - Counter(expected)).items():
            alike = tuple(each for each in here if self.kind(each) == kind)
            is_visible = sum(each in self.visible for each in alike) > there[kind] - count
            yield Difference("extra", kind, zone.name, is_visible, alike)
        missing = Counter(expected) - there
        for kind in missing:
            is_top = kind == expected[0] and not any(self.kind(each) == kind for each in seen)
            if zone.order == "pile" and not is_top:
                yield Difference("below", kind, zone.name, False)
            else:
                # Tokens on a card may hide it, and the camera does not count those.
                may_be_hidden = zone.name in self.with_blanks and any(self.layout.tokens.get(kind, {}).values())
                yield Difference("missing", kind, zone.name, not may_be_hidden)
        if zone.order == "pile":
            yield from self._top(zone, here, seen, expected)
        else:
            yield from self._covered(zone, here, Counter(expected))
            yield from self._order(zone, seen, expected)
        if orientation := self.layout.orientations.get(zone.name):
            for each in seen:
                off = abs((self.world.lying[each].angle - orientation.degrees + 180) % 360 - 180)
                if self.kind(each) in expected and off > MAX_ASKEW_DEGREES:
                    yield Difference("askew", self.kind(each), zone.name, True, (each,))

    def _top(self, zone: Zone, here: list[str], seen: list[str], expected: tuple[str, ...]) -> Iterator[Difference]:
        """Yields a difference if the card on top of a pile is not the one that should be there."""
        alike = tuple(each for each in here if expected and self.kind(each) == expected[0])
        if alike and not seen:  # a component that belongs elsewhere covers the pile
            yield Difference("covered", expected[0], zone.name, False, alike)
        if alike and seen and not any(each in seen for each in alike):
            yield Difference("order", expected[0], zone.name, True, alike)

    def _covered(self, zone: Zone, here: list[str], expected: Counter[str]) -> Iterator[Difference]:
        for each in here:
            if each not in self.visible and expected[self.kind(each)]:
                yield Difference("covered", self.kind(each), zone.name, False, (each,))

    def _order(self, zone: Zone, seen: list[str], expected: tuple[str, ...]) -> Iterator[Difference]:
        if zone.order not in ("down", "right"):
            return
        axis = 0 if zone.order == "right" else 1
        found = sorted((each for each in seen if self.kind(each) in expected), key=self._along(axis))
        kinds = [self.kind(each) for each in found]
        if kinds != [kind for kind in expected if kind in kinds]:
            yield Difference("order", kinds[0], zone.name, True, tuple(found))

    def _along(self, axis: int) -> Callable[[str], float]:
        return lambda component: self.world.code_center(component)[axis]

    def _beside(self) -> Iterator[Difference]:
        """Yields a difference for each component on the mat that is in no zone. Components that belong in front of a
        player may lie there."""
        for component in self.by_zone.get(None, []):
            if self._belongs_beside(component):
                continue
            if self.world.mat.holds(self.world.code_center(component)):
                yield Difference("beside", self.kind(component), "", component in self.visible, (component,))

    def _belongs_beside(self, component: str) -> bool:
        place = next(iter(self.layout.place_of(self.kind(component)) or ("",)))
        zones = {zone.name for zone in self.world.mat.zones}
        return place != "" and place not in zones and not place.startswith("hand-")

    def _counts(self) -> Iterator[Difference]:
        colors = self.world.mat.token_colors
        for place in colors.areas if colors else ():
            expected = {kind: count for kind, count in self.layout.tokens.get(place, {}).items() if count}
            if self.world.counted(place) != expected:
                yield Difference("count", "", place, True)
        for card in self.world.tokens.keys() & self.world.fields.keys():
            expected = {kind: count for kind, count in self.layout.tokens.get(card, {}).items() if count}
            if self.world.counted(card) != expected:
                yield Difference("count", "", card, self.world.is_field_in_view(card))
