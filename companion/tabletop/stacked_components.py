"""Components that lie on top of each other: which of them hide others, which were uncovered, and which must have been
picked up.

Law: pure. The camera reads only codes that it sees. When somebody picks up the top card of a pile, the code of the card
below comes into view, as if somebody had put that card there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from companion.tabletop.component_outline import PlacedOutline
from companion.tabletop.components import ComponentSet
from companion.tabletop.observations import CardSeen

OVERLAP_RADIUS_MM = 12.0
"""Two codes of 25 mm with centers nearer than this can't both be visible."""
UNCOVER_S = 0.4
"""A component that comes into view in its pile less than this many seconds after another component left this pile was
not put there but uncovered: nobody is that fast."""
UNCOVER_RADIUS_MM = 80.0
"""If one card covers the code of another, their codes are less than this apart."""


@dataclass(frozen=True)
class Departure:
    """A component that left its place. `at`: when it left, on the table's clock, in seconds. `seen`: its last sighting
    there. `was_new`: whether it had been put there in the turn in which it left."""

    at: float
    seen: CardSeen
    was_new: bool = False


Departures = tuple[Departure, ...]
"""The components that left their places within the last UNCOVER_S seconds."""


def departures_after(departures: Departures, left: CardSeen | None, now: float, *, was_new: bool = False) -> Departures:
    """The departures after one more component has left its place. `left`: its last sighting there; None if it was not
    in view. `was_new`: see `Departure`."""
    recent = tuple(each for each in departures if now - each.at < UNCOVER_S)
    return (*recent, Departure(now, left, was_new)) if left else recent


def is_uncovered(sighting: CardSeen, before: CardSeen | None, departures: Departures, now: float) -> bool:
    """Whether the sighting shows a component that was uncovered when the one on top of it was taken from the same zone.
    `before`: the component's last sighting."""
    if before is not None and before.zone != sighting.zone:
        return False
    others = [each.seen for each in departures if now - each.at < UNCOVER_S and each.seen.code != sighting.code]
    return any(left.zone == sighting.zone and left.distance_to(sighting) < UNCOVER_RADIUS_MM for left in others)


def was_lifted(hidden: CardSeen, uncovered: Iterable[CardSeen]) -> bool:
    """Whether a component that is out of sight has been picked up: another one has since come into view in its place,
    though nobody put it there, so it lay below. `uncovered`: the sightings of components that were uncovered."""
    return any(other.t > hidden.t and other.distance_to(hidden) < OVERLAP_RADIUS_MM for other in uncovered)


def hidden_below(sighting: CardSeen, departures: Departures, now: float) -> Mapping[str, CardSeen]:
    """The last sightings of the components below one that was lifted and is put down again. The camera may take it for
    one that lay there all the time, below what has just left; but it was put on top of that, and hides it."""
    return {
        each.seen.code: each.seen
        for each in departures
        if now - each.at < UNCOVER_S and each.seen.distance_to(sighting) < OVERLAP_RADIUS_MM
    }


def returned_above(sighting: CardSeen, returned: Departures, now: float) -> str | None:
    """The code of the component that was lifted and has just been put back on the component of a sighting; None if
    there is none. `returned`: when each such component was put back, and its sighting."""
    recent = (back.seen for back in returned if now - back.at < UNCOVER_S and back.seen.code != sighting.code)
    return next((seen.code for seen in recent if seen.distance_to(sighting) < OVERLAP_RADIUS_MM), None)


def may_be_hidden(covered: CardSeen, later: Collection[CardSeen], components: ComponentSet) -> bool:
    """Whether the components of the sightings `later`, which came to rest after `covered`, may hide that component. In
    a pile, anywhere in the same zone counts as on top."""
    if any(
        other.zone == covered.zone in components.piles or covered.distance_to(other) < OVERLAP_RADIUS_MM
        for other in later
    ):
        return True
    placed = _placed_outline(covered, components)
    return placed is not None and placed.is_hidden_by(_placed_outlines(later, components))


def may_be_touched(covered: CardSeen, later: Collection[CardSeen], components: ComponentSet) -> bool:
    """Whether the components of the sightings `later`, which came to rest after `covered`, may at least reach its
    code."""
    placed = _placed_outline(covered, components)
    return placed is not None and placed.is_touched_by(_placed_outlines(later, components))


def _placed_outline(seen: CardSeen, components: ComponentSet) -> PlacedOutline | None:
    """The outline of a component at its place on the mat; None if its place or its outline is unknown."""
    outline = components.outlines.get(seen.code)
    return PlacedOutline(outline, seen.mm, seen.angle) if outline and seen.mm else None


def _placed_outlines(seen: Iterable[CardSeen], components: ComponentSet) -> list[PlacedOutline]:
    """The outlines of components at their places on the mat. Components without a known place or outline are left
    out."""
    return [placed for each in seen if (placed := _placed_outline(each, components))]
