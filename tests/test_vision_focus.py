"""While the camera searches for its focus, no change is reported. Cards that were taken during this time are reported
afterwards."""

from __future__ import annotations

from functools import partial

import cv2
import numpy as np
import pytest

from tests.repetitions import repetitions
from tests.test_vision_light_compensation import ROWS, reduced
from tests.vision_scenes import CARDS, FPS, camera, film, kinds_and_ids, new_watcher, render_code, still
from vision.geometry import Frame
from vision.simulated_camera import Scene
from vision.simulated_disturbances import focus_hunting, scale_brightness
from vision.tracking.appearance import capture_appearance, gray_patch, has_code_texture
from vision.tracking.focus_loss import MAX_LOST_S, FocusMonitor, ReducedView, is_out_of_focus
from vision.tracking.reduced_image import cell_features, reduce


def blurred(frame: Frame, sigma_px: float) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), sigma_px), np.uint8)


def view(frame: Frame) -> ReducedView:
    image = reduced(frame)
    return image, cell_features(image)


def covered(frame: Frame) -> Frame:
    """The frame with a plain cloth over two thirds of it."""
    cloth = frame.copy()
    cloth[:, : frame.shape[1] * 2 // 3] = (90, 110, 100)
    return cloth


def test_blur_is_distinguished_from_light_and_covers() -> None:
    """Only a blurred image counts as out of focus. An image in other light, or with a cloth over the table, does
    not."""
    frame = camera().render(Scene(ROWS))
    shifted = np.roll(frame, (25, 40), (0, 1))
    for sharp in (
        camera().render(Scene(ROWS[3:])),
        covered(frame),
        scale_brightness(frame, 0.5),
        blurred(frame, 0.8),
        shifted,
        blurred(shifted, 5),
    ):
        assert not is_out_of_focus(view(sharp), view(frame))
    for sigma_px in (4, 6, 8):
        assert is_out_of_focus(view(blurred(frame, sigma_px)), view(frame))
        assert is_out_of_focus(view(scale_brightness(blurred(frame, sigma_px), 0.6)), view(frame))


def test_blurred_images_are_used_after_a_while() -> None:
    """If the focus stays lost, blurred images are used after a while. After a sharp image, a new loss of focus is
    detected again."""
    frame = camera().render(Scene(ROWS))
    sharp, lost = view(frame), view(blurred(frame, 6))
    focus = FocusMonitor()
    assert not focus.is_lost(sharp, sharp, 0.0)
    assert focus.is_lost(lost, sharp, 0.1)
    assert not focus.is_lost(lost, sharp, 0.1 + MAX_LOST_S)
    assert not focus.is_lost(sharp, sharp, 20.0)
    assert focus.is_lost(lost, sharp, 20.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(repetitions(3)))
def test_cards_stay_while_the_camera_hunts_for_its_focus(seed: int) -> None:
    """While the camera hunts for its focus, the only event is that of the card that is taken. It comes within a second
    after the frames are sharp again."""
    disturb = partial(focus_hunting, sigma_px=8.0)(np.random.default_rng(seed))
    scenes = [*still(Scene(ROWS), 40), *still(Scene(ROWS[1:]), 80)]
    watcher = new_watcher()
    events = [event for t, frame in film(scenes) for event in watcher.process(disturb(frame, t), t)]
    assert set(kinds_and_ids(events[:10])) == {("appeared", card.id) for card in ROWS}
    assert kinds_and_ids(events[10:]) == [("left", ROWS[0].id)]
    assert events[10].t - 40 / FPS < 1.8  # the camera searches for 0.8 s


def test_a_blurred_picture_of_a_code_does_not_replace_a_sharp_one() -> None:
    """If a code is read while the camera is finding its focus, the sharp picture of it is kept. Once the card has gone,
    the print of the mat might otherwise have as much texture as the code. Only another sharp picture replaces it."""
    frame, corners = render_code(CARDS[0])
    appearance = capture_appearance(frame, reduce(frame), corners, np.ones((1, 1), bool))
    soft, dim = blurred(frame, 2.5), np.asarray(frame * 0.5, np.uint8)
    assert appearance.refreshed(soft, reduce(soft)) is appearance
    refreshed = appearance.refreshed(dim, reduce(dim))
    assert (refreshed.patch == gray_patch(dim, appearance.box)).all()
    assert has_code_texture(refreshed, refreshed.patch)
    assert not has_code_texture(refreshed, gray_patch(blurred(dim, 2.5), appearance.box))
