"""What the eyes have found, as observations and as a picture.

Law: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import cv2
import numpy as np

from companion.tabletop.observations import CardGone, CardSeen, Observation, TokensCounted
from vision.cubes.cube_detection import CubeCount
from vision.geometry import Frame
from vision.tracking.tracker import Detection, Track, TrackEvent
from vision.tracking.watcher import Watcher


def of_event(event: TrackEvent) -> Observation:
    """What an event means to the companion: angles on the mat where one is in view."""
    if event.kind == "left":
        return CardGone(t=event.t, thing=event.id)
    angle = event.angle if event.mat_angle is None else event.mat_angle
    return CardSeen(
        t=event.t,
        thing=event.id,
        zone=event.zone,
        mm=event.mm,
        angle=angle,
        change=event.kind,
        found=event.was_initially_present,
    )


class Places:
    """Where things were told to lie. A mat that comes into view later, or is known better, tells it anew: no event, for
    nothing has moved."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[str | None, bool]] = {}

    def told_anew(self, t: float, tracks: Iterable[Track], events: Iterable[TrackEvent]) -> Iterator[CardSeen]:
        """The things whose place is another one now than was told, but for those of these events."""
        now = {track.reported.id: track.reported for track in tracks}
        known = self._told.keys() - {event.id for event in events}
        yield from (of_sighting(s, t) for name, s in now.items() if name in known and place(s) != self._told[name])
        self._told = {name: place(sighting) for name, sighting in now.items()}


def place(sighting: Detection) -> tuple[str | None, bool]:
    """The zone, and whether the place on the mat is known at all."""
    return sighting.zone, sighting.mm is not None


def of_sighting(s: Detection, t: float) -> CardSeen:
    """What has lain there all the time."""
    angle = s.angle if s.mat_angle is None else s.mat_angle
    return CardSeen(t=t, thing=s.id, zone=s.zone, mm=s.mm, angle=angle, change="appeared", found=True)


def of_count(count: CubeCount, t: float) -> TokensCounted:
    """What a count means to the companion."""
    return TokensCounted(t=t, place=count.area, tokens=count.cubes, certainty=count.certainty, why=count.reason)


def drawn(frame: Frame, watcher: Watcher) -> Frame:
    """A copy of the frame with the outline and the id of everything that is known."""
    picture = np.array(frame if frame.ndim == 3 else cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR), np.uint8)
    for name, track in watcher.tracker.tracks.items():
        corners = track.latest.code.corners.round().astype("int32")
        cv2.polylines(picture, [corners], True, (60, 200, 60), 2, cv2.LINE_AA)
        at = (int(corners[:, 0].min()), int(corners[:, 1].min()) - 6)
        cv2.putText(picture, name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (60, 200, 60), 2, cv2.LINE_AA)
    return picture
