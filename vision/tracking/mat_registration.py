"""Registers the mat: maps pixels to millimeters on it, by the codes in its four corners.

Four corner codes give the homography by their centers. Fewer give it by all their corners, with an uncertainty that
grows with the distance from them. A corner code under a hand keeps its place as long as the visible ones are where they
were. When one of them is elsewhere, the camera was moved, and only what is seen from then on counts.

Law: no I/O, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from companion.tabletop.mat import Corner, Mat, Point
from vision.geometry import Points, diagonal_intersection
from vision.tracking.distortion import RadialDistortion, estimate_distortion

MAX_CORNER_SHIFT_SIDES = 0.12
"""How far a corner code may be from its place, in its own sides (3 mm), before the camera counts as moved."""
CORNER_ERROR_PX = 0.4
"""The error of a corner of a code."""
MAX_UNCERTAINTY_MM = 15.0
"""With a larger uncertainty no place on the mat is given."""

Update = Literal["same", "refined", "moved"]
"""How a frame changed the pose of the mat. "moved": it is another mat, or the camera was moved."""


@dataclass(frozen=True, eq=False)
class MatPose:
    """How the mat lies in the image.

    `to_mm` (3 x 3) maps homogeneous pixels to millimeters, `corners` are the ids of the codes that it rests on,
    `uncertainty_mm` is the error at the far end of the mat. `undistorted_to_mm` is the same map for undistorted pixels.
    """

    to_mm: Points
    corners: frozenset[str]
    uncertainty_mm: float
    distortion: RadialDistortion | None = None
    undistorted_to_mm: Points | None = None

    def locate(self, px: Points) -> Point:
        """The place on the mat under a pixel."""
        to_mm = self.to_mm
        if self.distortion is not None and self.undistorted_to_mm is not None:
            (px,), to_mm = self.distortion.undistort(np.array([px], float)), self.undistorted_to_mm
        x, y, w = to_mm @ (px[0], px[1], 1.0)
        return float(x / w), float(y / w)

    def angle_of(self, corners: Points) -> float:
        """The direction of a code's top edge on the mat, degrees clockwise."""
        (x0, y0), (x1, y1) = self.locate(corners[0]), self.locate(corners[1])
        return math.degrees(math.atan2(y1 - y0, x1 - x0))


def estimate_mat_pose(quads: Mapping[str, Points], mat: Mat) -> MatPose | None:
    """The pose from the corner codes (id to corners in pixels), or None if they don't determine it."""
    pairs = [(quads[corner.id], corner) for corner in mat.corners if corner.id in quads]
    if not pairs:
        return None
    if len(pairs) == 4:
        px, mm = (
            np.array(points)
            for points in zip(*((diagonal_intersection(quad), c.center) for quad, c in pairs), strict=True)
        )
    else:
        px = np.concatenate([quad for quad, _ in pairs])
        mm = np.concatenate([corner_square(corner) for _, corner in pairs])
    to_mm, _ = cv2.findHomography(px, mm, 0)
    if to_mm is None or not np.isfinite(to_mm).all():
        return None
    return MatPose(np.asarray(to_mm, float), frozenset(c.id for _, c in pairs), far_uncertainty(pairs, mat))


def with_distortion(pose: MatPose, quads: Mapping[str, Points], mat: Mat, size: tuple[int, int]) -> MatPose:
    """The pose with the distortion of the lens, if all four corners are in view and show one."""
    if len(pose.corners) < len(mat.corners):
        return pose
    px = np.concatenate([quads[corner.id] for corner in mat.corners])
    mm = np.concatenate([corner_square(corner) for corner in mat.corners])
    lens = estimate_distortion(px, mm, size)
    if lens is None:
        return pose
    to_mm = np.asarray(cv2.findHomography(lens.undistort(px), mm, 0)[0], float)
    return replace(pose, distortion=lens, undistorted_to_mm=to_mm)


def corner_square(corner: Corner) -> Points:
    """The corners of an upright corner code in millimeters, 4 x 2."""
    half = corner.code_mm / 2
    offsets = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    return np.asarray(offsets + corner.center, float)


def far_uncertainty(pairs: list[tuple[Points, Corner]], mat: Mat) -> float:
    """The error at the far end of the mat in millimeters: the error of a corner, extrapolated to the whole mat."""
    mm_per_px = float(np.mean([c.code_mm / np.linalg.norm(quad[0] - quad[2]) * math.sqrt(2) for quad, c in pairs]))
    places = np.concatenate([corner_square(corner) for _, corner in pairs])
    extent = float(np.linalg.norm(places.max(0) - places.min(0)))
    stretch = math.hypot(*mat.size) / extent
    # Two codes side by side say little about depth, and perspective errors grow with the square of the distance.
    return CORNER_ERROR_PX * mm_per_px * (stretch if len(pairs) > 2 else stretch**2)


class MatRegistration:
    """Follows one of several mats: the one whose corner codes are in view."""

    def __init__(self, mats: Mapping[str, Mat]) -> None:
        self._mats = mats
        self._game_of_corner = {corner.id: game for game, mat in mats.items() for corner in mat.corners}
        self._quads: dict[str, Points] = {}
        self._expected: tuple[str, Mapping[str, Points]] | None = None
        self.size: tuple[int, int] | None = None
        """Width and height of the image. Without it no distortion is estimated."""
        self.game: str | None = None
        self.pose: MatPose | None = None

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all corner codes of all mats."""
        return frozenset(self._game_of_corner)

    @property
    def quads(self) -> Mapping[str, Points]:
        """The corner codes of the mat in view (id to corners in pixels), where they were last seen."""
        return self._quads

    @property
    def mat(self) -> Mat | None:
        """The mat in view."""
        return self._mats[self.game] if self.game else None

    def reset(self) -> None:
        """Forgets where the corner codes are in the image."""
        self._quads, self.pose = {}, None

    def expect(self, game: str, quads: Mapping[str, Points]) -> None:
        """Sets where a mat's corner codes were before a restart. It counts once one of them is seen there."""
        if game in self._mats and quads.keys() == {corner.id for corner in self._mats[game].corners}:
            self._expected = game, quads

    def update(self, quads: Mapping[str, Points]) -> Update:
        """Processes the corner codes of a frame (id to corners in pixels)."""
        visible = {name: quad for name, quad in quads.items() if name in self._game_of_corner}
        if not visible:
            return "same"
        game = self._most_visible_game(visible)
        corners = {name: quad for name, quad in visible.items() if self._game_of_corner[name] == game}
        moved = self._contradicts_expected(game, corners) if self.game is None else self._has_moved(game, corners)
        if moved:
            self._quads = {}
        elif self.game is not None and corners.keys() <= self._quads.keys():
            return "same"
        self.game = game
        self._quads |= corners
        self.pose = estimate_mat_pose(self._quads, self._mats[game])
        if self.pose is not None and self.size is not None:
            self.pose = with_distortion(self.pose, self._quads, self._mats[game], self.size)
        return "moved" if moved else "refined"

    def _contradicts_expected(self, game: str, corners: Mapping[str, Points]) -> bool:
        """Adopts the expected corners, if there are any. Returns whether the visible ones lie elsewhere."""
        if self._expected is None:
            return False
        expected_game, self._quads = self._expected[0], dict(self._expected[1])
        self._expected = None
        return game != expected_game or any(self._is_elsewhere(name, quad) for name, quad in corners.items())

    def _has_moved(self, game: str, corners: Mapping[str, Points]) -> bool:
        """Whether these corners are not where they were."""
        if game != self.game or not self._quads:
            return True
        return any(self._is_elsewhere(name, quad) for name, quad in corners.items())

    def _most_visible_game(self, visible: Mapping[str, Points]) -> str:
        """The game with the most visible corner codes, preferably the current one."""
        games = [self._game_of_corner[name] for name in visible]
        return max(sorted(set(games)), key=lambda game: (games.count(game), game == self.game))

    def _is_elsewhere(self, name: str, quad: Points) -> bool:
        before = self._quads.get(name)
        if before is None:
            return False
        limit = MAX_CORNER_SHIFT_SIDES * np.linalg.norm(before[0] - before[1])
        return bool(np.linalg.norm(quad.mean(0) - before.mean(0)) > limit)

    def locate(self, px: Points) -> Point | None:
        """The place on the mat under a pixel in mm, or None while the pose is unknown or too uncertain."""
        if self.pose is None or self.pose.uncertainty_mm > MAX_UNCERTAINTY_MM:
            return None
        return self.pose.locate(px)

    def zone_at(self, mm: Point | None) -> str | None:
        """The zone of the mat in view that holds this place."""
        return self.mat.zone_at(mm) if self.mat and mm else None
