"""Decides when to count cubes: where something has moved and come to rest, one area per frame, until two counts agree.

Law: no I/O, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.tabletop.mat import Mat
from companion.tabletop.token_colors import TokenColors
from vision.cubes.cube_detection import CubeCount, count_cubes
from vision.geometry import Frame
from vision.tracking.change_detection import ChangeMasks
from vision.tracking.mat_registration import MatPose
from vision.tracking.watcher import Watcher

MIN_REST_S: Final = 0.4
CONFIRM_DELAY_S: Final = 0.2
"""From a new count to the second one, which must agree with it."""
UNCERTAIN_RETRY_S: Final = 3.0
"""After a count that was not certain: by then the light may be better, or whatever covered the area gone."""
MAX_POSE_ERROR_MM: Final = 2.0
"""Cubes are not counted while the mat's pose is less certain than this."""


@dataclass(frozen=True)
class LastCount:
    """The last count of an area, when it was made, and when the next is due if nothing moves there."""

    count: CubeCount
    t: float
    next_due: float


class CubeCounter:
    """Counts the cubes on one mat. Call `update` after the watcher has processed the same frame."""

    def __init__(self) -> None:
        self._mat: Mat | None = None
        self._pose: MatPose | None = None
        self._change_masks: ChangeMasks | None = None
        self._last_motion: dict[str, float] = {}
        self._last_counts: dict[str, LastCount] = {}
        self._reported: dict[str, CubeCount] = {}

    def set_mat(self, mat: Mat | None) -> None:
        """Starts over, counting the areas of this mat; None counts nothing."""
        self._mat = mat
        self._reset()

    def update(self, frame: Frame, t: float, watcher: Watcher) -> Iterator[CubeCount]:
        """The confirmed counts that differ from what was reported before. Counts at most one area."""
        token_colors = self._countable(frame, watcher)
        if token_colors is None or self._pose is None:
            return
        if watcher.change_masks is not self._change_masks:
            self._change_masks = watcher.change_masks
            self._last_motion = last_motion(token_colors, self._pose, watcher)
        area = next(self._due_areas(token_colors, t), None)
        if area is None:
            return
        codes = [track.latest.code.corners for track in watcher.tracker.tracks.values()]
        (count,) = count_cubes(frame, self._pose.to_mm, token_colors, [area], codes)
        if self._confirms(count, t) and self._reported.get(area) != count:
            self._reported[area] = count
            yield count

    def _countable(self, frame: Frame, watcher: Watcher) -> TokenColors | None:
        """What can be counted in this frame. A mat that has moved is counted anew."""
        pose = watcher.registration.pose
        if self._mat is None or frame.ndim != 3 or pose is None or watcher.mat_in_view != self._mat.name:
            self._reset()
            return None
        if pose is not self._pose:
            self._last_counts.clear()
            self._pose, self._change_masks = pose, None
        return self._mat.token_colors if pose.uncertainty_mm <= MAX_POSE_ERROR_MM else None

    def _reset(self) -> None:
        self._pose = None
        self._last_counts.clear()
        self._reported.clear()

    def _due_areas(self, token_colors: TokenColors, t: float) -> Iterator[str]:
        """The areas that are due for a count, the one counted longest ago first."""
        last = self._last_counts
        for area in sorted(token_colors.areas, key=lambda area: last[area].t if area in last else -math.inf):
            moved, counted = self._last_motion[area], last.get(area)
            if t - moved >= MIN_REST_S and (counted is None or moved > counted.t - MIN_REST_S or t >= counted.next_due):
                yield area

    def _confirms(self, count: CubeCount, t: float) -> bool:
        """Records a count; whether it equals the last one of its area."""
        last = self._last_counts.get(count.area)
        confirmed = last is not None and last.count == count
        certain = count.certainty == "certain"
        delay = CONFIRM_DELAY_S if not confirmed else math.inf if certain else UNCERTAIN_RETRY_S
        self._last_counts[count.area] = LastCount(count, t, t + delay)
        return confirmed


def last_motion(token_colors: TokenColors, pose: MatPose, watcher: Watcher) -> dict[str, float]:
    """When something last moved in each area, in the source's seconds."""
    to_px = np.linalg.inv(pose.to_mm)
    outlines = {
        area: cv2.perspectiveTransform(np.array([polygon], float), to_px)[0]
        for area, polygon in token_colors.areas.items()
    }
    return {area: watcher.last_motion_in(np.asarray(outline, float)) for area, outline in outlines.items()}
