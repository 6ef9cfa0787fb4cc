"""Short films of a simulated table, in which one card is moved, turned, taken away or added while the camera is
disturbed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from companion.commands.stress_films import FPS, FRAME_SIZE, stress_film
from companion.games import GAMES
from companion.simulator.card_images import card_images
from vision.geometry import Frame, GrayImage, Points
from vision.known_codes import component_codes
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, TextureFolder, placement_matrix
from vision.simulated_disturbances import DISTURBANCES
from vision.tracking.reduced_image import reduce
from vision.yuv import to_gray

GAME = "systems-failing"
STILL = "none"
SHAKES = ("shake 0.3 px", "shake 0.6 px")
FILM_DISTURBANCES = (
    STILL,
    "noise 16",
    "noise 22",
    "exposure 35 %",
    "bands 35 %",
    "shadow",
    "JPEG 15",
    *SHAKES,
)
LEAD_FRAMES, REST_FRAMES = 24, 4
"""How many frames show the table at rest before the action, while the noise is learned, and after it."""
CODE_MM, CODE_CENTER_MM = 25.0, (-11.25, 0.0)
"""The side of the code on a card, and the place of the code's center relative to that of the card."""


@dataclass(frozen=True, eq=False)
class Film:
    """A film of one action, with sixteen cards on the table. `frames` are disturbed and noisy, `clean` are the same
    without noise and disturbance. `before` and `after` are the cards at rest before and after the action."""

    disturbance: str
    frames: Sequence[Frame]
    clean: Sequence[Frame]
    before: Sequence[PlacedPrint]
    after: Sequence[PlacedPrint]
    camera: SimulatedCamera

    @cached_property
    def reduced(self) -> Sequence[GrayImage]:
        return [reduce(to_gray(frame)) for frame in self.frames]

    @cached_property
    def clean_reduced(self) -> Sequence[GrayImage]:
        return [reduce(to_gray(frame)) for frame in self.clean]

    def corners(self, card: PlacedPrint) -> Points:
        """The corners of the code on a card, in pixels."""
        half = CODE_MM / 2
        square = np.array([(-half, -half), (half, -half), (half, half), (-half, half)]) + CODE_CENTER_MM
        to_px = self.camera.to_px @ placement_matrix(card)
        return np.asarray(cv2.perspectiveTransform(square[None], to_px)[0], float)

    def table_without(self, card: PlacedPrint) -> GrayImage:
        """The reduced picture of the table before the card was there, without noise."""
        others = tuple(each for each in self.before if each.id != card.id)
        return reduce(to_gray(self.camera.render_clean(Scene(others))))


def films(count: int, seed: int) -> Iterator[Film]:
    """Yields `count` films with each disturbance."""
    names = sorted(name for name in component_codes([GAME]) if name.startswith("SF-D"))
    with tempfile.TemporaryDirectory() as folder:
        camera = SimulatedCamera(dict(TextureFolder(card_images(GAMES[GAME], Path(folder)))), seed, FRAME_SIZE)
    for number in range(count):
        shown = stress_film(names, seed + number)
        for k, disturbance in enumerate(FILM_DISTURBANCES):
            action = shown.actions[(number + k) % len(shown.actions)]
            scenes = shown.scenes[action.start - LEAD_FRAMES : action.rest + REST_FRAMES]
            rng = np.random.default_rng([seed, number, k])
            clean = [camera.render_clean(scene) for scene in scenes]
            frames = [camera.add_noise(each) for each in clean]
            if disturbance != STILL:
                disturb = DISTURBANCES[disturbance](rng)
                frames = [disturb(each, n / FPS) for n, each in enumerate(frames)]
            before, after = scenes[0].placements, scenes[-1].placements
            yield Film(disturbance, frames, clean, before, after, camera)
