"""Does literally what the list of discrepancies says, and knows nothing of the match."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.tabletop.discrepancies import Discrepancy
from tests.evenings.acts import Act, Carry, Flip, Lay, Rotate, Take
from tests.evenings.hands import Hands
from tests.evenings.sitting import Sitting, center_of


@dataclass(frozen=True)
class Remedy:
    """One physical act, as a discrepancy names it."""

    act: str
    codes: tuple[str, ...] = ()
    place: str | None = None
    degrees: float | None = None
    tokens: Mapping[str, int] = field(default_factory=dict)


def remedy_of(item: Discrepancy, sitting: Sitting) -> Remedy | None:
    """What a discrepancy tells people to do; None if it names no physical act."""
    fix: Any = getattr(item, "fix", None)
    if fix is not None:
        return Remedy(fix.act, tuple(fix.codes), fix.place, fix.degrees, fix.tokens)
    return _parsed(item, sitting)


def _parsed(item: Discrepancy, sitting: Sitting) -> Remedy | None:
    """The remedy in the words of a discrepancy without a structure."""
    message, words = str(item.message), sitting.game.physical.components.vocabulary(sitting.match.names)
    message = re.split(r"; or ", message)[0].rstrip(".")
    places = {str(words.place(zone.name)): zone.name for zone in sitting.mat.zones}
    if found := re.match(r"Pick up what is in (.*)", message):
        return Remedy("pick_up", place=places[found[1]])
    if message.startswith("Turn over "):
        return Remedy("flip", (item.code,), places.get(message.rpartition(" in ")[2]))
    if found := re.match(r"Turn .* in (.*) so that it points to", message):
        place = places[found[1]]
        return Remedy("rotate", (item.code,), place, sitting.layout.orientations[place].degrees)
    if found := re.match(r"(.*) should read, from the (left|top): (.*)", message):
        place = next(zone for title, zone in places.items() if title.lower() == found[1].lower())
        return Remedy("sort", sitting.layout.cards[place], place)
    if found := re.match(r"(.*) should have (.*), but the camera sees", message):
        names = {str(words.place(place)).lower(): place for place in sitting.world.tokens}
        return Remedy("count", place=names[found[1].lower()], tokens=_tokens(found[2], sitting))
    if found := re.match(r"(?:Put .*?|.*: put it) (in |on top of )(.*?)(?:, under .*)?(?: \(\d of them\))?$", message):
        return Remedy("put", (item.code,), places.get(found[2]))
    return Remedy("put", (item.code,), None)


def _tokens(words: str, sitting: Sitting) -> Mapping[str, int]:
    if words == "none":
        return {}
    names = {name: kind for kind, name in sitting.game.physical.components.tokens.items()}
    parts = (part.split(" ", 1) for part in words.split(", "))
    return {names.get(name, names.get(name.removesuffix("s"), name)): int(count) for count, name in parts}


class ObedientHands:
    """Hands that do what a remedy says. `hands` know only where things came from."""

    def __init__(self, hands: Hands) -> None:
        self.hands, self.sitting, self.world = hands, hands.sitting, hands.world
        backs = self.sitting.game.physical.components.components
        self._front = {each.reverse: each.id for each in backs if each.reverse}

    def acts(self, remedy: Remedy) -> list[Act]:
        """The acts of the hands for a remedy; none if they are impossible."""
        things = [self._thing(code) for code in remedy.codes]
        match remedy.act:
            case "put" if things and remedy.place:
                towards = self.sitting.layout.orientations.get(remedy.place)
                return [Lay(thing, remedy.place, towards.degrees if towards else None) for thing in things]
            case "put" if things:
                return [Take(thing, self._home(thing)) for thing in things]
            case "flip" if things and things[0] in self.world.lying:
                return [Flip(things[0])]
            case "rotate" if things and remedy.degrees is not None and things[0] in self.world.lying:
                return [Rotate(things[0], remedy.degrees)]
            case "sort":
                return [Lay(thing, remedy.place or "") for thing in reversed(things)]
            case "pick_up":
                return self._picking_up(remedy.place or "")
            case "count":
                return self._counting(remedy)
        return []

    def _thing(self, code: str) -> str:
        """The component that is meant by a code: of equal copies, one that lies around."""
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
        """Takes up what is in a zone for secret cards; what lies beside it is shown there first."""
        here = self.world.things_in_zone(zone)
        if here:
            return [Take(thing, self._home(thing)) for thing in here]
        middle = center_of(self.sitting.mat.zone(zone))
        beside = [thing for thing, code in self.world.visible_codes() if self.world.mat.zone_at(code.mm) is None]
        nearest = min(beside, key=lambda thing: math.dist(self.world.lying[thing].center, middle), default=None)
        return [Lay(nearest, zone)] if nearest else []

    def _counting(self, remedy: Remedy) -> list[Act]:
        place, here = remedy.place or "", self.world.counted(remedy.place or "")
        kinds = {*here, *remedy.tokens}
        change = {kind: remedy.tokens.get(kind, 0) - here.get(kind, 0) for kind in kinds}
        come: list[Act] = [Carry(kind, "supply", place, count) for kind, count in change.items() if count > 0]
        return [*come, *(Carry(kind, place, "supply", -count) for kind, count in change.items() if count < 0)]
