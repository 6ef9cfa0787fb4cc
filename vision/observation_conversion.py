"""Converts track events and cube counts to observations.

Law: no I/O, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping

from companion.tabletop.observations import CardGone, CardHidden, CardInView, CardSeen, Observation, TokensCounted
from vision.cubes.cube_detection import CubeCount
from vision.tracking.tracker import Detection, Track, TrackEvent

MAX_REACH_SIDES = 6.0
"""No component reaches farther than this from the center of its code, in sides of the code."""


def event_to_observation(event: TrackEvent) -> Observation:
    """The observation that reports a track event. The angle of the observation is relative to the mat, or to the image
    if no mat is in view."""
    if event.kind == "left":
        return CardGone(t=event.t, code=event.id)
    angle = event.angle if event.mat_angle is None else event.mat_angle
    return CardSeen(
        t=event.t,
        code=event.id,
        zone=event.zone,
        mm=event.mm,
        angle=angle,
        change=event.kind,
        was_initially_present=event.was_initially_present,
    )


class ReportedPlaces:
    """The place of each component as it was last reported. When a mat comes into view, or when its pose is known more
    exactly, the computed place of a component changes although the component has not moved. In that case there is no
    track event, so `corrections` reports the new place."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[str | None, bool]] = {}

    def corrections(self, t: float, tracks: Iterable[Track], events: Iterable[TrackEvent]) -> Iterator[CardSeen]:
        """Yields a sighting of each component whose place differs from the place that was last reported. Leaves out
        components that have one of these `events`, because the event reports the new place."""
        now = {track.reported.id: track.reported for track in tracks}
        known = self._places.keys() - {event.id for event in events}
        yield from (
            detection_to_observation(detection, t)
            for name, detection in now.items()
            if name in known and place_of(detection) != self._places[name]
        )
        self._places = {name: place_of(detection) for name, detection in now.items()}


class CodesInView:
    """Reports each code that is still in view after another component has come to rest near it. Without this report,
    nobody would know whether that component covers the code, because a code that is not read counts as unmoved."""

    def __init__(self) -> None:
        self._maybe_covered: dict[str, float] = {}
        """The codes that have not been read since another component came to rest near them, and the time of that event
        in seconds."""

    def update(self, t: float, tracks: Mapping[str, Track], events: Iterable[TrackEvent]) -> Iterator[CardInView]:
        """Yields an observation for each code that was read after another component came to rest near it. `events`:
        the events of the frame taken at `t` seconds."""
        for event in events:
            if event.kind != "left":
                near = (name for name, track in tracks.items() if name != event.id and _is_near(track, event))
                self._maybe_covered.update(dict.fromkeys(near, event.t))
        for name, since in list(self._maybe_covered.items()):
            if name not in tracks or tracks[name].read_at >= since:
                del self._maybe_covered[name]
                if name in tracks:
                    yield CardInView(t=t, code=name)


class HiddenCodes:
    """Reports each code once when it is hidden, and once when it is in view again."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def update(
        self, t: float, hidden: Collection[str], visible: Collection[str], events: Iterable[TrackEvent]
    ) -> Iterator[CardHidden | CardInView]:
        """Yields the observations of the frame taken at `t` seconds. `hidden`: the codes that are hidden in it,
        `visible`: the codes in full view. A code in `events` needs no report here: it was read, or its component has
        left."""
        self._reported -= {event.id for event in events}
        for name in sorted(self._reported.intersection(visible)):
            yield CardInView(t=t, code=name)
        self._reported.difference_update(visible)
        for name in sorted({*hidden} - self._reported):
            yield CardHidden(t=t, code=name)
        self._reported.update(hidden)


def _is_near(track: Track, event: TrackEvent) -> bool:
    """Whether the component of `event` may reach the code of `track`."""
    return math.dist(track.latest.px, event.px) < MAX_REACH_SIDES * track.latest.code.side_px


def place_of(detection: Detection) -> tuple[str | None, bool]:
    """The zone of a component (None if it is in no zone), and whether its coordinates on the mat are known."""
    return detection.zone, detection.mm is not None


def detection_to_observation(detection: Detection, t: float) -> CardSeen:
    """A sighting at `t` seconds of a component that has not just arrived. It is marked as present from the start."""
    angle = detection.angle if detection.mat_angle is None else detection.mat_angle
    return CardSeen(
        t=t,
        code=detection.id,
        zone=detection.zone,
        mm=detection.mm,
        angle=angle,
        change="appeared",
        was_initially_present=True,
    )


def count_to_observation(count: CubeCount, t: float) -> TokensCounted:
    return TokensCounted(
        t=t,
        place=count.area,
        tokens=count.cubes,
        certainty=count.certainty,
        why=count.reason,
        possible_stacks=count.possible_stacks,
    )
