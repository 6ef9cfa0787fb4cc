"""No ghosts: a card that was laid over others and taken up again is not believed to be there any longer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.vision_scenes import CARDS, FPS, film, new_watcher, still
from vision.simulated_camera import Placement, Scene

BENEATH = Placement(CARDS[0], 240, 110, 100)
REST_FRAMES = 12
MAX_GHOST_S = 1.0


def laid_and_taken(upper: Placement) -> tuple[Iterator[Scene], int]:
    """Scenes in which a hand lays a card over another and takes it up again, and the number of the first one without it."""
    alone, both = Scene((BENEATH,)), Scene((BENEATH, upper))
    hands = [replace(scene, hand=(upper.x_mm, upper.y_mm)) for scene in still(alone, 3) + still(both, 3)]
    before = [*still(alone, REST_FRAMES), *hands, *still(both, REST_FRAMES), *reversed(hands)]
    return iter([*before, *still(alone, REST_FRAMES)]), len(before) - 3


@pytest.mark.parametrize(("dx", "dy", "angle"), [(0, 0, 60), (15, -10, 75)])
def test_a_card_taken_up_from_another_leaves_though_print_comes_to_light(dx: float, dy: float, angle: float) -> None:
    """The print beneath is as bright and as fine as the code. What proves that the card has gone is that the place
    looks as it did before the card came."""
    upper = Placement(CARDS[3], BENEATH.x_mm + dx, BENEATH.y_mm + dy, angle)
    scenes, gone = laid_and_taken(upper)
    watcher = new_watcher()
    left = [
        event.t - gone / FPS
        for t, frame in film(scenes)
        for event in watcher.process(frame, t)
        if (event.kind, event.id) == ("left", upper.id)
    ]
    assert len(left) == 1
    assert 0 <= left[0] <= MAX_GHOST_S
