"""When are cubes counted? Where something has changed and come to rest: one area a frame, until two counts agree.

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
from vision.cubes.cube_detection import Count, counts
from vision.geometry import Frame
from vision.tracking.change_detection import ChangeMasks
from vision.tracking.mat_registration import MatPose
from vision.tracking.watcher import Watcher

REST_S: Final = 0.4
AGAIN_S: Final = 0.2
"""After the first of the two counts that must agree."""
RETRY_S: Final = 3.0
"""After a count that was not certain: the light may be better then, or the thing gone that lay there."""
USEFUL_MM: Final = 2.0
"""A mat whose place is known no better than this is not counted on."""


@dataclass(frozen=True)
class Looked:
    """The last count of an area, when that was, and when the next is due if nothing changes there."""

    count: Count
    at: float
    next: float


class CubeCounter:
    """Counts the cubes on the mat that it is told of, after the watcher has seen a frame."""

    def __init__(self) -> None:
        self._mat: Mat | None = None
        self._pose: MatPose | None = None
        self._change: ChangeMasks | None = None
        self._moved: dict[str, float] = {}
        self._looked: dict[str, Looked] = {}
        self._told: dict[str, Count] = {}

    def count_on(self, mat: Mat | None) -> None:
        """From now on this mat's areas are counted, all of them anew."""
        self._mat = mat
        self._forget()

    def see(self, frame: Frame, t: float, watcher: Watcher) -> Iterator[Count]:
        """What is known now of an area and was not told before."""
        counting = self._counting(frame, watcher)
        if counting is None or self._pose is None:
            return
        if watcher.change is not self._change:
            self._change, self._moved = watcher.change, movements(counting, self._pose, watcher)
        area = next(self._due(counting, t), None)
        if area is None:
            return
        coded = [track.latest.code.corners for track in watcher.tracker.tracks.values()]
        (count,) = counts(frame, self._pose.to_mm, counting, [area], coded)
        if self._settles(count, t) and self._told.get(area) != count:
            self._told[area] = count
            yield count

    def _counting(self, frame: Frame, watcher: Watcher) -> TokenColors | None:
        """What is counted in this frame; a mat that lies elsewhere now is counted anew."""
        pose = watcher.registration.pose
        if self._mat is None or frame.ndim != 3 or pose is None or watcher.mat_in_view != self._mat.name:
            self._forget()
            return None
        if pose is not self._pose:
            self._looked.clear()
            self._pose, self._change = pose, None
        return self._mat.token_colors if pose.uncertain_mm <= USEFUL_MM else None

    def _forget(self) -> None:
        self._pose = None
        self._looked.clear()
        self._told.clear()

    def _due(self, counting: TokenColors, t: float) -> Iterator[str]:
        """The areas to be counted, those first that were not for longest."""
        waiting = sorted(counting.areas, key=lambda area: self._looked[area].at if area in self._looked else -math.inf)
        for area in waiting:
            moved, last = self._moved[area], self._looked.get(area)
            if t - moved >= REST_S and (last is None or moved > last.at - REST_S or t >= last.next):
                yield area

    def _settles(self, count: Count, t: float) -> bool:
        """Takes a count in; whether it says the same as the last one."""
        last = self._looked.get(count.area)
        same = last is not None and last.count == count
        wait = AGAIN_S if not same else math.inf if count.certainty == "certain" else RETRY_S
        self._looked[count.area] = Looked(count, t, t + wait)
        return same


def movements(counting: TokenColors, pose: Pose, watcher: Watcher) -> dict[str, float]:
    """When something moved last in each area. A frame that was only glanced at changes nothing of it."""
    to_px = np.linalg.inv(pose.to_mm)
    outlines = {
        area: cv2.perspectiveTransform(np.array([polygon], float), to_px)[0] for area, polygon in counting.areas.items()
    }
    return {area: watcher.moved_at(np.asarray(outline, float)) for area, outline in outlines.items()}
