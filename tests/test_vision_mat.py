"""Places on the mat, computed from the mat's corner codes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision_scenes import CORNERS, MAT
from vision.geometry import Points
from vision.tracking.mat_registration import MAX_UNCERTAINTY_MM, MatRegistration, corner_square, estimate_mat_pose

TO_PX = np.array([[2.4, 0.1, 60], [-0.05, 2.5, 40], [1e-5, 2e-4, 1]])
PLACES = np.array([[60.0, 40], [200, 125], [400, 240]])


def px(mm: Points, to_px: Points = TO_PX) -> Points:
    return np.asarray(cv2.perspectiveTransform(mm[None].astype(float), to_px)[0], float)


def corner_quads(*, jitter: float = 0.0, to_px: Points = TO_PX) -> dict[str, Points]:
    """The corner codes in pixels, each corner with Gaussian noise (`jitter`, px)."""
    rng = np.random.default_rng(4)
    return {c.id: px(corner_square(c), to_px) + rng.normal(0, jitter, (4, 2)) for c in MAT.corners}


def register_mat(seen: dict[str, Points]) -> MatRegistration:
    made = MatRegistration({"systems-failing": MAT})
    made.update(seen)
    return made


def worst_mm(mat_view: MatRegistration, to_px: Points = TO_PX) -> float:
    found = [mat_view.locate(p) for p in px(PLACES, to_px)]
    return max(float(np.linalg.norm(np.subtract(a or (1e9, 1e9), b))) for a, b in zip(found, PLACES, strict=True))


def test_four_corners_give_places_and_zones() -> None:
    """With four corner codes, places are accurate to 0.4 mm even if the corners are off by half a pixel."""
    assert worst_mm(register_mat(corner_quads(jitter=0.5))) < 0.4
    assert register_mat(corner_quads()).zone_at((60, 40)) == "left"
    assert register_mat(corner_quads()).zone_at((5, 5)) is None


@pytest.mark.parametrize("hidden", CORNERS)
def test_three_corners_are_enough(hidden: str) -> None:
    """Three corner codes are enough, whichever one is hidden."""
    seen = corner_quads(jitter=0.3)
    del seen[hidden]
    assert worst_mm(register_mat(seen)) < 3


def test_fewer_corners_are_less_certain() -> None:
    """With two corner codes, places are less certain. A single corner code gives no places, because most of the mat is
    too far away from it."""
    seen = corner_quads()
    poses = [estimate_mat_pose({name: seen[name] for name in CORNERS[:n]}, MAT) for n in (4, 2, 1)]
    uncertainties = [pose.uncertainty_mm for pose in poses if pose]
    assert uncertainties == sorted(uncertainties)
    assert uncertainties[-1] > MAX_UNCERTAINTY_MM
    assert register_mat({CORNERS[0]: seen[CORNERS[0]]}).locate((100, 100)) is None
    assert estimate_mat_pose({}, MAT) is None


def test_a_hand_over_a_corner_changes_nothing() -> None:
    """If a hand hides a corner code, the last pose is kept as long as the visible corner codes have not moved."""
    found = register_mat(corner_quads())
    before = found.pose
    three = corner_quads(jitter=0.3)
    del three[CORNERS[2]]
    assert found.update(three) == "same"
    assert found.update({}) == "same"
    assert found.pose is before


@pytest.mark.parametrize("visible", [1, 2])
@pytest.mark.parametrize("shift_px", [(0, 80), (-60, 60), (0, -200)])
def test_other_corners_in_view_show_that_the_camera_was_moved(visible: int, shift_px: tuple[int, int]) -> None:
    """The camera is moved so far that the two corner codes in view leave the image and the two others come into view.
    The earlier places of those that left do not fit the new ones, so they are forgotten."""
    found = register_mat({name: quad for name, quad in corner_quads().items() if name in CORNERS[:2]})
    moved_to_px = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]], [0, 0, 1]]) @ TO_PX
    seen = corner_quads(jitter=0.2, to_px=moved_to_px)
    assert found.update({name: seen[name] for name in CORNERS[2 : 2 + visible]}) == "moved"
    assert found.quads.keys() == set(CORNERS[2 : 2 + visible])


def test_corners_that_come_into_view_refine_the_pose() -> None:
    """Corner codes that a hand had hidden come into view. The camera was not moved, so their places fit the others."""
    seen = corner_quads(jitter=0.5)
    found = register_mat({name: seen[name] for name in CORNERS[:2]})
    assert [found.update({name: seen[name]}) for name in CORNERS[2:]] == ["refined", "refined"]


def test_a_knocked_camera_gives_a_new_pose() -> None:
    """After the camera was moved, the new pose uses only corner codes that have been seen since then."""
    found = register_mat(corner_quads())
    knocked_to_px = np.array([[1, 0.02, 30], [-0.02, 1, -15], [0, 0, 1]]) @ TO_PX
    seen = corner_quads(to_px=knocked_to_px)
    last = seen.pop(CORNERS[3])
    assert found.update(seen) == "moved"
    assert worst_mm(found, knocked_to_px) < 0.5
    assert found.update({CORNERS[3]: last}) == "refined"
    assert worst_mm(found, knocked_to_px) < 0.01
