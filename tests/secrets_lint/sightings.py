"""Makes the sightings that a camera reports in both worlds: of cards that people deal, and of components anywhere on
the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from companion.games.rules import Move
from companion.match.sighting_interpreter import SightingInterpreter
from companion.tabletop.observations import CardSeen
from tests.secrets_lint.other_history import places_by_kind
from tests.secrets_lint.service import InMemoryService


def sighting(code: str, zone: str | None, t: float, change: Any = "appeared") -> CardSeen:
    """The sighting of a component in a zone, whose position on the mat is unknown."""
    return CardSeen(t=t, code=code, zone=zone, mm=None, angle=0.0, change=change)


def middle_of(service: InMemoryService, zone: str, rng: Random) -> tuple[float, float]:
    """A point near the middle of a zone of the mat, mm."""
    points = service.match.game.physical.components.mat.zone(zone).polygon
    x, y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    return x + rng.uniform(-20, 20), y + rng.uniform(-20, 20)


def zones(service: InMemoryService) -> tuple[str, ...]:
    """The names of the zones of the mat in play."""
    mat = service.match.game.physical.components.mat
    return tuple(zone.name for zone in mat.zones) if mat else ()


def dealt_card(service: InMemoryService, move: Move, t: float) -> Iterator[CardSeen]:
    """Yields the sightings that mean the deal of a card: of each copy that is not in play, in each zone where it may be
    dealt."""
    match, table = service.match, service.table._physical.tracked
    reading, face = SightingInterpreter(match, table), getattr(move, "face", "")
    for component in match.game.physical.components.components:
        if component.face != face or component.id in table.visible or not reading.can_be_dealt(component.id):
            continue
        for zone in zones(service):
            seen = sighting(component.id, zone, t)
            if SightingInterpreter(match, table.after(seen, match.state.turn)).meaning_of(seen) == move:
                yield seen


def is_placed_alike(one: InMemoryService, two: InMemoryService, kind: str) -> bool:
    """Whether all components of a kind are in the same places in both worlds, hands included."""
    places = [places_by_kind(service.match.game, service.match.state) for service in (one, two)]
    return places[0].get(kind) == places[1].get(kind)


def any_sighting(one: InMemoryService, two: InMemoryService, rng: Random, t: float) -> CardSeen | None:
    """The sighting, somewhere on the mat, of a component whose copies are in the same places in both worlds; None if
    there is no such component."""
    components, places = one.match.game.physical.components.components, zones(one)
    if not places or not components:
        return None
    code = rng.choice(components).id
    if not is_placed_alike(one, two, one.match.game.physical.components.kinds.get(code, code)):
        return None
    zone, change = rng.choice([*places, None]), rng.choice(["appeared", "appeared", "moved", "turned"])
    mm = middle_of(one, zone, rng) if zone and rng.random() < 0.7 else None
    return replace(sighting(code, zone, t, change), mm=mm, angle=rng.choice([0.0, 90.0, 180.0]))
