"""Hands that do exactly what the list of discrepancies says, and know nothing about the match."""

from __future__ import annotations

import math

from companion.tabletop.discrepancy import Discrepancy, Fix
from tests.evenings.hand_acts import Carry, Flip, HandAct, Lay, Rotate, Take
from tests.evenings.hands import Hands
from tests.evenings.simulated_group import center_of


class ObedientHands:
    """Hands that do what a fix says. `hands` are asked only which kind a component is, and where a component came
    from."""

    def __init__(self, hands: Hands) -> None:
        self.hands, self.group, self.world = hands, hands.group, hands.world
        backs = self.group.game.physical.components.components
        self._front = {each.reverse: each.id for each in backs if each.reverse}

    def acts(self, found: Discrepancy) -> list[HandAct]:
        """The acts that a discrepancy asks for; none if they are impossible."""
        fix, is_below = found.fix, ", under " in str(found.message)
        components = [self._component(code) for code in fix.codes]
        match fix.act:
            case "put" if components and fix.place:
                return [Lay(component, fix.place, fix.degrees, is_below=is_below) for component in components]
            case "put" if str(found.message).startswith("Shuffle all cards "):
                return [
                    Take(each, self._home(each)) for each in reversed(self.world.components_in_zone(found.zone or ""))
                ]
            case "put" if components:
                return [Take(component, self._home(component)) for component in components]
            case "flip" if components and components[0] in self.world.lying:
                return [Flip(components[0])]
            case "rotate" if components and fix.degrees is not None and components[0] in self.world.lying:
                return [Rotate(components[0], fix.degrees)]
            case "sort":
                return [Lay(component, fix.place or "") for component in reversed(components)]
            case "pick_up":
                return self._picking_up(fix.place or "")
            case "count":
                return self._counting(fix)
        return []

    def _component(self, code: str) -> str:
        """The component that a code identifies. If there are equal copies that are not on the table, a dropped one is
        preferred, and nobody searches the deck for one that a hand holds."""
        component = self._front.get(code, code)
        if component not in self.world.components:  # a kind, because too few copies are known
            component = next(each for each in self.world.components if self.hands.kinds[each] == code)
        alike = [
            each for each in self.world.components if self.hands.kinds.get(each) == self.hands.kinds.get(component)
        ]
        around = [each for each in alike if self.world.elsewhere.get(each) in ("floor", "air")]
        if component not in self.world.lying and not around and self.world.place_of(component).startswith("deck"):
            return self.hands.source(self.hands.kinds[component]) or component
        return component if component in self.world.lying or not around else around[0]

    def _home(self, component: str) -> str:
        """Where to put a component that does not belong on the mat: the place that the layout names, or else the place
        that it came from."""
        zones = {zone.name for zone in self.group.mat.zones}
        found = self.group.layout.place_of(self.hands.kinds[component])
        if found and found[0] not in zones and not found[0].startswith("hand-"):
            return found[0]
        return self.group.origins.get(component) or self.hands.home(component)

    def _picking_up(self, zone: str) -> list[HandAct]:
        """The acts for "pick up" at a zone where cards are only shown to the camera. They pick up the components in the
        zone. If it is empty, the nearest component beside the zones is laid there instead."""
        here = self.world.components_in_zone(zone)
        if here:
            return [Take(component, self._home(component)) for component in here]
        middle = center_of(self.group.mat.zone(zone))
        beside = [
            component for component, code in self.world.visible_codes() if self.world.mat.zone_at(code.mm) is None
        ]
        nearest = min(beside, key=lambda component: math.dist(self.world.lying[component].center, middle), default=None)
        return [Lay(nearest, zone)] if nearest else []

    def _counting(self, fix: Fix) -> list[HandAct]:
        place, here = fix.place or "", self.world.counted(fix.place or "")
        kinds = {*here, *fix.tokens}
        change = {kind: fix.tokens.get(kind, 0) - here.get(kind, 0) for kind in kinds}
        come: list[HandAct] = [Carry(kind, "supply", place, count) for kind, count in change.items() if count > 0]
        return [*come, *(Carry(kind, place, "supply", -count) for kind, count in change.items() if count < 0)]
