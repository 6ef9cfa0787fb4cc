"""Draws the picture of the table that everyone may see: the mat from above, without anything that is hidden.

Law: no I/O, no clock. In a game with hidden information, the picture shows only components whose codes are public, each
cut out along its outline. Everything else is drawn: blank paper and the outlines of the zones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import cv2
import numpy as np

from companion.tabletop.component_outline import Outline, PlacedOutline
from companion.tabletop.mat import Mat, Point
from vision.geometry import Frame
from vision.tracking.mat_registration import MatPose
from vision.tracking.tracker import Track

PAPER_BGR = (238, 240, 240)
LINE_BGR = (200, 196, 190)
WEBP_QUALITY = 60
INSET_MM = 1.0
"""Components are cut out this far inside their outlines, so that nothing beside them is visible."""


def public_picture(
    frame: Frame, pose: MatPose, mat: Mat, px_per_mm: float, shown: Collection[PlacedOutline] | None
) -> Frame:
    """The picture of a mat in `frame`, seen from above. `shown`: the components that everyone may see. If it is None,
    nothing is hidden, and the picture shows the whole mat."""
    picture = mat_from_above(frame, pose, mat, px_per_mm)
    if shown is None:
        return picture
    mask = np.zeros(picture.shape[:2], np.uint8)
    for each in shown:
        cv2.fillPoly(mask, [_pixels(each.corners(INSET_MM), px_per_mm)], 1)
    drawn = _drawn_mat(mat, picture, px_per_mm)
    return np.asarray(np.where(mask[:, :, None] > 0, picture, drawn), np.uint8)


def placed_outlines(tracks: Mapping[str, Track], outlines: Mapping[str, Outline]) -> list[PlacedOutline]:
    """The outlines of the components with these tracks, at their places. Components whose place or outline is unknown
    are left out."""
    found = ((outlines[code], track.latest) for code, track in tracks.items() if code in outlines)
    return [
        PlacedOutline(outline, seen.mm, seen.mat_angle)
        for outline, seen in found
        if seen.mm is not None and seen.mat_angle is not None
    ]


def mat_from_above(frame: Frame, pose: MatPose, mat: Mat, px_per_mm: float) -> Frame:
    """The part of `frame` that shows the mat, as seen from directly above."""
    to_mm = pose.to_mm
    if pose.distortion is not None and pose.undistorted_to_mm is not None:
        frame, to_mm = pose.distortion.undistort_frame(frame), pose.undistorted_to_mm
    size = (round(mat.size[0] * px_per_mm), round(mat.size[1] * px_per_mm))
    to_picture = np.diag([px_per_mm, px_per_mm, 1.0]) @ to_mm
    return np.asarray(cv2.warpPerspective(frame, to_picture, size, flags=cv2.INTER_AREA), np.uint8)


def encode_webp(picture: Frame) -> bytes:
    """The picture as a small WebP file."""
    return bytes(cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, WEBP_QUALITY])[1])


def _drawn_mat(mat: Mat, picture: Frame, px_per_mm: float) -> Frame:
    """Blank paper with the outlines of the mat's zones, as large as `picture`."""
    drawn = np.full_like(picture, PAPER_BGR)
    for zone in mat.zones:
        cv2.polylines(drawn, [_pixels(zone.polygon, px_per_mm)], True, LINE_BGR, 1, cv2.LINE_AA)
    return drawn


def _pixels(polygon: Collection[Point], px_per_mm: float) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.round(np.array(list(polygon)) * px_per_mm).astype(np.int32)
