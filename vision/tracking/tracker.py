"""Codes over time -> what appeared, moved, turned or left.

Law: no I/O, no clock; times are the frames' own.

- One event for one change, told once the thing rests. A change of place and angle together is `moved`.
- What is not seen stays where it was for as long as its place does not show that it is gone.
- It leaves when its place is seen without it: at once when the picture is quiet; while something moves, which
  may be the thing on its way to another place, after at most `PATIENCE_S`.
- What is seen at another place has left its old one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from companion.tabletop.mat import Mat, Point
from vision.geometry import Code, Points

Kind = Literal["appeared", "moved", "turned", "left"]
Change = Literal["moved", "turned"]
Place = Literal["there", "hidden", "empty"]
"""What the place of a thing shows that was not read in this frame."""

MOVED_SIDES = 0.16
"""In sides of the code: 4 mm."""
SAME_PLACE_SIDES = 0.5
"""Two codes whose middles are so near can't both be seen."""
MOVED_MM = 6.0
"""On the mat, when the camera was knocked in between."""
TURNED_DEG = 7.0
WHOLE, COVERED_DEG = 0.48, 15.0
"""A code that was matched with less proof may be half under an arm: its angle is off by up to 10 degrees."""
PATIENCE_S = 0.9


@dataclass(frozen=True, eq=False)
class Sighting:
    """A known code at rest in this frame. `mm` and `mat_angle` are None without a mat in view."""

    code: Code
    mm: Point | None = None
    mat_angle: float | None = None
    zone: str | None = None

    @property
    def id(self) -> str:
        return self.code.id or ""

    @property
    def px(self) -> Points:
        return self.code.center

    @property
    def angle(self) -> float:
        return self.code.angle


@dataclass(frozen=True, kw_only=True)
class Event:
    """A change on the table. `px` and `mm` are of the code's middle, angles clockwise in degrees: `angle` of
    the top edge in the picture, `mat_angle` on the mat. `order` counts from 0 within the zone, in its own order."""

    t: float
    event: Kind
    id: str
    zone: str | None
    order: int
    mm: Point | None
    angle: float
    px: Point
    mat_angle: float | None = None
    found: bool = False
    """It lay there in the first picture."""


@dataclass(eq=False)
class Track:
    """A thing on the table: how it was told, how it was last read, and when."""

    told: Sighting
    last: Sighting
    since: float
    """When it came to where it was told."""
    empty_since: float | None = None
    lifted: bool = False
    """What it lay on was read since: it has been taken, and is away or on its way."""
    displaced: bool = False
    """The camera was knocked since it was told, so that only its place on the mat can be compared."""


class Tracker:
    """Keeps what lies on the table."""

    def __init__(self, other_side: Mapping[str, str] | None = None) -> None:
        self.tracks: dict[str, Track] = {}
        self._other_side = other_side or {}

    def see(
        self,
        t: float,
        sightings: Iterable[Sighting],
        place_of: Callable[[Track], Place],
        quiet: bool,
        mat: Mat | None = None,
    ) -> list[Event]:
        """The events of a frame: codes read at rest in it, and a judge of the places of all others."""
        seen = self._one_each(sightings)
        told = [change for sighting in seen.values() if (change := self._take(t, sighting))]
        turned_over = {self._other_side.get(name) for name in seen}
        self._mark_lifted(seen)
        for name, track in list(self.tracks.items()):
            # A thing shows one side at a time; else the side that came would pass for something that covers the other.
            if name not in seen and (name in turned_over or self._gone(track, t, place_of, quiet)):
                del self.tracks[name]
                told.append(("left", track.last))
        return [self._event(t, kind, sighting, mat) for kind, sighting in told]

    def _mark_lifted(self, seen: Mapping[str, Sighting]) -> None:
        """Marks what came to lie on a thing that is read now in the very place: nothing is read through a card."""
        if not seen:
            return
        for track in self.tracks.values():
            track.lifted = track.last.id not in seen and (
                track.lifted or any(self._lay_on(track, sighting) for sighting in seen.values())
            )

    def _lay_on(self, track: Track, below: Sighting) -> bool:
        earlier = self.tracks[below.id].since < track.since
        return earlier and math.dist(below.px, track.last.px) < SAME_PLACE_SIDES * below.code.side_px

    def repose(self, again: Callable[[Sighting], Sighting]) -> None:
        """The mat is better known: `again` tells a sighting's place on it anew. Nothing has moved."""
        for track in self.tracks.values():
            if not track.displaced:
                track.told, track.last = again(track.told), again(track.last)

    def displace(self) -> None:
        """The camera was knocked."""
        for track in self.tracks.values():
            track.displaced = True

    def _one_each(self, sightings: Iterable[Sighting]) -> dict[str, Sighting]:
        """A sighting for each id; of two prints of one code the one nearest to where it was."""
        best: dict[str, Sighting] = {}
        for sighting in sightings:
            rival = best.get(sighting.id)
            if rival is None or self._distance(sighting) < self._distance(rival):
                best[sighting.id] = sighting
        return best

    def _distance(self, sighting: Sighting) -> float:
        track = self.tracks.get(sighting.id)
        return float(np.linalg.norm(sighting.px - track.last.px)) if track else 0.0

    def _take(self, t: float, sighting: Sighting) -> tuple[Kind, Sighting] | None:
        track = self.tracks.get(sighting.id)
        if track is None:
            self.tracks[sighting.id] = Track(sighting, sighting, t)
            return "appeared", sighting
        change = (moved_on_mat if track.displaced else moved_in_picture)(track.told, sighting)
        if track.displaced and change is None:
            track.told = sighting
        track.last, track.empty_since, track.displaced = sighting, None, False
        if change is None:
            return None
        track.told, track.since = sighting, t
        return change, sighting

    @staticmethod
    def _gone(track: Track, t: float, place_of: Callable[[Track], Place], quiet: bool) -> bool:
        if not track.lifted and place_of(track) != "empty":
            track.empty_since = None
            return False
        if track.empty_since is None:
            track.empty_since = t
        return quiet or t - track.empty_since >= PATIENCE_S

    def _event(self, t: float, kind: Kind, s: Sighting, mat: Mat | None) -> Event:
        px = (float(s.px[0]), float(s.px[1]))
        order = self._order(s, mat)
        return Event(
            t=t,
            event=kind,
            id=s.id,
            zone=s.zone,
            order=order,
            mm=s.mm,
            angle=s.angle,
            px=px,
            mat_angle=s.mat_angle,
        )

    def _order(self, sighting: Sighting, mat: Mat | None) -> int:
        """How many things lie before it in its zone; in a pile, how many came later."""
        if mat is None or sighting.zone is None or sighting.mm is None:
            return 0
        ways, mm = {zone.name: zone.order for zone in mat.zones}, sighting.mm
        if (way := ways.get(sighting.zone)) is None:
            return 0  # it lay on another mat
        others = [o for o in self.tracks.values() if o.told.zone == sighting.zone and o.told.id != sighting.id]
        if way == "pile":
            mine = self.tracks.get(sighting.id)
            return sum(mine is not None and o.since > mine.since for o in others)
        axis = 0 if way == "right" else 1
        return sum(o.told.mm is not None and o.told.mm[axis] < mm[axis] for o in others)


def moved_in_picture(told: Sighting, now: Sighting) -> Change | None:
    """What has changed while the camera stood still: pixels are surer than a mat half hidden."""
    far = float(np.linalg.norm(told.px - now.px)) > MOVED_SIDES * now.code.side_px
    return kind(far, turn(told.angle, now.angle), least_turn(told, now))


def moved_on_mat(told: Sighting, now: Sighting) -> Change | None:
    """What has changed while the camera was knocked; nothing, as far as anyone can tell without a mat."""
    if not told.mm or not now.mm or told.mat_angle is None or now.mat_angle is None:
        return None
    far = float(np.linalg.norm(np.subtract(told.mm, now.mm))) > MOVED_MM
    return kind(far, turn(told.mat_angle, now.mat_angle), least_turn(told, now))


def least_turn(told: Sighting, now: Sighting) -> float:
    """By how much two angles must differ to be a turn, degrees."""
    return TURNED_DEG if min(told.code.confidence, now.code.confidence) >= WHOLE else COVERED_DEG


def kind(far: bool, turned: float, least: float) -> Change | None:
    """The contract's word for a change of place, or of the angle alone (degrees)."""
    return "moved" if far else "turned" if turned > least else None


def turn(a: float, b: float) -> float:
    """Between two angles, 0 to 180 degrees."""
    return abs((a - b + 180) % 360 - 180)
