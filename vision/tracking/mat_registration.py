"""Registers the mat: maps pixels to millimeters on the mat, with the help of the codes in its four corners.

If all four corner codes have been seen, their centers determine the homography. If only some have, the corners of these
codes determine it, and its uncertainty grows with the distance from them. A corner code that is covered by a hand is
assumed to be in its earlier place, as long as all visible corner codes are in theirs. If a visible corner code is
elsewhere, the camera was moved, and all earlier places are forgotten. It was moved, too, if a corner code comes into
view whose place and shape do not fit those of the others.

People can mark where they see the corners of the mat in the image. The marks stand in for corner codes that can't be
read. A corner code that is read far from where the marks put it ends the marks.

Law: no I/O, no clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from companion.tabletop.mat import Corner, Mat, Point, rectangle
from vision.geometry import Matrix, Points, diagonal_intersection
from vision.tracking.distortion import RadialDistortion, estimate_distortion, homography_error

MAX_CORNER_SHIFT_SIDES = 0.12
"""How far a corner code may be from its earlier place before the camera counts as moved, in sides of the code. On the
mat, this is 3 mm."""
MAX_MISFIT_SIDES = 0.03
"""How far the corners of all corner codes may be from where the pose puts them (root mean square), in sides of a code.
In simulated pictures it was at most 0.56 px, also with lens distortion. If two of the codes had moved by 80 px since
the others were read, it was at least 2.3 px, with sides of 50 px."""
MAX_MISFIT_PX = 1.0
"""The same in pixels. The larger of both limits counts: small codes are found less exactly for their size."""
CORNER_ERROR_PX = 0.4
"""The assumed error of each of the four corners of a code in the image."""
MAX_UNCERTAINTY_MM = 15.0
"""While the pose is less certain than this, pixels are not converted to places on the mat."""

MIN_READ_CORNERS = 3
"""If at least this many corner codes were read, the pose does not depend on marks. They are less exact."""
MAX_MARK_ERROR_SIDES = 0.5
"""How far a corner code may be from where the marks put it before the marks count as wrong, in sides of the code. On
the mat, this is 12 mm. A finger on a phone hits a corner to within a few millimeters."""
MARK_UNCERTAINTY_MM = 5.0
"""The uncertainty of a pose that depends on marks. Cubes are not counted then."""

PoseChange = Literal["same", "refined", "moved"]
"""How a frame changed the pose of the mat. "same": not at all. "refined": a corner code was seen whose place was
unknown before. "moved": another mat is in view, or the camera was moved."""


@dataclass(frozen=True, eq=False)
class MatPose:
    """The pose of the mat: how pixels of the image map to points on the mat.

    `to_mm` (3 x 3) maps homogeneous pixels to millimeters. `corners` are the ids of the corner codes from which the
    pose was computed. `uncertainty_mm` is the largest error of the pose, which is at the far end of the mat.
    `distortion` is the distortion of the lens; None if unknown. If it is known, `undistorted_to_mm` maps pixels without
    distortion to millimeters.
    """

    to_mm: Matrix
    corners: frozenset[str]
    uncertainty_mm: float
    distortion: RadialDistortion | None = None
    undistorted_to_mm: Matrix | None = None

    def locate(self, px: Points) -> Point:
        """The point on the mat, in millimeters, that appears at the pixel `px`."""
        to_mm = self.to_mm
        if self.distortion is not None and self.undistorted_to_mm is not None:
            (px,), to_mm = self.distortion.undistort(np.array([px], float)), self.undistorted_to_mm
        x, y, w = to_mm @ (px[0], px[1], 1.0)
        return float(x / w), float(y / w)

    def angle_of(self, corners: Points) -> float:
        """The direction on the mat of the top edge of a code, in degrees clockwise. `corners` are the code's corners in
        pixels."""
        (x0, y0), (x1, y1) = self.locate(corners[0]), self.locate(corners[1])
        return math.degrees(math.atan2(y1 - y0, x1 - x0))


def estimate_mat_pose(quads: Mapping[str, Points], mat: Mat) -> MatPose | None:
    """The pose of `mat`; None if the visible corner codes don't determine it. `quads` maps the id of each visible code
    to the code's corners in pixels."""
    pairs = [(quads[corner.id], corner) for corner in mat.corners if corner.id in quads]
    if not pairs:
        return None
    if len(pairs) == 4:
        px, mm = (
            np.array(points)
            for points in zip(*((diagonal_intersection(quad), c.center) for quad, c in pairs), strict=True)
        )
    else:
        px, mm = corner_points(quads, mat)
    to_mm, _ = cv2.findHomography(px, mm, 0)
    if to_mm is None or not np.isfinite(to_mm).all():
        return None
    return MatPose(np.asarray(to_mm, float), frozenset(c.id for _, c in pairs), far_uncertainty(pairs, mat))


def with_distortion(pose: MatPose, quads: Mapping[str, Points], mat: Mat, size: tuple[int, int]) -> MatPose:
    """`pose` with the distortion of the lens added, if all four corner codes of `mat` are known and show a distortion;
    otherwise `pose` itself. `quads` maps the id of each code to the code's corners in pixels. `size` is the width and
    height of the image."""
    if len(pose.corners) < len(mat.corners):
        return pose
    px, mm = corner_points(quads, mat)
    lens = estimate_distortion(px, mm, size)
    if lens is None:
        return pose
    to_mm = np.asarray(cv2.findHomography(lens.undistort(px), mm, 0)[0], float)
    return replace(pose, distortion=lens, undistorted_to_mm=to_mm)


def corner_points(quads: Mapping[str, Points], mat: Mat) -> tuple[Points, Points]:
    """The corners of the corner codes of `mat` that are in `quads`, in pixels and in millimeters on the mat, n x 2
    each. `quads` maps the id of each code to the code's corners in pixels."""
    corners = [corner for corner in mat.corners if corner.id in quads]
    px = np.concatenate([quads[corner.id] for corner in corners])
    return px, np.concatenate([corner_square(corner) for corner in corners])


def corner_square(corner: Corner) -> Points:
    """The corners of a corner code on the mat in millimeters, 4 x 2, clockwise from the top left. The code is
    upright."""
    half = corner.code_mm / 2
    offsets = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    return np.asarray(offsets + corner.center, float)


def far_uncertainty(pairs: list[tuple[Points, Corner]], mat: Mat) -> float:
    """How far the pose may be off at the far end of the mat, in millimeters. A corner of a code is found to within
    CORNER_ERROR_PX; this error grows with the distance from the codes in `pairs`."""
    mm_per_px = float(np.mean([c.code_mm / np.linalg.norm(quad[0] - quad[2]) * math.sqrt(2) for quad, c in pairs]))
    places = np.concatenate([corner_square(corner) for _, corner in pairs])
    extent = float(np.linalg.norm(places.max(0) - places.min(0)))
    stretch = math.hypot(*mat.size) / extent
    # One or two codes say little about perspective, whose errors grow with the square of the distance.
    return CORNER_ERROR_PX * mm_per_px * (stretch if len(pairs) > 2 else stretch**2)


class MatRegistration:
    """Determines which mat is in view and its pose, from the corner codes that are read. `mats`: all mats, by game."""

    def __init__(self, mats: Mapping[str, Mat]) -> None:
        self._mats = mats
        self._game_of_corner = {corner.id: game for game, mat in mats.items() for corner in mat.corners}
        self._quads: dict[str, Points] = {}
        self._marked_quads: Mapping[str, Points] = {}
        self.marks: Points | None = None
        """The corners of the mat as marked by people; None if there are no marks. In pixels, 4 x 2, clockwise from the
        mat's top left."""
        self.are_marks_dropped = False
        """Whether the last marks no longer count, because the camera or the mat was moved, or because they were
        wrong."""
        self._expected: tuple[str, Mapping[str, Points]] | None = None
        self.size: tuple[int, int] | None = None
        """Width and height of the image in pixels. While it is None, no lens distortion is estimated."""
        self.game: str | None = None
        self.pose: MatPose | None = None

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the corner codes of all mats."""
        return frozenset(self._game_of_corner)

    @property
    def quads(self) -> Mapping[str, Points]:
        """The places of the corner codes of the mat in view, from readings or from marks: maps the id of each code to
        the code's corners in pixels."""
        return {**self._marked_quads, **self._quads}

    @property
    def read_quads(self) -> Mapping[str, Points]:
        """Like `quads`, but only from readings."""
        return self._quads

    @property
    def marked_quads(self) -> Mapping[str, Points]:
        """Like `quads`, but only from marks."""
        return self._marked_quads

    @property
    def depends_on_marks(self) -> bool:
        """Whether the pose follows from marks, because too few corner codes were read."""
        return self.marks is not None and len(self._quads) < MIN_READ_CORNERS

    @property
    def mat(self) -> Mat | None:
        """The mat in view; None until one has been seen."""
        return self._mats[self.game] if self.game else None

    def reset(self) -> None:
        """Forgets where the corner codes are in the image, also from marks."""
        self._drop_marks()
        self._quads, self.pose = {}, None

    def mark(self, game: str, outline: Points) -> None:
        """Sets the corners of a game's mat as marked by people. `outline` is like `marks`, and convex. Forgets all
        earlier places: from now on, corner codes that are read refine the pose. Does nothing if the game has no mat."""
        mat = self._mats.get(game)
        if mat is None:
            return
        to_px = cv2.getPerspectiveTransform(
            np.array(rectangle(0, 0, *mat.size), np.float32), np.asarray(outline, np.float32)
        )
        self._marked_quads = {
            corner.id: np.asarray(cv2.perspectiveTransform(corner_square(corner)[None], to_px)[0], float)
            for corner in mat.corners
        }
        self.marks, self.are_marks_dropped = outline, False
        self.game, self._quads, self._expected = game, {}, None
        self._update_pose()

    def unmark(self) -> None:
        """Forgets the marks because people want it. What is known from corner codes that were read remains."""
        self._drop_marks()
        self.are_marks_dropped = False
        self._update_pose()

    def _drop_marks(self) -> None:
        self.are_marks_dropped |= self.marks is not None
        self.marks, self._marked_quads = None, {}

    def expect(self, game: str, quads: Mapping[str, Points]) -> None:
        """Sets where the corner codes of a game's mat were before a restart: `quads` maps their ids to their corners in
        pixels. When corner codes are first read, the places of all codes in `quads` count as known, unless a code is
        read elsewhere or belongs to another mat. Does nothing unless `quads` contains all corner codes of the mat."""
        if game in self._mats and quads.keys() == {corner.id for corner in self._mats[game].corners}:
            self._expected = game, quads

    def update(self, quads: Mapping[str, Points]) -> PoseChange:
        """Updates the pose with the corner codes that were read in a frame, and returns how the pose changed (see
        `PoseChange`). `quads` maps the id of each code to the code's corners in pixels."""
        visible = {name: quad for name, quad in quads.items() if name in self._game_of_corner}
        if not visible:
            return "same"
        game = self._most_visible_game(visible)
        corners = {name: quad for name, quad in visible.items() if self._game_of_corner[name] == game}
        moved = self._contradicts_expected(game, corners) if self.game is None else self._has_moved(game, corners)
        moved = moved or self._has_outdated(corners)
        if moved:
            self._quads = {}
            self._drop_marks()
        elif self.game is not None and corners.keys() <= self._quads.keys():
            return "same"
        self.game = game
        self._quads |= corners
        self._update_pose()
        return "moved" if moved else "refined"

    def _update_pose(self) -> None:
        """Estimates the pose from the places of the corner codes."""
        mat = self.mat
        if mat is None:
            return
        if self.depends_on_marks:
            pose = estimate_mat_pose(self.quads, mat)
            self.pose = replace(pose, uncertainty_mm=MARK_UNCERTAINTY_MM) if pose else None
            return
        self.pose = estimate_mat_pose(self._quads, mat)
        if self.pose is not None and self.size is not None:
            self.pose = with_distortion(self.pose, self._quads, mat, self.size)

    def _contradicts_expected(self, game: str, corners: Mapping[str, Points]) -> bool:
        """Adopts the expected corner codes, if there are any. Returns whether any visible corner code (`corners`) is
        elsewhere, or belongs to another game's mat."""
        if self._expected is None:
            return False
        expected_game, self._quads = self._expected[0], dict(self._expected[1])
        self._expected = None
        return game != expected_game or any(self._is_elsewhere(name, quad) for name, quad in corners.items())

    def _has_moved(self, game: str, corners: Mapping[str, Points]) -> bool:
        """Whether any visible corner code (`corners`) is elsewhere than before, or belongs to another game's mat. Also
        true if no earlier place is known."""
        if game != self.game or not self.quads:
            return True
        return any(self._is_elsewhere(name, quad) for name, quad in corners.items())

    def _has_outdated(self, corners: Mapping[str, Points]) -> bool:
        """Whether the earlier places of corner codes that are out of view do not fit the visible ones (`corners`), of
        which some had no place before. Then the camera was moved so far that other corner codes are in view now."""
        is_known = corners.keys() <= self._quads.keys()
        return not is_known and not self._quads.keys() <= corners.keys() and not self._fit({**self._quads, **corners})

    def _fit(self, quads: Mapping[str, Points]) -> bool:
        """Whether some pose puts the corner codes of the current mat where they were read (`quads`)."""
        mat = self.mat
        if mat is None:
            return True
        px, mm = corner_points(quads, mat)
        lens = estimate_distortion(px, mm, self.size) if self.size is not None else None
        error_mm = math.sqrt(homography_error(px if lens is None else lens.undistort(px), mm))
        side_px = float(np.mean([np.linalg.norm(quad[0] - quad[1]) for quad in quads.values()]))
        side_mm = float(np.mean([corner.code_mm for corner in mat.corners if corner.id in quads]))
        return error_mm / side_mm <= max(MAX_MISFIT_SIDES, MAX_MISFIT_PX / side_px)

    def _most_visible_game(self, visible: Mapping[str, Points]) -> str:
        """The game with the most corner codes in `visible`; the current game in case of a tie."""
        games = [self._game_of_corner[name] for name in visible]
        return max(sorted(set(games)), key=lambda game: (games.count(game), game == self.game))

    def _is_elsewhere(self, name: str, quad: Points) -> bool:
        """Whether the corner code `name`, which is now at `quad`, is too far from its known place. False if no place is
        known."""
        before = self.quads.get(name)
        if before is None:
            return False
        max_sides = MAX_CORNER_SHIFT_SIDES if name in self._quads else MAX_MARK_ERROR_SIDES
        limit = max_sides * np.linalg.norm(before[0] - before[1])
        return bool(np.linalg.norm(quad.mean(0) - before.mean(0)) > limit)

    def locate(self, px: Points) -> Point | None:
        """The point on the mat, in millimeters, that appears at the pixel `px`. None while the pose is unknown or too
        uncertain."""
        if self.pose is None or self.pose.uncertainty_mm > MAX_UNCERTAINTY_MM:
            return None
        return self.pose.locate(px)

    def zone_at(self, mm: Point | None) -> str | None:
        """The name of the zone that contains the point `mm` (in millimeters) of the mat in view. None if the point is
        in no zone, if `mm` is None, or if no mat is in view."""
        return self.mat.zone_at(mm) if self.mat and mm else None
