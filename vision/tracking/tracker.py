"""Tracks components by their codes and reports when one appeared, moved, turned or left.

- Each change gives one event, which is reported when the component has come to rest. A change of both place and angle
  is `moved`.
- A component whose code is not read is assumed to be where it was, until its place shows that it is gone.
- A component has left when its place is seen without it. The event is reported at once while nothing moves. Otherwise
  it is reported after at most `MAX_LEAVE_DELAY_S`, because the component may be on its way to another place.
- A component that is read at another place has left its old place.

Law: no I/O, no clock; times come from the frames.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from companion.tabletop.mat import Mat, Point
from vision.decoded_codes import Code
from vision.geometry import Points
from vision.tracking.common_motion import Similarity, common_motion, moved

EventKind = Literal["appeared", "moved", "turned", "left"]
Motion = Literal["moved", "turned"]
EVENT_ORDER: tuple[EventKind, ...] = ("left", "moved", "turned", "appeared")
"""The order of the events of one frame. A component that leaves or moves may uncover another one. The event of the
uncovered component comes later, so that this component is not mistaken for one that somebody put on top."""
Presence = Literal["present", "occluded", "vacated", "unclear"]
"""The state of a component whose code is not read, judged by its place: still there, hidden, or gone. It is unclear if
the frame does not show it, but nothing has moved at the place since it was found empty."""

MIN_MOVE_SIDES = 0.16
"""A component has moved if the center of its code shifts by more than this, in sides of the code (4 mm for a code of 25
mm)."""
MIN_MOVE_MM = 6.0
"""After the camera was moved, a component has moved if the center of its code has shifted by more than this on the
mat."""
MAX_SAME_PLACE_SIDES = 0.5
"""Two codes whose centers are closer than this, in sides of the code, can't both be visible."""
MIN_TURN_DEG = 7.0
"""A component has turned if the angle of its code changes by more than this."""
MIN_EXACT_CONFIDENCE = 0.198
"""A code that was matched with less confidence may be half covered, and its angle may be off by up to 10 degrees."""
MIN_COVERED_TURN_DEG = 15.0
"""If the code was matched with less than MIN_EXACT_CONFIDENCE, its angle has to change by more than this to be a
turn."""
MAX_LEAVE_DELAY_S = 0.9
"""While something moves, the report that a component has left is delayed by at most this many seconds. Time in which
the camera is out of focus does not count."""
MAX_INTERRUPTION_S = 0.5
"""A place that was found empty still counts as empty if it can't be judged for up to this many seconds, for example
because the edge of a shadow passes over it."""


@dataclass(frozen=True, eq=False)
class Detection:
    """A known code at rest in a frame. `mm` is the center of the code on the mat, and `zone` the name of the zone
    around it. `mat_angle` is the direction of the code's top edge on the mat, in degrees clockwise. All three are None
    if the code's place on the mat is unknown; `zone` is also None outside all zones."""

    code: Code
    mm: Point | None = None
    mat_angle: float | None = None
    zone: str | None = None

    @property
    def id(self) -> str:
        return self.code.id or ""

    @property
    def px(self) -> Points:
        """The center of the code in pixels."""
        return self.code.center

    @property
    def angle(self) -> float:
        """The direction of the code's top edge in the image: from -180 to 180 degrees, clockwise. At 0 degrees the edge
        points to the right."""
        return self.code.angle

    def moved(self, motion: Similarity) -> Detection:
        """The detection after `motion`, a motion of the whole image."""
        code = self.code
        return replace(self, code=Code(code.id, code.text, moved(code.corners, motion), code.confidence))


@dataclass(frozen=True, kw_only=True)
class TrackEvent:
    """An event on the table: a component appeared, moved, turned or left.

    `t` is in seconds. `px` and `mm` are the center of the code in the image and on the mat. `angle` and `mat_angle` are
    the direction of the code's top edge in the image and on the mat, in degrees clockwise. `order` is how many
    components come before this one in the zone. `was_initially_present` means that the component was there from the
    start, so nobody saw it come.
    """

    t: float
    kind: EventKind
    id: str
    zone: str | None
    order: int
    mm: Point | None
    angle: float
    px: Point
    mat_angle: float | None = None
    was_initially_present: bool = False


@dataclass(eq=False)
class Track:
    """A component on the table.

    `reported` is the detection that was reported in the component's last event, and `arrived_at` the time when the
    component came to its place. `latest` is the most recent detection, and `read_at` its time. `vacated_since` is the
    time at which the component's place was first seen without the component; None if the place does not look empty.
    `vacated_at` is the last time at which it was seen without the component.
    `is_lifted`: the component is in a hand or on its way to another place, because the code beneath it has been read
    more recently than its own. `camera_moved`: the camera was moved after `latest`, so new detections can be compared
    with `latest` only by their places on the mat, not by pixels.
    """

    reported: Detection
    latest: Detection
    arrived_at: float
    read_at: float
    vacated_since: float | None = None
    vacated_at: float = -math.inf
    is_lifted: bool = False
    camera_moved: bool = False


class Tracker:
    """Tracks the components on the table. `other_side` maps the code on each side of a two-sided component to the code
    on its other side."""

    def __init__(self, other_side: Mapping[str, str] | None = None) -> None:
        self.tracks: dict[str, Track] = {}
        self._other_side = other_side or {}

    def update(
        self,
        t: float,
        detections: Iterable[Detection],
        presence_of: Callable[[Track], Presence],
        is_quiet: bool,
        mat: Mat | None = None,
    ) -> list[TrackEvent]:
        """Updates the tracks with the `detections` in a frame taken at `t` seconds, and returns the events.

        `presence_of` judges the place of a component whose code was not read. `is_quiet`: whether nothing as large as a
        card is moving or still to be read. `mat` is the mat in view.
        """
        visible = self._one_per_id(detections)
        changes = [change for detection in visible.values() if (change := self._update_track(t, detection))]
        turned_over = {self._other_side.get(name) for name in visible}
        self._mark_lifted(visible)
        # Those on top come first: what lies below is judged without them if they have left.
        for name, track in sorted(self.tracks.items(), key=lambda each: each[1].arrived_at, reverse=True):
            # If the other side is visible, this side is gone. Otherwise the new side would seem to cover the old one.
            if name not in visible and (name in turned_over or self._has_left(track, t, presence_of, is_quiet)):
                del self.tracks[name]
                changes.append(("left", track.latest))
        changes.sort(key=lambda change: EVENT_ORDER.index(change[0]))
        return [self._event(t, kind, detection, mat) for kind, detection in changes]

    def _mark_lifted(self, visible: Mapping[str, Detection]) -> None:
        """Marks components as lifted: if the code beneath a component is in `visible`, the component no longer lies
        there, because a code can't be read through a card."""
        if not visible:
            return
        for track in self.tracks.values():
            track.is_lifted = track.latest.id not in visible and (
                track.is_lifted or any(self._is_on_top_of(track, detection) for detection in visible.values())
            )

    def _is_on_top_of(self, track: Track, beneath: Detection) -> bool:
        """Whether the component of `track` came to the same place as `beneath`, but later. In that case it lies on top
        of `beneath`, unless it was lifted."""
        was_there_before = self.tracks[beneath.id].arrived_at < track.arrived_at
        return was_there_before and (
            math.dist(beneath.px, track.latest.px) < MAX_SAME_PLACE_SIDES * beneath.code.side_px
        )

    def relocate(self, locate: Callable[[Detection], Detection]) -> None:
        """Computes the place of each track on the mat again, with `locate`. Called when the pose of the mat has become
        more exact, though no component has moved."""
        for track in self.tracks.values():
            if not track.camera_moved:
                track.reported, track.latest = locate(track.reported), locate(track.latest)

    def mark_camera_moved(self) -> None:
        """Records for every track that the camera was moved. Until the code of a track is read again, its old pixel
        coordinates are not compared with new ones."""
        for track in self.tracks.values():
            track.camera_moved = True

    def compensate_camera(self, detections: Iterable[Detection]) -> bool:
        """Detects whether the camera was moved: then most components seem to have moved in the same way. If so, shifts
        the pixel coordinates of all tracks by this common motion. Returns whether the camera was moved."""
        visible = self._one_per_id(detections)
        pairs = [(self.tracks[name], now) for name, now in visible.items() if name in self.tracks]
        if not any(motion_in_image(track.reported, now) for track, now in pairs):
            return False
        before, after = [track.reported.px for track, _ in pairs], [now.px for _, now in pairs]
        side_px = float(np.mean([now.code.side_px for _, now in pairs]))
        motion = common_motion(before, after, side_px, len(self.tracks))
        if motion is None:
            return False
        for track in self.tracks.values():
            track.reported, track.latest = (track.reported.moved(motion), track.latest.moved(motion))
        return True

    def mark_read(self, names: Iterable[str], t: float) -> None:
        """Records that the codes with the ids `names` were read at `t` seconds, where they were before."""
        for name in self.tracks.keys() & set(names):
            self.tracks[name].read_at = t

    def extend_waiting(self, seconds: float) -> None:
        """Extends the waiting for components whose places look empty by `seconds`, in which nothing could be seen. They
        may have been put down elsewhere in this time."""
        for track in self.tracks.values():
            if track.vacated_since is not None:
                track.vacated_since += seconds
                track.vacated_at += seconds

    def _one_per_id(self, detections: Iterable[Detection]) -> dict[str, Detection]:
        """One detection of each code, by id. If several prints of a code are detected, the print nearest to where the
        code was last read is kept."""
        best: dict[str, Detection] = {}
        for detection in detections:
            rival = best.get(detection.id)
            if rival is None or self._distance_px(detection) < self._distance_px(rival):
                best[detection.id] = detection
        return best

    def _distance_px(self, detection: Detection) -> float:
        """How far a detection is from the place where the same code was last read, in pixels; 0 for a new code."""
        track = self.tracks.get(detection.id)
        return float(np.linalg.norm(detection.px - track.latest.px)) if track else 0.0

    def _update_track(self, t: float, detection: Detection) -> tuple[EventKind, Detection] | None:
        """Updates the track of a code that was read, or starts a new track. Returns the kind of event with the
        detection, or None for no change."""
        track = self.tracks.get(detection.id)
        if track is None:
            self.tracks[detection.id] = Track(detection, detection, t, t)
            return "appeared", detection
        motion = (motion_on_mat if track.camera_moved else motion_in_image)(track.reported, detection)
        if track.camera_moved and motion is None:
            track.reported = detection
        track.latest, track.read_at, track.vacated_since, track.camera_moved = detection, t, None, False
        if motion is None:
            return None
        track.reported = detection
        if motion == "moved":  # a component that turns in place does not come to lie on others
            track.arrived_at = t
        return motion, detection

    @staticmethod
    def _has_left(track: Track, t: float, presence_of: Callable[[Track], Presence], is_quiet: bool) -> bool:
        """Whether a component whose code can't be read has left. It has if its place is empty or the component was
        lifted, and if nothing is moving any more or MAX_LEAVE_DELAY_S has passed."""
        presence = "vacated" if track.is_lifted else presence_of(track)
        if presence == "unclear" or (presence == "occluded" and t - track.vacated_at <= MAX_INTERRUPTION_S):
            return False
        if presence != "vacated":
            track.vacated_since = None
            return False
        track.vacated_at = t
        if track.vacated_since is None:
            track.vacated_since = t
        return is_quiet or t - track.vacated_since >= MAX_LEAVE_DELAY_S

    def _event(self, t: float, kind: EventKind, detection: Detection, mat: Mat | None) -> TrackEvent:
        return TrackEvent(
            t=t,
            kind=kind,
            id=detection.id,
            zone=detection.zone,
            order=self._order(detection, mat),
            mm=detection.mm,
            angle=detection.angle,
            px=(float(detection.px[0]), float(detection.px[1])),
            mat_angle=detection.mat_angle,
        )

    def _order(self, detection: Detection, mat: Mat | None) -> int:
        """The number of components that come before this one in its zone. In a pile, these are the components that came
        later."""
        if mat is None or detection.zone is None or detection.mm is None:
            return 0
        orders, mm = {zone.name: zone.order for zone in mat.zones}, detection.mm
        if (order := orders.get(detection.zone)) is None:
            return 0  # the zone is on another mat
        others = [
            o for o in self.tracks.values() if o.reported.zone == detection.zone and o.reported.id != detection.id
        ]
        if order == "pile":
            track = self.tracks.get(detection.id)
            return sum(track is not None and o.arrived_at > track.arrived_at for o in others)
        axis = 0 if order == "right" else 1
        return sum(o.reported.mm is not None and o.reported.mm[axis] < mm[axis] for o in others)


def motion_in_image(before: Detection, now: Detection) -> Motion | None:
    """How a component moved between two detections, judged by the pixels of its code. None if the component did not
    move. The result is right only while the camera stands still. While a part of the mat is covered, it is more exact
    than that of `motion_on_mat`, because the pose of the mat is then less certain."""
    has_moved = float(np.linalg.norm(before.px - now.px)) > MIN_MOVE_SIDES * now.code.side_px
    return classify_motion(has_moved, angle_between(before.angle, now.angle), min_turn_deg(before, now))


def motion_on_mat(before: Detection, now: Detection) -> Motion | None:
    """How a component moved between two detections, judged by where its code was on the mat. None if the component did
    not move, or if a detection has no coordinates on the mat. Unlike `motion_in_image`, the result is right even if the
    camera was moved between the detections."""
    if not before.mm or not now.mm or before.mat_angle is None or now.mat_angle is None:
        return None
    has_moved = float(np.linalg.norm(np.subtract(before.mm, now.mm))) > MIN_MOVE_MM
    return classify_motion(has_moved, angle_between(before.mat_angle, now.mat_angle), min_turn_deg(before, now))


def min_turn_deg(before: Detection, now: Detection) -> float:
    """The smallest difference between the angles of two detections that counts as a turn, in degrees."""
    exact = min(before.code.confidence, now.code.confidence) >= MIN_EXACT_CONFIDENCE
    return MIN_TURN_DEG if exact else MIN_COVERED_TURN_DEG


def classify_motion(has_moved: bool, turn_deg: float, min_deg: float) -> Motion | None:
    """`moved` if the place changed, `turned` if only the angle changed by more than `min_deg`, None otherwise."""
    return "moved" if has_moved else "turned" if turn_deg > min_deg else None


def angle_between(a: float, b: float) -> float:
    """The angle between two directions, from 0 to 180 degrees."""
    return abs((a - b + 180) % 360 - 180)
