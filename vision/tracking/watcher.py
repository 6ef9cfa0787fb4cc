"""Frames -> events: ties the cheap look at change, the decoder, the mat and the tracker together.

Law: no I/O, no clock. A frame costs the look at its cells, and reading only where a change has come to rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from companion.codes import payload
from companion.tabletop.mat import Mat
from vision.geometry import Code, Frame, Mask, Points, scale_about_center
from vision.tracking.calibration import Calibration, ReadRate
from vision.tracking.change_detection import ChangeDetector, ChangeMasks, FrameComparison
from vision.tracking.mat_registration import MatRegistration
from vision.tracking.occlusion import (
    MIN_CALM_S,
    MIN_FULL_VIEW_SHARE,
    Appearance,
    CellColors,
    ChangedRegions,
    border_cells,
    capture_appearance,
    cell_colors,
    cells_under,
    connected_regions,
    gray_patch,
    has_code_texture,
    is_visible,
    may_be_covered,
)
from vision.tracking.read_scheduler import ReadScheduler
from vision.tracking.tracker import Detection, PlaceState, Track, Tracker, TrackEvent
from vision.yuv import CameraImage, as_frame

KNOCKED = 0.6
"""If so much of the picture has changed, the camera or the lamp has moved."""
BARE = 0.6
DOUBT_S = 3.0
MAT_S = 15.0
"""Two rounds of the sweep at ten frames a second without a corner code, and the mat is no longer in view."""
RECENT_S = 2.0
FIRST_S = 3.0
"""So long it may take to read what lies there in the first picture."""
OPENING_S = 0.3
"""A mat that is seen first so long after the first picture says that the camera was not ready, such as out of focus."""
UNEXPLAINED_S = 3.0
"""A change that rests so long belongs to the table, such as a cup that was put there."""


@dataclass
class Doubt:
    """After a knock: how many codes were asked for again, which of them have not been read yet, and until when
    that is open. Then most of them decide at once; `lost` are the things that have to leave. What lay on another mat
    than the one in view now, `cleared`, has gone with it."""

    until: float = math.inf
    cleared: bool = False
    asked: int = 0
    unread: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)

    def dismiss(self, name: str) -> None:
        """It was read, or it has left."""
        self.unread.discard(name)
        self.lost.discard(name)

    def settle(self, t: float) -> None:
        """If most codes were read again, the others are gone; else something lies over them. It is over before its time
        when all were."""
        if t >= self.until or not self.unread:
            if self.cleared or 2 * len(self.unread) < self.asked:
                self.lost |= self.unread
            self.until, self.cleared, self.unread = math.inf, False, set()


class Watcher:
    """Follows one camera. `known` are the ids of things and mat corners; `foreign` is told each other text once;
    `other_side` names the code on the back of things that have two."""

    def __init__(
        self,
        known: frozenset[str],
        mats: Mapping[str, Mat],
        foreign: Callable[[str], None] = lambda text: None,
        other_side: Mapping[str, str] | None = None,
        saved_calibration: Calibration | None = None,
    ) -> None:
        self.registration = MatRegistration(mats)
        self.known = known | self.registration.ids
        self.tracker = Tracker(other_side)
        self.mat_in_view: str | None = None
        """The name of the mat whose corner codes were seen of late."""
        self._mat_at = -math.inf
        self._foreign, self._kept = foreign, saved_calibration
        self.read_rates: dict[str, ReadRate] = {}
        """How well each zone of the mat can be read."""
        self._strangers: set[str] = set()
        self._detector = ChangeDetector()
        self._memories: dict[str, Appearance] = {}
        self._hidden: dict[str, float] = {}
        self._unseen: dict[str, float] = {}
        self._doubt = Doubt()
        self._shape: tuple[int, ...] = ()
        self._began = 0.0
        self._reasons: list[tuple[float, Points, float]] = []
        self._scheduler = ReadScheduler(self.known)
        self._comparison = FrameComparison()
        self._at_peace = False
        self._colours: CellColors | None = None
        self.change: ChangeMasks | None = None
        """Of the last frame that was more than glanced at."""

    @property
    def decodes(self) -> int:
        """How many areas were looked into so far."""
        return self._scheduler.decodes

    def moved_at(self, outline: Points) -> float:
        """When something moved last within a convex outline in pixels; infinite while an arm may reach in over it."""
        if self.change is None:
            return math.inf
        under = cells_under(outline, self.change.changed.shape)
        labels = connected_regions(self.change.changed)
        reaching = (border_cells(labels == label) > 1 for label in np.unique(labels[under]) if label)
        return math.inf if any(reaching) else self._detector.last_motion(under)

    def codes(self) -> list[Code]:
        """What was read and still counts, things and the mat's corners, as it was seen last."""
        corners = self.registration.quads if self.mat_in_view else {}
        things = [track.latest.code for track in self.tracker.tracks.values()]
        return [*things, *(Code(name, payload(name), quad) for name, quad in corners.items())]

    def see(self, picture: CameraImage, t: float) -> list[TrackEvent]:
        """The events of one picture; t in seconds. While nothing is open, pictures that look the same get no more than
        a glance, but for those of the sweep."""
        frame = as_frame(picture)
        if self._at_peace and self._scheduler.can_skip_next() and self._comparison.is_unchanged(frame):
            self._scheduler.skip_frame()
            return []
        self._comparison.set_reference(frame)
        return self._look(picture, t)

    def _look(self, picture: CameraImage, t: float) -> list[TrackEvent]:
        """A picture in earnest."""
        frame = as_frame(picture)
        self._reasons = [reason for reason in self._reasons if t - reason[0] < RECENT_S]
        if frame.shape[:2] != self._shape:
            self._doubt_all(t)
            self._forget_pixels(frame.shape[:2])
            self._began = t
        change = self._detector.update(frame, t)
        if self._knocked(change):
            self._start_anew(t)
        codes = self._scheduler.read(frame, change)
        self._tally()
        self._meet(codes)
        rested = [code for code in codes if self._at_rest(code, change)]
        self._look_for_mat([code for code in rested if code.id in self.registration.ids], t)
        for code in rested:
            self._doubt.dismiss(code.id or "")
        self._doubt.settle(t)
        events = self._follow(
            picture, t, change, [self._sighting(c) for c in rested if c.id not in self.registration.ids]
        )
        self._explain(picture, change, rested)
        self._rest(picture, self._nothing_open(change))
        self.change = change
        return events

    def _rest(self, picture: CameraImage, at_peace: bool) -> None:
        """Remembers the colours of the table as it lies in peace: over hours they go with the sun."""
        if at_peace:
            self._colours = cell_colors(picture)
        self._at_peace = at_peace

    def _nothing_open(self, change: ChangeMasks) -> bool:
        """Whether there is nothing that time would settle: no change, no doubt, nothing to be read."""
        waits = self._hidden or self._unseen or self._doubt.until < math.inf or self._doubt.lost
        return not waits and not change.changed.any() and bool(change.calm.all()) and self._scheduler.is_idle()

    def _look_for_mat(self, corners: list[Code], t: float) -> None:
        before = self.registration.game
        match self.registration.update({code.id: code.corners for code in corners if code.id}):
            case "refined":
                if self._mat_at < self._began < t - OPENING_S:
                    self._start_anew(t)
                    self._began = t
                self.tracker.relocate(lambda sighting: self._sighting(sighting.code))
            case "moved":
                self.read_rates = {}
                self.tracker.mark_camera_moved()
                self._start_anew(t)
                self._doubt.cleared |= before not in (None, self.registration.game)
        if corners:
            self._mat_at = t
        mat = self.registration.mat
        self.mat_in_view = mat.name if mat and t - self._mat_at < MAT_S else None

    # What it means

    def _at_rest(self, code: Code, change: ChangeMasks) -> bool:
        under = cells_under(code.corners, change.calm.shape)
        return bool((change.calm_seconds[under] >= MIN_CALM_S).all())

    def _sighting(self, code: Code) -> Detection:
        mm = self.registration.locate(code.center)
        angle = self.registration.pose.angle_of(code.corners) if self.registration.pose and mm else None
        return Detection(code, mm, angle, self.registration.zone_at(mm))

    def _meet(self, codes: list[Code]) -> None:
        """Says once of every foreign code that it is ignored, and forgets about it."""
        for code in codes:
            if code.id is None and code.text not in self._strangers and len(self._strangers) < 1000:
                self._strangers.add(code.text)
                self._foreign(code.text)
        codes[:] = [code for code in codes if code.id]

    def _follow(
        self, picture: CameraImage, t: float, change: ChangeMasks, sightings: list[Detection]
    ) -> list[TrackEvent]:
        frame = as_frame(picture)
        before = {name: (track.latest.px, track.latest.code.side_px) for name, track in self.tracker.tracks.items()}
        hidden = [before[name] for name in self._hidden if name in before]
        recent = [(middle, side) for _, middle, side in self._reasons]
        scene = ChangedRegions(change, hidden, recent, picture, self._colours)
        for s in sightings:
            self._hidden.pop(s.id, None)
            self._unseen.pop(s.id, None)
            self._memories[s.id] = self._remember(frame, s)

        def place_of(track: Track) -> PlaceState:
            return self._place(track, frame, t, scene)

        events = self.tracker.update(t, sightings, place_of, change.is_quiet, self.registration.mat)
        for event in events:
            self._note(event, t, before)
        return [replace(event, was_initially_present=self._found(event)) for event in events]

    def _found(self, event: TrackEvent) -> bool:
        """Whether nobody saw it come: it is among the first that is read, and its place looks as in the first
        picture."""
        memory = self._memories.get(event.id)
        return memory is not None and memory.background is None and event.t - self._began < FIRST_S

    def _remember(self, frame: Frame, s: Detection) -> Appearance:
        """What a thing looks like, and what lay at its place before it came there."""
        was = self._memories.get(s.id)
        under = cells_under(s.code.corners, self._detector.features.shape[1:])
        stays = was is not None and was.cells.shape == under.shape and bool((was.cells == under).all())
        beneath = was.background if was and stays else self._detector.background_if_changed(under)
        return capture_appearance(frame, s.code.corners, under, beneath)

    def _note(self, event: TrackEvent, t: float, before: Mapping[str, tuple[Points, float]]) -> None:
        """Remembers where something came or went: that explains changes around it."""
        if event.id in before:
            self._reasons.append((t, *before[event.id]))
        track = self.tracker.tracks.get(event.id)
        if track is None:
            self._hidden.pop(event.id, None)
            self._unseen.pop(event.id, None)
            self._memories.pop(event.id, None)
            self._doubt.dismiss(event.id)
        else:
            self._reasons.append((t, track.latest.px, track.latest.code.side_px))

    def _place(self, track: Track, frame: Frame, t: float, scene: ChangedRegions) -> PlaceState:
        """What the place of a thing shows that was not read in this frame."""
        name = track.latest.id
        if name in self._doubt.lost:
            return "vacated"
        memory = self._memories.get(name)
        if name in self._doubt.unread or memory is None:
            return "occluded"
        if not scene.any_changed or scene.share_changed(memory.cells) < 0.25:
            self._hidden.pop(name, None)
            if name in self._unseen and is_visible(memory, gray_patch(frame, memory.box), MIN_FULL_VIEW_SHARE):
                del self._unseen[name]
            return "present"
        self._hidden.setdefault(name, t)
        since = self._unseen.setdefault(name, t)
        if not scene.masks.calm[memory.cells].all():
            return "occluded"
        patch = gray_patch(frame, memory.box)
        if is_visible(memory, patch):
            self._hidden.pop(name, None)
            return "present"
        # What was read at rest while this was in full view lies beside it: only later ones may lie on top.
        newcomers = [o.latest.px for o in self.tracker.tracks.values() if o is not track and o.arrived_at > since]
        if has_code_texture(memory, patch) or may_be_covered(track.latest.px, track.latest.code.side_px, newcomers):
            return "occluded"
        if not self._detector.has_usual_lighting(memory.cells):
            return "occluded"
        return (
            "vacated" if scene.is_vacated(memory.cells, track.latest.code.side_px, self._bare(memory)) else "occluded"
        )

    def _bare(self, memory: Appearance) -> bool | None:
        """Whether a place looks as before the thing came; None if that was not seen."""
        if memory.background is None:
            return None
        return self._detector.share_showing(memory.cells, memory.background) > BARE

    def _explain(self, picture: CameraImage, change: ChangeMasks, rested: list[Code]) -> None:
        """Takes into the base what has been understood."""
        for code in rested:
            self._detector.add_to_background(cells_under(scale_about_center(code.corners, 1.3), change.calm.shape))
        if not change.changed.any():
            return
        scene = ChangedRegions(change, [], [(middle, side) for _, middle, side in self._reasons], picture)
        labels = scene.labels
        closed = set(np.unique(labels[self._under_hidden(change)]).tolist())
        for label in range(1, int(labels.max()) + 1):
            mine = labels == label
            if label not in closed and self._understood(mine, change, scene):
                self._detector.add_to_background(mine)

    def _under_hidden(self, change: ChangeMasks) -> Mask:
        mask = np.zeros(change.calm.shape, bool)
        for name in self._hidden:
            mask |= cells_under(self.tracker.tracks[name].latest.code.corners, mask.shape)
        return mask

    @staticmethod
    def _understood(mine: Mask, change: ChangeMasks, scene: ChangedRegions) -> bool:
        rest = float(change.calm_seconds[mine].min())
        return rest >= UNEXPLAINED_S or (rest >= MIN_CALM_S and scene.is_explained(mine))

    # When everything changes at once

    def _knocked(self, change: ChangeMasks) -> bool:
        return bool((change.changed & change.calm).mean() > KNOCKED)

    def _start_anew(self, t: float) -> None:
        """Reads everything again; what is not found again has left, if most things are found."""
        self._detector.add_to_background(np.ones(self._detector.features.shape[1:], bool))
        self._scheduler.reset(self._detector.features.shape[1:])
        self._doubt_all(t)

    def _doubt_all(self, t: float) -> None:
        """The mat's corners have a say, so that a single card that went is missed."""
        corners = self.registration.mat.corners if self.registration.mat else ()
        names = {*self.tracker.tracks, *(corner.id for corner in corners)}
        self._doubt = Doubt(t + DOUBT_S, self._doubt.cleared, len(names), names)
        self._hidden.clear()

    def _forget_pixels(self, shape: tuple[int, ...]) -> None:
        """The picture has another size: only places on the mat can be compared."""
        self._shape = shape
        self._detector = ChangeDetector()
        self._memories.clear()
        self._reasons.clear()
        self.registration.reset()
        self.tracker.mark_camera_moved()
        self.registration.size = (shape[1], shape[0])
        if self._kept is not None:
            self._recall(self._kept)
            self._kept = None

    # What is kept over restarts

    def _recall(self, kept: Calibration) -> None:
        """Begins with what was known of this camera; another size of picture says that it is another one."""
        if kept.size != self.registration.size:
            return
        self._detector, self._scheduler = ChangeDetector(kept.noise), ReadScheduler(self.known, kept.module_size)
        self.registration.expect(kept.game, kept.corners)
        self.read_rates = dict(kept.read_rates)

    def calibration(self) -> Calibration | None:
        """What is worth keeping; None as long as the mat's corners and the size of codes are not sure."""
        noise, scale, pose = self._detector.noise, self._scheduler.module_size, self.registration.pose
        if (
            not self.mat_in_view
            or pose is None
            or len(pose.corners) < 4
            or noise is None
            or not (scale and scale.is_reliable)
        ):
            return None
        return Calibration(
            self.registration.size or (0, 0),
            self.registration.game or "",
            self.registration.quads,
            scale,
            noise,
            self.read_rates,
        )

    def _tally(self) -> None:
        """Takes in what the sweep found of what lies in each zone."""
        for place, read in self._scheduler.sweep_results:
            zone = self.registration.zone_at(self.registration.locate(np.array(place)))
            if zone is not None and self.mat_in_view:
                self.read_rates[zone] = self.read_rates.get(zone, ReadRate()).with_attempt(read)
