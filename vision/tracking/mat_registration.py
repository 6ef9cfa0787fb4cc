"""Pixels -> millimetres on the mat, from the codes in its four corners.

Law: no I/O, no clock. Four corner codes give the homography by their middles; fewer give it by all their
corners, with an uncertainty that grows with the distance from them. What a hand hides keeps its place as
long as the corners in view are where they were; when one of them is elsewhere, the camera was knocked,
and only what is seen from then on counts.
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
from vision.tracking.distortion import Lens, lens_from

KNOCKED_SHARE = 0.12
"""A corner code this far from its place, in its own sides, was not there before: 3 mm."""
CORNER_ERROR_PX = 0.4
"""How well a corner of a code is known."""
USEFUL_MM = 15.0
"""With a larger uncertainty no place is told."""


@dataclass(frozen=True, eq=False)
class Pose:
    """How the mat lies in the picture. `to_mm` maps homogeneous pixels to millimetres."""

    to_mm: Points
    corners: frozenset[str]
    uncertain_mm: float
    """At the far end of the mat."""
    lens: Lens | None = None
    flat_to_mm: Points | None = None
    """The same map for pixels that the lens has not bent."""

    def mm(self, px: Points) -> Point:
        """The place on the mat under a pixel."""
        to_mm = self.to_mm
        if self.lens is not None and self.flat_to_mm is not None:
            (px,), to_mm = self.lens.straight(np.array([px], float)), self.flat_to_mm
        x, y, w = to_mm @ (px[0], px[1], 1.0)
        return float(x / w), float(y / w)

    def turn(self, corners: Points) -> float:
        """The angle on the mat of a code's top edge, degrees clockwise."""
        (x0, y0), (x1, y1) = self.mm(corners[0]), self.mm(corners[1])
        return math.degrees(math.atan2(y1 - y0, x1 - x0))


def pose_from(seen: Mapping[str, Points], mat: Mat) -> Pose | None:
    """The pose from the corner codes' corners in pixels, or None without any that would do."""
    pairs = [(seen[corner.id], corner) for corner in mat.corners if corner.id in seen]
    if not pairs:
        return None
    if len(pairs) == 4:
        px, mm = (
            np.array(v) for v in zip(*((diagonal_intersection(quad), c.center) for quad, c in pairs), strict=True)
        )
    else:
        px = np.concatenate([quad for quad, _ in pairs])
        mm = np.concatenate([square(corner) for _, corner in pairs])
    to_mm, _ = cv2.findHomography(px, mm, 0)
    if to_mm is None or not np.isfinite(to_mm).all():
        return None
    return Pose(np.asarray(to_mm, float), frozenset(c.id for _, c in pairs), uncertainty(pairs, mat))


def through_lens(pose: Pose, seen: Mapping[str, Points], mat: Mat, size: tuple[int, int]) -> Pose:
    """The pose with the lens, where all four corners are in view and tell one."""
    if len(pose.corners) < len(mat.corners):
        return pose
    px = np.concatenate([seen[corner.id] for corner in mat.corners])
    mm = np.concatenate([square(corner) for corner in mat.corners])
    lens = lens_from(px, mm, size)
    if lens is None:
        return pose
    return replace(pose, lens=lens, flat_to_mm=np.asarray(cv2.findHomography(lens.straight(px), mm, 0)[0], float))


def square(corner: Corner) -> Points:
    """The corners of an upright corner code in millimetres."""
    half = corner.code_mm / 2
    ways = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    return np.asarray(ways + corner.center, float)


def uncertainty(pairs: list[tuple[Points, Corner]], mat: Mat) -> float:
    """Millimetres at the far end of the mat: the error of a corner, stretched from what is seen to the whole."""
    mm_per_px = float(np.mean([c.code_mm / np.linalg.norm(quad[0] - quad[2]) * math.sqrt(2) for quad, c in pairs]))
    places = np.concatenate([square(corner) for _, corner in pairs])
    spread = float(np.linalg.norm(places.max(0) - places.min(0)))
    stretch = math.hypot(*mat.size) / spread
    # Two codes side by side say little about depth: perspective is a matter of the second power.
    return CORNER_ERROR_PX * mm_per_px * (stretch if len(pairs) > 2 else stretch**2)


class MatView:
    """Follows one of several mats: the one whose corner codes are in view."""

    def __init__(self, mats: Mapping[str, Mat]) -> None:
        self._mats = mats
        self._corners = {corner.id: game for game, mat in mats.items() for corner in mat.corners}
        self._quads: dict[str, Points] = {}
        self._expected: tuple[str, Mapping[str, Points]] | None = None
        self.size: tuple[int, int] | None = None
        """Of the picture, width and height; without it no lens is told."""
        self.game: str | None = None
        self.pose: Pose | None = None

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all corner codes."""
        return frozenset(self._corners)

    @property
    def quads(self) -> Mapping[str, Points]:
        """The corner codes of the mat in view, where they were seen last."""
        return self._quads

    def displace(self) -> None:
        """Whatever was seen lies elsewhere in the picture now."""
        self._quads, self.pose = {}, None

    def expect(self, game: str, corners: Mapping[str, Points]) -> None:
        """Where a mat's corner codes were before a restart. Nothing is believed until one of them is seen there."""
        if game in self._mats and corners.keys() == {corner.id for corner in self._mats[game].corners}:
            self._expected = game, corners

    @property
    def mat(self) -> Mat | None:
        return self._mats[self.game] if self.game else None

    def see(self, seen: Mapping[str, Points]) -> Literal["same", "better", "knocked"]:
        """Takes in the corner codes of a frame (id -> corners in px). The pose is the same as before, better
        known, or another one: another mat's, or that of a camera that was knocked."""
        here = {name: quad for name, quad in seen.items() if name in self._corners}
        if not here:
            return "same"
        game = self._of_most(here)
        mine = {name: quad for name, quad in here.items() if self._corners[name] == game}
        knocked = self._recalled(game, mine) if self.game is None else self._elsewhere(game, mine)
        if knocked:
            self._quads = {}
        elif self.game is not None and mine.keys() <= self._quads.keys():
            return "same"
        self.game = game
        self._quads |= mine
        self.pose = pose_from(self._quads, self._mats[game])
        if self.pose is not None and self.size is not None:
            self.pose = through_lens(self.pose, self._quads, self._mats[game], self.size)
        return "knocked" if knocked else "better"

    def _recalled(self, game: str, mine: Mapping[str, Points]) -> bool:
        """Takes up what was expected, if the first corners that are seen lie there; whether they lie elsewhere."""
        if self._expected is None:
            return False
        expected_game, self._quads = self._expected[0], dict(self._expected[1])
        self._expected = None
        return game != expected_game or any(self._knocked(name, quad) for name, quad in mine.items())

    def _elsewhere(self, game: str, mine: Mapping[str, Points]) -> bool:
        """Whether these corners are not where they were."""
        return game != self.game or not self._quads or any(self._knocked(name, quad) for name, quad in mine.items())

    def _of_most(self, here: Mapping[str, Points]) -> str:
        """The game that most corner codes belong to; the one in view where they are as many."""
        games = [self._corners[name] for name in here]
        return max(sorted(set(games)), key=lambda game: (games.count(game), game == self.game))

    def _knocked(self, name: str, quad: Points) -> bool:
        was = self._quads.get(name)
        if was is None:
            return False
        return bool(np.linalg.norm(quad.mean(0) - was.mean(0)) > KNOCKED_SHARE * np.linalg.norm(was[0] - was[1]))

    def mm(self, px: Points) -> Point | None:
        """The place on the mat under a pixel, or None without a mat in view that would tell."""
        if self.pose is None or self.pose.uncertain_mm > USEFUL_MM:
            return None
        return self.pose.mm(px)

    def zone(self, mm: Point | None) -> str | None:
        return self.mat.zone_at(mm) if self.mat and mm else None
