"""Decides when the cubes in an area are counted. After something has moved in the area and come to rest, the cubes are
counted until two successive counts agree. In each frame at most one area is counted. An area is part of the mat, or a
field on a component whose code is in full view.

Law: no I/O, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import cv2
import numpy as np

from companion.tabletop.mat import Mat
from companion.tabletop.token_colors import TokenColors, TokenField
from vision.cubes.cube_detection import CubeCount, count_cubes
from vision.geometry import Frame, Points
from vision.tracking.change_detection import ChangeMasks
from vision.tracking.mat_registration import MatPose
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import Detection, Track

MIN_REST_S: Final = 0.4
"""How long an area must be at rest before its cubes are counted."""
CONFIRM_DELAY_S: Final = 0.2
"""The time from a new count of an area to a second count, which must agree with the first."""
UNCERTAIN_RETRY_S: Final = 3.0
"""The time after which the cubes are counted again if their count was confirmed but is not certain. By then the light
may be better, or whatever covered the area may be gone."""
FIELD_RETRY_S: Final = 12.0
"""The same for a field on a component. It is longer, because components of older prints have no fields, and each of
them is tried again and again."""
MAX_POSE_ERROR_MM: Final = 2.0
"""Cubes are not counted while the mat's pose is less certain than this."""


@dataclass(frozen=True)
class LastCount:
    """The last count of an area. `t` is the time at which the count was made, `next_due` the time at which the next one
    is due if nothing moves in the area."""

    count: CubeCount
    t: float
    next_due: float


@dataclass(frozen=True, eq=False)
class FieldInView:
    """The `field` of a component on the mat. `reported` and `latest` are the detections of its track (see `Track`), and
    `pose` is the pose of the mat from which the place of the field follows."""

    reported: Detection
    latest: Detection
    pose: MatPose
    field: TokenField

    @classmethod
    def of(cls, track: Track, pose: MatPose, field: TokenField) -> Self:
        """The field of a tracked component. `field`: the field relative to the component's code."""
        code = track.latest.code
        placed = field.placed(pose.locate(code.center), pose.angle_of(code.corners))
        return cls(track.reported, track.latest, pose, placed)

    def is_of(self, track: Track, pose: MatPose) -> bool:
        """Whether nothing has changed about the component since this was made."""
        return track.reported is self.reported and track.latest is self.latest and pose is self.pose


class CountScheduler:
    """Decides when to count the cubes in each area of a mat, and counts them. For each frame, call the watcher first
    and then `update`. `cube_mm`: the edge of the cubes. If it is None, they have the size that the mat is made for."""

    def __init__(self, cube_mm: float | None = None) -> None:
        self._cube_mm = cube_mm
        self._mat: Mat | None = None
        self._pose: MatPose | None = None
        self._change_masks: ChangeMasks | None = None
        self._last_motion: dict[str, float] = {}
        self._last_counts: dict[str, LastCount] = {}
        self._reported: dict[str, CubeCount] = {}
        self._areas: Collection[str] = ()
        self._fields: Mapping[str, FieldInView] = {}
        """The fields of the components whose codes are in full view."""

    @property
    def has_counted_all(self) -> bool:
        """Whether a count of each area has been reported. True while cubes can't be counted at all."""
        return self._reported.keys() >= {*self._areas}

    def set_mat(self, mat: Mat | None) -> None:
        """Starts over with the areas of `mat`. With None, nothing is counted."""
        if mat and mat.token_colors and self._cube_mm:
            mat = replace(mat, token_colors=replace(mat.token_colors, cube_mm=self._cube_mm))
        self._mat = mat
        self._reset()

    def update(self, frame: Frame, t: float, watcher: TableWatcher) -> Iterator[CubeCount]:
        """Counts the cubes in one area, if an area is due. Yields the count if it equals the area's previous count but
        differs from the count last reported for the area."""
        token_colors = self._update_pose(frame, watcher)
        if token_colors is None or self._pose is None:
            self._areas = ()
            return
        codes = {code: track.latest.code.corners for code, track in watcher.tracker.tracks.items()}
        self._update_fields(token_colors, self._pose, watcher)
        token_colors = token_colors.with_fields_placed({code: each.field for code, each in self._fields.items()})
        self._areas = token_colors.areas.keys()
        if watcher.change_masks is not self._change_masks:
            self._change_masks = watcher.change_masks
            self._last_motion = last_motion(token_colors, self._pose, watcher)
        area = next(self._due_areas(token_colors, t), None)
        if area is None:
            return
        others = [corners for code, corners in codes.items() if code != area]
        (count,) = count_in_pose(frame, self._pose, token_colors, area, others)
        if self._confirms(count, t) and self._reported.get(area) != count:
            self._reported[area] = count
            yield count

    def _update_pose(self, frame: Frame, watcher: TableWatcher) -> TokenColors | None:
        """Updates the pose of the mat; after a change all areas are counted again. Returns the token colors, or None if
        cubes can't be counted now."""
        pose = watcher.registration.pose
        if self._mat is None or frame.ndim != 3 or pose is None or watcher.mat_in_view != self._mat.name:
            self._reset()
            return None
        if pose is not self._pose:
            self._last_counts.clear()
            self._pose, self._change_masks = pose, None
        return self._mat.token_colors if pose.uncertainty_mm <= MAX_POSE_ERROR_MM else None

    def _update_fields(self, token_colors: TokenColors, pose: MatPose, watcher: TableWatcher) -> None:
        """Updates which fields are in view, and where. The counts of a component that has moved, or whose code is not
        in full view, are forgotten here, and in the tracked table, too."""
        before, tracks = self._fields, watcher.visible_tracks()
        codes = [code for code in tracks if code in token_colors.fields]
        self._fields = {
            code: known
            if (known := before.get(code)) and known.is_of(tracks[code], pose)
            else FieldInView.of(tracks[code], pose, token_colors.fields[code])
            for code in codes
        }
        if self._fields.keys() != before.keys():
            self._change_masks = None  # so that the last motion in each field is found
        for code in {*self._fields, *before}:
            now, then = self._fields.get(code), before.get(code)
            if now is None or then is None or now.reported is not then.reported:
                self._last_counts.pop(code, None)
                self._reported.pop(code, None)

    def _reset(self) -> None:
        """Forgets the pose and all counts."""
        self._pose = None
        self._fields = {}
        self._last_counts.clear()
        self._reported.clear()

    def _due_areas(self, token_colors: TokenColors, t: float) -> Iterator[str]:
        """Yields the areas that are due for a count, starting with the area whose last count is the oldest."""
        last = self._last_counts
        for area in sorted(token_colors.areas, key=lambda area: last[area].t if area in last else -math.inf):
            moved, counted = self._last_motion[area], last.get(area)
            if t - moved >= MIN_REST_S and (counted is None or moved > counted.t - MIN_REST_S or t >= counted.next_due):
                yield area

    def _confirms(self, count: CubeCount, t: float) -> bool:
        """Records `count`, and returns whether it equals the previous count of the same area."""
        last = self._last_counts.get(count.area)
        confirmed = last is not None and last.count == count
        retry = FIELD_RETRY_S if count.area in self._fields else UNCERTAIN_RETRY_S
        delay = CONFIRM_DELAY_S if not confirmed else math.inf if count.certainty == "certain" else retry
        self._last_counts[count.area] = LastCount(count, t, t + delay)
        return confirmed


def count_in_pose(
    frame: Frame, pose: MatPose, token_colors: TokenColors, area: str, codes: Sequence[Points]
) -> tuple[CubeCount, ...]:
    """The count of the cubes in `area` on a mat with this `pose`. If the distortion of the lens is known, it is removed
    from the frame first. `codes`: the corners of the visible codes, in pixels."""
    if pose.distortion is None or pose.undistorted_to_mm is None:
        return count_cubes(frame, pose.to_mm, token_colors, [area], codes)
    straight = [pose.distortion.undistort(code) for code in codes]
    return count_cubes(pose.distortion.undistort_frame(frame), pose.undistorted_to_mm, token_colors, [area], straight)


def last_motion(token_colors: TokenColors, pose: MatPose, watcher: TableWatcher) -> dict[str, float]:
    """For each area, the time of the frame in which something last moved there, in seconds."""
    to_px = np.linalg.inv(pose.to_mm)
    outlines = {
        area: cv2.perspectiveTransform(np.array([polygon], float), to_px)[0]
        for area, polygon in token_colors.areas.items()
    }
    return {area: watcher.last_motion_in(np.asarray(outline, float)) for area, outline in outlines.items()}
