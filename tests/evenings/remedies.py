"""Hands that do literally what the list of discrepancies says, and know nothing of the match."""

from __future__ import annotations

import math

from companion.tabletop.discrepancies import Discrepancy, Fix
from tests.evenings.acts import Act, Carry, Flip, Lay, Rotate, Take
from tests.evenings.hands import Hands
from tests.evenings.sitting import center_of


class ObedientHands:
    """Hands that do what a fix says. `hands` only tell where components came from."""

    def __init__(self, hands: Hands) -> None:
        self.hands, self.sitting, self.world = hands, hands.sitting, hands.world
        backs = self.sitting.game.physical.components.components
        self._front = {each.reverse: each.id for each in backs if each.reverse}

    def acts(self, found: Discrepancy) -> list[Act]:
        """The acts that a discrepancy asks for; none if they are impossible."""
        fix, is_below = found.fix, ", under " in str(found.message)
        things = [self._thing(code) for code in fix.codes]
        match fix.act:
            case "put" if things and fix.place:
                return [Lay(thing, fix.place, fix.degrees, is_below=is_below) for thing in things]
            case "put" if things:
                return [Take(thing, self._home(thing)) for thing in things]
            case "flip" if things and things[0] in self.world.lying:
                return [Flip(things[0])]
            case "rotate" if things and fix.degrees is not None and things[0] in self.world.lying:
                return [Rotate(things[0], fix.degrees)]
            case "sort":
                return [Lay(thing, fix.place or "") for thing in reversed(things)]
            case "pick_up":
                return self._picking_up(fix.place or "")
            case "count":
                return self._counting(fix)
        return []

    def _thing(self, code: str) -> str:
        """The component that a code stands for. Of equal copies that are not on the table, one that was dropped is
        preferred."""
        thing = self._front.get(code, code)
        if thing not in self.world.things:  # a kind, because too few copies are known
            thing = next(each for each in self.world.things if self.hands.kinds[each] == code)
        alike = [each for each in self.world.things if self.hands.kinds.get(each) == self.hands.kinds.get(thing)]
        around = [each for each in alike if self.world.elsewhere.get(each) in ("floor", "air")]
        return thing if thing in self.world.lying or not around else around[0]

    def _home(self, thing: str) -> str:
        """Where a component goes that belongs off the mat: the place that the message names, or else where it came
        from."""
        zones = {zone.name for zone in self.sitting.mat.zones}
        found = self.sitting.layout.place_of(self.hands.kinds[thing])
        if found and found[0] not in zones and not found[0].startswith("hand-"):
            return found[0]
        return self.sitting.origins.get(thing) or self.hands.home(thing)

    def _picking_up(self, zone: str) -> list[Act]:
        """The acts for "pick up" at a zone in which cards are shown to the camera only. Takes up what is in the zone.
        If it is empty, lays the nearest component from beside it there first."""
        here = self.world.things_in_zone(zone)
        if here:
            return [Take(thing, self._home(thing)) for thing in here]
        middle = center_of(self.sitting.mat.zone(zone))
        beside = [thing for thing, code in self.world.visible_codes() if self.world.mat.zone_at(code.mm) is None]
        nearest = min(beside, key=lambda thing: math.dist(self.world.lying[thing].center, middle), default=None)
        return [Lay(nearest, zone)] if nearest else []

    def _counting(self, fix: Fix) -> list[Act]:
        place, here = fix.place or "", self.world.counted(fix.place or "")
        kinds = {*here, *fix.tokens}
        change = {kind: fix.tokens.get(kind, 0) - here.get(kind, 0) for kind in kinds}
        come: list[Act] = [Carry(kind, "supply", place, count) for kind, count in change.items() if count > 0]
        return [*come, *(Carry(kind, place, "supply", -count) for kind, count in change.items() if count < 0)]
