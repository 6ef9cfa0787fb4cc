"""Tests of the simulated camera: it computes light and blur only where a scene differs from the last one, and the
result is the same as that of a camera that has seen no other scene."""

from __future__ import annotations

import numpy as np

from tests.vision_scenes import CARDS, camera
from vision.simulated_camera import PlacedPrint, PlacedToken, Scene

LYING = (PlacedPrint(CARDS[0], 200, 150, 20), PlacedPrint(CARDS[1], 230, 160))
AT_THE_EDGE = PlacedPrint(CARDS[2], -30, -20, 45)
SCENES = (
    Scene(LYING),
    Scene(LYING, hand=(300, 100)),
    Scene(LYING[::-1]),
    Scene((*LYING, AT_THE_EDGE), (PlacedToken("red", 440, 240),)),
    Scene((*LYING, AT_THE_EDGE), (PlacedToken("red", 440, 240),), hand=(0, 0)),
    Scene(),
    Scene((PlacedPrint(CARDS[0], 5000, 5000),)),  # outside the frame, so it looks like the last one
)


def test_a_scene_looks_the_same_whatever_was_drawn_before() -> None:
    seen_all = camera()
    for number, scene in enumerate(SCENES):
        assert np.array_equal(seen_all.render_clean(scene), camera().render_clean(scene)), number
