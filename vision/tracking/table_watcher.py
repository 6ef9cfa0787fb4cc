"""Watches the table: turns one camera's frames into events by change detection, reading, mat registration and tracking.

Law: no I/O, no clock; times come from the frames. Each frame is compared with earlier ones cell by cell. Codes are read
only where a change has come to rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import cv2
import numpy as np

from companion.component_qr_codes import payload
from companion.tabletop.mat import Mat
from vision.decoded_codes import Code
from vision.decoding.module_size_field import fit_module_size
from vision.geometry import CellGrid, Frame, Points, scale_about_centroid
from vision.tracking.camera_calibration import Calibration, ReadRate
from vision.tracking.cell_colors import CellColors, cell_colors, have_same_hue
from vision.tracking.change_detection import ChangeDetector, ChangeMasks, FrameComparison, SameHue, holds_card
from vision.tracking.changed_regions import (
    MIN_BORDER_CELLS,
    MIN_CALM_S,
    ChangedRegions,
    PlacedCode,
    border_cells,
    cells_under,
    connected_regions,
)
from vision.tracking.focus_loss import FocusMonitor
from vision.tracking.foreign_codes import ForeignCodes
from vision.tracking.image_stabilization import Stabilizer, shift_rows
from vision.tracking.mat_registration import MatRegistration
from vision.tracking.presence import Evidence, PresenceMonitor
from vision.tracking.read_scheduler import ReadScheduler, resting_cells
from vision.tracking.recent_motion import RecentMotion
from vision.tracking.recheck_after_camera_move import Recheck
from vision.tracking.reduced_image import cell_features, reduce
from vision.tracking.tracker import Detection, Presence, Track, Tracker, TrackEvent
from vision.tracking.usual_colors import UsualColors
from vision.yuv import CameraImage, as_frame, to_gray

MIN_SCENE_CHANGE_SHARE = 0.6
"""If more than this share of the cells has changed and is calm, the camera or the lamp was moved."""
MAT_TIMEOUT_S = 15.0
"""If no corner code has been read for this long, the mat is no longer in view. In this time the sweep covers the image
twice at ten frames a second."""
INITIAL_READ_S = 3.0
"""A component that is read within this time after the first frame may have been there from the start."""
MAX_MAT_DELAY_S = 0.3
"""A mat that is first seen later than this many seconds after the first frame was absent or unclear in the first frame:
it has only just been put down, or the camera was not ready, for example out of focus."""
MIN_NEW_MAT_SHARE = 0.3
"""A mat was absent or unclear in the first frame if more than this share of its cells has changed by the time it is
first seen."""
CODE_SURROUNDINGS_SIDES = 1.3
"""Side of the square around a code that becomes part of the background when the code is read, in sides of the code."""


class TableWatcher:
    """Turns the images of one camera into events.

    `known_ids` are the ids of components and mat corners, `mats` the mats by game. `on_foreign_code` is called with the
    text of each foreign code, once for each text. `other_side` maps the code on each side of a two-sided component to
    the code on its other side. `reaches`: how far components reach from the centers of their codes, in sides of
    their codes (see `known_codes.code_reaches`). `saved_calibration` is what an earlier watcher learned about the
    camera.
    """

    def __init__(
        self,
        known_ids: frozenset[str],
        mats: Mapping[str, Mat],
        on_foreign_code: Callable[[str], None] = lambda text: None,
        other_side: Mapping[str, str] | None = None,
        saved_calibration: Calibration | None = None,
        reaches: Mapping[str, float] | None = None,
    ) -> None:
        self.registration = MatRegistration(mats)
        self.known_ids = known_ids | self.registration.ids
        self.tracker = Tracker(other_side)
        self.mat_in_view: str | None = None
        """The name of the mat whose corner codes were seen recently."""
        self.read_rates: dict[str, ReadRate] = {}
        """For each zone, how reliably its codes are read."""
        self.change_masks: ChangeMasks | None = None
        """The change masks of the last frame that was not skipped."""
        self._mat_seen_at = -math.inf
        self._saved_calibration = saved_calibration
        self._foreign_codes = ForeignCodes(on_foreign_code)
        self._detector = ChangeDetector()
        self._presence = PresenceMonitor(reaches or {})
        self._recheck = Recheck()
        self._image_shape: tuple[int, ...] = ()
        self._started_at = self._t = 0.0
        self._recent_motion = RecentMotion()
        self._scheduler = ReadScheduler(self.known_ids)
        self._comparison = FrameComparison()
        self._stabilizer = Stabilizer()
        self._focus = FocusMonitor()
        self.is_at_rest = False
        """Whether the watcher has nothing left to find out: as long as the image stays the same, there will be no
        event."""
        self.is_still = False
        """Whether nothing moves in the last frame, no hand is in it, and nothing is still to be read. Components may
        be out of sight, for example in a pile."""
        self._usual_colors = UsualColors()
        self._last_colors: CellColors | None = None
        """The colors of the cells in the last frame. None if they were not needed there."""

    @property
    def decodes(self) -> int:
        """The number of image areas that have been searched for codes so far."""
        return self._scheduler.decodes

    @property
    def shake_px(self) -> float:
        """How far the camera moved in the last frames: the root mean square in pixels."""
        return self._stabilizer.shake_px

    def last_motion_in(self, outline: Points) -> float:
        """When something last moved inside the convex `outline` (pixels): the time of that frame in seconds. Infinite
        before the first frame, and while an arm may reach across the outline."""
        if self.change_masks is None:
            return math.inf
        changed = self.change_masks.changed
        cells, labels = cells_under(outline, changed.shape), connected_regions(changed)
        arms = (border_cells(labels == label) >= MIN_BORDER_CELLS for label in np.unique(labels[cells]) if label)
        return math.inf if any(arms) else self._detector.last_motion(cells)

    @property
    def has_read_mat(self) -> bool:
        """Whether the mat is in view and nothing on it is still to be read."""
        mat, pose, masks = self.registration.mat, self.registration.pose, self.change_masks
        if self.mat_in_view is None or mat is None or pose is None or masks is None:
            return False
        (width, height), to_px = mat.size, np.linalg.inv(pose.to_mm)
        edges = np.array([[(0, 0), (width, 0), (width, height), (0, height)]], float)
        outline = cv2.perspectiveTransform(edges, to_px)[0]
        return self._scheduler.is_idle(cells_under(np.asarray(outline, float), masks.calm.shape))

    def current_codes(self) -> list[Code]:
        """The codes of the components on the table and of the mat in view, where they were last read."""
        corners = self.registration.read_quads if self.mat_in_view else {}
        on_table = [track.latest.code for track in self.tracker.tracks.values()]
        return [*on_table, *(Code(name, payload(name), quad) for name, quad in corners.items())]

    def visible_tracks(self) -> dict[str, Track]:
        """The tracks of the components whose codes are in full view, by code."""
        hidden = {*self._presence.occluded_since, *self._presence.covered_since}
        return {code: track for code, track in self.tracker.tracks.items() if code not in hidden}

    def hidden_codes(self, t: float) -> set[str]:
        """The codes of the components that are hidden at `t` seconds (see `PresenceMonitor.hidden`)."""
        return self._presence.hidden(t)

    def process(self, image: CameraImage, t: float) -> list[TrackEvent]:
        """Processes `image`, taken at `t` seconds, and returns its events. While the table is at rest, no changes are
        searched for in an image that looks like the previous one. But every few frames the sweep searches a tile of the
        image for codes, and now and then such an image is searched for changes all the same."""
        frame = as_frame(image)
        elapsed, self._t = t - self._t, t
        must_detect = not self.is_at_rest or self._scheduler.must_detect_changes_next()
        if not must_detect and self._comparison.is_unchanged(frame):
            self._focus.sharp_at = t
            self._stabilizer.note_still_frame()
            if self._scheduler.can_skip_next():
                self._scheduler.skip_frame()
            else:
                self._sweep_unchanged(frame, t)
            return []
        events = self._process_changes(image, t, elapsed)
        if self.is_at_rest:
            self._comparison.set_reference(frame)
        return events

    def _sweep_unchanged(self, frame: Frame, t: float) -> None:
        """Searches a tile of a frame that looks like the previous one. If a code there is new or has moved all the
        same, the table is no longer at rest, so the next frame is searched for changes."""
        corners = self.registration.read_quads.keys() if self.mat_in_view else set[str]()
        codes = self._scheduler.sweep_unchanged(frame, {*self.tracker.tracks, *corners})
        self._note_codes(codes)
        self.is_at_rest = self._scheduler.is_idle()
        if self.is_at_rest:
            read = {code.id for code in codes if code.id}
            self.tracker.mark_read(read, t)
            self._mat_seen_at = t if read & corners else self._mat_seen_at

    def _process_changes(self, image: CameraImage, t: float, elapsed: float) -> list[TrackEvent]:
        """Processes an image that is not skipped, and returns its events. `elapsed`: the time since the image before,
        in seconds."""
        frame = as_frame(image)
        self.is_still = False
        self._recent_motion.forget_old(t)
        if frame.shape[:2] != self._image_shape:
            self._start_recheck(t)
            self._reset_image(frame.shape[:2])
            self._started_at = t
        if self._stabilizer.is_active:  # then all of it is likely to be needed in gray
            frame = to_gray(image)
        reduced = reduce(frame)
        features = cell_features(reduced)
        if self._focus.is_lost((reduced, features), self._detector.usual_view, t):
            self.tracker.extend_waiting(elapsed)
            return []
        shifts = self._stabilizer.motion(reduced)
        if shifts is not None:
            frame = shift_rows(to_gray(frame), shifts)
            reduced = reduce(frame)
            features = cell_features(reduced)
        last_colors, self._last_colors = self._last_colors, None
        masks = self._detector.update(reduced, features, t, lambda: self._same_hue(image, last_colors))
        self._stabilizer.suspect(masks.moving, features[1])
        if np.count_nonzero(masks.changed & masks.calm) > MIN_SCENE_CHANGE_SHARE * masks.calm.size:
            self._read_everything_again(t)
        # A component that seems to have left is reported once everything has been read. While the camera shakes, there
        # are changes in every frame, so what is left to later frames would pile up.
        awaited = [name for name, track in self.tracker.tracks.items() if track.vacated_since is not None]
        read = self._read(frame, features[1], masks, awaited if shifts is None else None)
        resting = [code for code in read if self._is_resting(code, masks)]
        self._update_mat([code for code in resting if code.id in self.registration.ids], masks, t)
        for code in resting:
            self._recheck.discard(code.id or "")
        self._recheck.update(t)
        self._recheck.missing &= self.tracker.tracks.keys()  # the corner codes of the mat never count as gone
        detections = [self._detection(code) for code in resting if code.id not in self.registration.ids]
        if not self._is_mat_read(t) and self.tracker.compensate_camera(detections):
            if self.registration.marks is not None:
                self._drop_marks()
                detections = [self._detection(detection.code) for detection in detections]
            self._read_everything_again(t)
            for detection in detections:
                self._recheck.discard(detection.id)
        events = self._track(image, frame, t, masks, detections)
        self._update_background(image, masks, resting)
        self.is_still = self._is_still(masks)
        if self.is_still:
            self._detector.refresh_picture()
        was_at_rest, self.is_at_rest = self.is_at_rest, self.is_still and not self._is_waiting()
        if self.is_at_rest:
            self._usual_colors.update(image, self._detector, t, was_at_rest=was_at_rest)
        self.change_masks = masks
        return events

    def _same_hue(self, image: CameraImage, last_colors: CellColors | None) -> SameHue:
        """The cells of `image` whose hue is the same as before; all cells while the usual hues are unknown.
        `last_colors` are the colors of the frame before; None if they were not measured. In that case, they are taken
        to be as usual."""
        colors, usual = cell_colors(image), self._usual_colors.colors
        self._last_colors = colors
        as_usual = have_same_hue(colors, colors if usual is None else usual, image)
        return SameHue(as_usual, as_usual if last_colors is None else have_same_hue(colors, last_colors, image))

    def _read(self, frame: Frame, texture: CellGrid, masks: ChangeMasks, awaited: Collection[str] | None) -> list[Code]:
        """The known codes that are read in `frame`. `texture`, `awaited`: see `ReadScheduler.read`."""
        codes = self._scheduler.read(frame, texture, masks, awaited)
        self._note_codes(codes)
        return [code for code in codes if code.id]

    def _note_codes(self, codes: list[Code]) -> None:
        """Reports the foreign ones of the `codes` that were just read, and updates the read rates."""
        self._update_read_rates()
        for code in codes:
            if code.id is None:
                self._foreign_codes.report(code.text)

    def _is_still(self, masks: ChangeMasks) -> bool:
        """Whether nothing moves, nothing as large as a card has changed, and nothing is still to be read."""
        return bool(masks.calm.all()) and masks.is_as_usual and self._scheduler.is_idle()

    def _is_quiet(self, masks: ChangeMasks) -> bool:
        """Whether nothing as large as a card is moving or waiting to be read. Otherwise a card that seems to have left
        may only have been moved: while the camera trembles, its old place is found empty before it is read at its new
        place."""
        unsettled = masks.changed & ~resting_cells(masks)
        return masks.is_quiet and not holds_card(unsettled) and self._scheduler.is_idle(masks.changed)

    def _is_waiting(self) -> bool:
        """Whether the watcher is waiting to find out whether components that are out of sight have left."""
        presence, recheck = self._presence, self._recheck
        return bool(presence.occluded_since or presence.covered_since or recheck.is_running or recheck.missing)

    @staticmethod
    def _is_resting(code: Code, masks: ChangeMasks) -> bool:
        """Whether all cells under `code` have been calm long enough."""
        cells = cells_under(code.corners, masks.calm.shape)
        return bool((masks.calm_seconds[cells] >= MIN_CALM_S).all())

    def _update_mat(self, corners: list[Code], masks: ChangeMasks, t: float) -> None:
        """Updates the pose of the mat with the corner codes that were read. Reads everything again if the mat or the
        camera was moved."""
        game_before = self.registration.game
        match self.registration.update({code.id: code.corners for code in corners if code.id}):
            case "refined":
                is_new = self._mat_seen_at < self._started_at and self.registration.marks is None
                if is_new and self._came_after_start(masks, t):
                    self._read_everything_again(t)
                    self._started_at = t
                self.tracker.relocate(lambda detection: self._detection(detection.code))
            case "moved":
                self.read_rates = {}
                self.tracker.mark_camera_moved()
                self._read_everything_again(t)
                self._recheck.mat_changed |= game_before not in (None, self.registration.game)
        if corners:
            self._mat_seen_at = t
        self._update_mat_in_view(t)

    def _is_mat_read(self, t: float) -> bool:
        """Whether a corner code was read recently."""
        return t - self._mat_seen_at < MAT_TIMEOUT_S

    def _update_mat_in_view(self, t: float) -> None:
        """Updates which mat is in view. A mat whose corners people have marked is in view even if no corner code is
        read."""
        mat, is_marked = self.registration.mat, self.registration.marks is not None
        self.mat_in_view = mat.name if mat and (is_marked or self._is_mat_read(t)) else None

    def mark_corners(self, game: str, outline: Points | None) -> None:
        """Sets the corners of a game's mat as marked by people (see `MatRegistration.mark`). If `outline` is None, only
        the corner codes count again."""
        if outline is None:
            self.registration.unmark()
        else:
            self.registration.mark(game, outline)
        self._relocate()

    def _drop_marks(self) -> None:
        """Forgets the marks because the camera was moved. The mat is out of view until it is found again."""
        self.registration.reset()
        self._relocate()

    def _relocate(self) -> None:
        """Updates everything that follows from the pose of the mat, after the pose has changed."""
        self.tracker.relocate(lambda detection: self._detection(detection.code))
        self._update_mat_in_view(self._t)
        self.is_at_rest = False

    def _came_after_start(self, masks: ChangeMasks, t: float) -> bool:
        """Whether the mat was absent or unclear in the first frame. Called when the mat is first seen."""
        if t - self._started_at > MAX_MAT_DELAY_S:
            return True
        corners = np.array([quad.mean(0) for quad in self.registration.quads.values()], np.float32)
        cells = cells_under(np.asarray(cv2.convexHull(corners)[:, 0], float), masks.changed.shape)
        return bool((masks.changed | self._detector.unusual_lighting)[cells].mean() > MIN_NEW_MAT_SHARE)

    def _detection(self, code: Code) -> Detection:
        """A detection of `code`, with its place on the mat."""
        mm = self.registration.locate(code.center)
        angle = self.registration.pose.angle_of(code.corners) if self.registration.pose and mm else None
        return Detection(code, mm, angle, self.registration.zone_at(mm))

    def _track(
        self, image: CameraImage, frame: Frame, t: float, masks: ChangeMasks, detections: list[Detection]
    ) -> list[TrackEvent]:
        """Updates the tracks with `detections`, and returns the events of the image. `frame` is the image without
        the camera's motion, in gray or BGR."""
        before = {name: (track.latest.px, track.latest.code.side_px) for name, track in self.tracker.tracks.items()}
        occluded = [before[name] for name in self._presence.occluded_since if name in before]
        usual, unknown = self._usual_colors.colors, self._usual_colors.unknown_hues(self._detector)
        places, light = self._recent_motion.places, self._detector.light
        regions = ChangedRegions(masks, occluded, places, image, light, usual, unknown, self._detector.unsettled)
        evidence = Evidence(frame, t, regions, self._detector, self._scheduler)
        for detection in detections:
            self._presence.capture(detection, evidence)

        def presence_of(track: Track) -> Presence:
            return self._presence_of(track, evidence)

        events = self.tracker.update(t, detections, presence_of, self._is_quiet(masks), self.registration.mat)
        for event in events:
            self._record_motion(event, t, before)
        return [replace(event, was_initially_present=self._was_initially_present(event)) for event in events]

    def _was_initially_present(self, event: TrackEvent) -> bool:
        """Whether the component of `event` was there in the first frame: it was read soon after that frame, and its
        place has not changed since."""
        appearance = self._presence.appearances.get(event.id)
        is_early = event.t - self._started_at < INITIAL_READ_S
        return appearance is not None and appearance.background is None and is_early

    def _record_motion(self, event: TrackEvent, t: float, before: Mapping[str, PlacedCode]) -> None:
        """Records where the component of `event` came from and where it went. If the component has left, forgets what
        was known about its place, and makes what is there now the background: if something only covered the component,
        its code then counts as a change when it is uncovered. Cells under occluded codes stay changed, because that
        shows whether these components have left, too. `before` has the places of all codes before this frame."""
        if event.id in before:
            self._recent_motion.add(t, before[event.id])
        track = self.tracker.tracks.get(event.id)
        if track is None:
            appearance = self._presence.appearances.get(event.id)
            self._presence.forget(event.id)
            if appearance is not None:
                occluded = self._presence.occluded_cells(appearance.cells.shape)
                self._detector.add_to_background(appearance.cells & ~occluded)
            self._recheck.discard(event.id)
        else:
            self._recent_motion.add(t, (track.latest.px, track.latest.code.side_px))

    def _presence_of(self, track: Track, evidence: Evidence) -> Presence:
        """The presence of the component `track`, judged by its place. Called if the code of the component was not read
        in the frame."""
        name = track.latest.id
        if name in self._recheck.missing:
            return "vacated"
        if name in self._recheck.unread:
            return "occluded"
        return self._presence.judge(track, evidence, self.tracker.tracks)

    def _update_background(self, image: CameraImage, masks: ChangeMasks, resting: list[Code]) -> None:
        """Makes two things part of the background: the codes that were read, and every change that is explained. The
        colors of the cells that components have changed are the usual ones from now on."""
        read = np.zeros(masks.calm.shape, bool)
        for code in resting:
            if not self._presence.is_partly_covered(code, self._detector):
                read |= cells_under(scale_about_centroid(code.corners, CODE_SURROUNDINGS_SIDES), read.shape)
        if not masks.changed.any():
            self._detector.add_to_background(read)
            return
        explained, absorbed = (read & masks.changed) | self._detector.uncovered(masks), np.zeros_like(read)
        regions = ChangedRegions(masks, [], self._recent_motion.places, image, self._detector.light)
        labels = regions.labels
        occluding = set(np.unique(labels[self._presence.occluded_cells(masks.calm.shape)]).tolist())
        for label in range(1, int(labels.max()) + 1):
            region = labels == label
            if label not in occluding and regions.is_background(region):
                if regions.is_explained(region):
                    explained |= region
                else:
                    absorbed |= region
        self._detector.absorb(absorbed & ~explained)
        self._detector.add_to_background(read | explained)
        self._usual_colors.absorb(absorbed)
        self._usual_colors.measure_again(explained, image, self._detector)

    def _read_everything_again(self, t: float) -> None:
        """Makes the whole image the background, makes all of it due to be read, and starts a recheck. Called when the
        camera or the lamp was moved."""
        self._detector.reset_background()
        self._usual_colors.forget()
        self._scheduler.reset(self._detector.features.shape[1:])
        self._start_recheck(t)

    def _start_recheck(self, t: float) -> None:
        """Starts a recheck of all components and of the mat's corner codes. The corner codes are included because most
        codes must be read again before any counts as missing: otherwise a single card that left could never be found
        missing."""
        corners = self.registration.mat.corners if self.registration.mat else ()
        names = {*self.tracker.tracks, *(corner.id for corner in corners)}
        self._recheck = Recheck.start(t, names, self._recheck.mat_changed)
        self._presence.forget_occlusions()

    def _reset_image(self, shape: tuple[int, ...]) -> None:
        """Starts over because the images have another size. Places in the image can't be compared any more, only places
        on the mat."""
        self._image_shape = shape
        self._detector = ChangeDetector()
        self._usual_colors = UsualColors()
        self._presence.appearances.clear()
        self._recent_motion = RecentMotion()
        self.registration.reset()
        self.tracker.mark_camera_moved()
        self.registration.size = (shape[1], shape[0])
        if self._saved_calibration is not None:
            self._restore_calibration(self._saved_calibration)
            self._saved_calibration = None

    def _restore_calibration(self, saved: Calibration) -> None:
        """Starts with a saved calibration, unless its image size differs: then it is from another camera."""
        if saved.size != self.registration.size:
            return
        self._detector = ChangeDetector(saved.noise)
        self._scheduler = ReadScheduler(self.known_ids, saved.module_size)
        if saved.marks is None:
            self.registration.expect(saved.game, saved.corners)
        else:
            self.registration.mark(saved.game, saved.marks)
        self.read_rates = dict(saved.read_rates)

    def calibration(self) -> Calibration | None:
        """The calibration learned so far. None while the mat is not in view, while not all of its corners are known, or
        while the module size is not reliable."""
        registration, noise, module_size = self.registration, self._detector.noise, self._scheduler.module_size
        quads, marks = registration.quads, registration.marks
        if not self.mat_in_view or registration.pose is None or len(quads) < 4:
            return None
        if marks is not None and (module_size is None or not module_size.is_reliable):
            module_size = fit_module_size([Code(name, payload(name), quad) for name, quad in quads.items()])
        elif module_size is not None and not module_size.is_reliable:
            return None
        if noise is None or module_size is None:
            return None
        size, game = registration.size or (0, 0), registration.game or ""
        return Calibration(size, game, quads, module_size, noise, self.read_rates, marks)

    def _update_read_rates(self) -> None:
        """Counts, for each zone, which of the codes that the sweep expected were read."""
        for place, was_read in self._scheduler.sweep_results:
            zone = self.registration.zone_at(self.registration.locate(np.array(place)))
            if zone is not None and self.mat_in_view:
                self.read_rates[zone] = self.read_rates.get(zone, ReadRate()).with_attempt(was_read)
