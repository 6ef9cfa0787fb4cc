"""An ideal camera: it reports what is on the table as the real camera does, and never misreads anything.

A code is read unless something covers it. A component has left when its place is seen without it (empty, as it was
before the component came, or with the code below it in view) or when its other side is seen. If something that came
later covers its place, the component is assumed to be where it was, and after HIDDEN_S it is reported as hidden. The
order of events is that of `vision.tracking.tracker`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from companion.tabletop.observations import (
    HIDDEN_S,
    CardGone,
    CardHidden,
    CardInView,
    CardSeen,
    MatSeen,
    Observation,
    TokensCounted,
)
from tests.evenings.world import Lying, VisibleCode, World

MIN_MOVE_MM = 4.0
MIN_TURN_DEGREES = 7.0
NEAR_MM = 150.0
"""A component that comes to rest at most this far from a code may cover it."""
MAX_SAME_PLACE_MM = 12.5
"""Two codes whose centers are closer than this can't both be visible."""
MIN_COVERED_SHARE = 0.6
"""If more than this share of a place is covered, nobody can see whether a component has left it."""


@dataclass
class _Track:
    seen: VisibleCode
    t: float
    """When the camera saw the component arrive, in seconds."""
    below: dict[str, Lying]
    """The components that lay below this component when it was seen."""
    hidden_at: float | None = None
    """When the code was first not seen, seconds; None while it is in view."""
    is_hidden: bool = False
    """Whether the code was reported as hidden, and has not been seen since."""


class IdealCamera:
    """A camera above the world. `other_side`: by code, the code on the component's other side."""

    def __init__(self, world: World, other_side: Mapping[str, str]) -> None:
        self.world, self._other_side = world, other_side
        self.tracks: dict[str, _Track] = {}
        self._counts: dict[str, dict[str, int] | None] = {}
        self._maybe_covered: set[str] = set()
        """The codes that have not been read since another component came to rest near them."""

    def start(self, t: float) -> list[Observation]:
        """The observations of a camera that has just started, when everything is already on the table."""
        self.tracks.clear()
        self._counts.clear()
        self._maybe_covered.clear()
        return [MatSeen(t=t, mat=self.world.mat.name), *self.look(t, initially=True)]

    def look(self, t: float, *, initially: bool = False) -> list[Observation]:
        """The observations, at the time `t`, of what has changed since the last look."""
        visible = {code.id: code for _, code in self.world.visible_codes()}
        components = {code.id: component for component, code in self.world.visible_codes()}
        found: list[Observation] = []
        for code in visible.values():
            if change := self._change(t, code, components[code.id]):
                found.append(self._sighting(t, code, change, initially=initially))
        gone = [id for id in self.tracks if id not in visible and self._has_left(id, visible)]
        for id in gone:
            del self.tracks[id]
            found.append(CardGone(t=t, code=id))
        seen_again = [*self._in_view(t, visible, found), *self._hidden(t, visible)]
        for each in (*found, *seen_again):
            if isinstance(each, CardSeen | CardGone | CardHidden):
                self._counts.pop(each.code, None)  # the table forgets it, too
        return [*sorted(found, key=_comes_later), *seen_again, *self._counted(t)]

    def _in_view(
        self, t: float, visible: Mapping[str, VisibleCode], found: Sequence[Observation]
    ) -> Iterator[CardInView]:
        """Yields an observation for each code that is read for the first time after another component came to rest near
        it."""
        came = [seen for seen in found if isinstance(seen, CardSeen)]
        for id, track in self.tracks.items():
            if any(seen.mm and math.dist(seen.mm, track.seen.mm) < NEAR_MM for seen in came):
                self._maybe_covered.add(id)
        self._maybe_covered &= self.tracks.keys() - {seen.code for seen in came}
        for id in sorted(self._maybe_covered & visible.keys()):
            self._maybe_covered.remove(id)
            self.tracks[id].is_hidden = False
            yield CardInView(t=t, code=id)

    def _hidden(self, t: float, visible: Mapping[str, VisibleCode]) -> Iterator[CardHidden | CardInView]:
        """Yields an observation for each code that has been out of sight for HIDDEN_S, and for each hidden code that is
        in view again."""
        for id, track in self.tracks.items():
            if id in visible:
                if track.is_hidden:
                    yield CardInView(t=t, code=id)
                track.hidden_at, track.is_hidden = None, False
                continue
            track.hidden_at = t if track.hidden_at is None else track.hidden_at
            if not track.is_hidden and t - track.hidden_at >= HIDDEN_S:
                track.is_hidden = True
                yield CardHidden(t=t, code=id)

    def knocked(self, t: float, rng: Random) -> list[Observation]:
        """The observations of a camera that was knocked. It finds the mat again, and sees everything a few millimeters
        from where it was. Some components count as moved."""
        found: list[Observation] = [MatSeen(t=t, mat=None), MatSeen(t=t + 0.5, mat=self.world.mat.name)]
        dx, dy = (rng.choice((-1, 1)) * rng.uniform(1.0, 4.0) for _ in range(2))
        for code in [code for _, code in self.world.visible_codes()]:
            shifted = VisibleCode(
                code.id, (code.mm[0] + dx, code.mm[1] + dy), code.angle + rng.uniform(-2, 2), code.side
            )
            is_event = rng.random() < 0.5
            found.append(self._sighting(t + 0.5, shifted, "moved" if is_event else "appeared", initially=not is_event))
        self._counts.clear()
        return [*found, *self._counted(t + 0.5)]

    def _change(self, t: float, code: VisibleCode, component: str) -> str | None:
        """What has changed about the visible code of `component`; None if nothing has changed."""
        track = self.tracks.get(code.id)
        if track is None:
            change = "appeared"
        elif math.dist(track.seen.mm, code.mm) > MIN_MOVE_MM:
            change = "moved"
        elif abs((track.seen.angle - code.angle + 180) % 360 - 180) > MIN_TURN_DEGREES:
            change = "turned"
        else:
            return None
        order = list(self.world.lying)
        below = {other: self.world.lying[other] for other in order[: order.index(component)]}
        self.tracks[code.id] = _Track(code, t, below)
        return change

    def _sighting(self, t: float, code: VisibleCode, change: str, *, initially: bool) -> CardSeen:
        angle = (code.angle + 180) % 360 - 180
        assert change in ("appeared", "moved", "turned")
        return CardSeen(
            t=t,
            code=code.id,
            zone=self.world.mat.zone_at(code.mm),
            mm=code.mm,
            angle=angle,
            change=change,  # type: ignore[arg-type]  # checked above
            was_initially_present=initially,
        )

    def _has_left(self, id: str, visible: Mapping[str, VisibleCode]) -> bool:
        """Whether a component that is not seen has left its place."""
        if self._other_side.get(id) in visible:
            return True
        codes_under_cubes = (self.world.code_up(component) for component in self.world.under_cubes)
        if any(code and code.id == id for code in codes_under_cubes):
            return False
        track = self.tracks[id]
        if any(
            self.tracks[other].t < track.t and math.dist(code.mm, track.seen.mm) < MAX_SAME_PLACE_MM
            for other, code in visible.items()
        ):
            return True  # the code below it is read, so it was lifted
        below = track.below
        new = (
            other
            for other, lying in self.world.lying.items()
            if (before := below.get(other)) is not lying and before != lying
        )
        return self.world.covered_share(track.seen.mm, track.seen.angle, track.seen.side, new) <= MIN_COVERED_SHARE

    def _counted(self, t: float) -> list[Observation]:
        """The counts of cubes that have changed since the last look."""
        colors, found = self.world.mat.token_colors, list[Observation]()
        for place in colors.areas if colors else ():
            now = self.world.counted(place)
            if self._counts.get(place) != now:
                self._counts[place] = now
                found.append(TokensCounted(t=t, place=place, tokens=now, certainty="certain"))
        for component, _code in self.world.visible_codes() if self.world.tokens else ():
            if component in self.world.fields:
                found += self._counted_on(component, t)
        return found

    def _counted_on(self, component: str, t: float) -> Iterator[TokensCounted]:
        """Yields the count of the cubes on the field of a component, if it has changed."""
        now = self.world.counted(component) if self.world.is_field_in_view(component) else None
        if component not in self._counts or self._counts[component] != now:
            self._counts[component] = now
            yield (
                TokensCounted(t=t, place=component, tokens=None, certainty="unknown", why="covered")
                if now is None
                else TokensCounted(t=t, place=component, tokens=now, certainty="certain")
            )


def _comes_later(observation: Observation) -> int:
    """The rank of an observation among those of one frame: components that have left come before those that have
    appeared."""
    match observation:
        case CardGone():
            return 0
        case CardSeen(change="appeared"):
            return 2
    return 1
