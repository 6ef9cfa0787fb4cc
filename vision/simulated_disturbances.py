"""Disturbances for the frames of a simulated camera, like those of a cheap webcam on a wobbly arm.

Law: no I/O, no clock; randomness comes from a seeded generator. A disturbance is made for one film (a sequence of
frames). Whatever spans several frames, such as the path of a shadow, is chosen when the disturbance is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Frame

Disturbance = Callable[[Frame, float], Frame]
"""A function that takes a color frame and its time in seconds, and returns the disturbed frame."""
Random = np.random.Generator

HUNT_INTERVAL_S, HUNT_S = 2.5, 0.8
"""A camera with focus hunting is out of focus once in every HUNT_INTERVAL_S seconds, for HUNT_S seconds."""
EXPOSURE_PERIOD_S = 1.3
NIGHTFALL_S, NIGHT_LIGHT = 12.0, 0.25
"""In the disturbance `evening`, the light fades within NIGHTFALL_S seconds to NIGHT_LIGHT times its usual
brightness."""
SHADOW_STRENGTH, SHADOW_PERIOD_S = 0.45, 5.0
KNOCK_S = 8.4
"""When the camera is knocked in a film, in seconds from the start of the film. Nothing else moves at that time."""
KNOCK_TURN_DEG = 1.0


def shake(rng: Random, sigma_px: float) -> Disturbance:
    """A disturbance that shifts each whole frame at random. `sigma_px`: the standard deviation of the shift in each
    direction."""

    def disturb(frame: Frame, t: float) -> Frame:
        return shift_rows(frame, np.tile(rng.normal(0, sigma_px, 2), (frame.shape[0], 1)))

    return disturb


def wobble(rng: Random, amplitude_px: float) -> Disturbance:
    """A disturbance like that of a trembling camera with a rolling shutter. Because the shutter reads the rows one
    after the other, each row is shifted differently, along a sine of this amplitude."""

    def disturb(frame: Frame, t: float) -> Frame:
        rows = np.linspace(0, 1, frame.shape[0])[:, None]
        phase, waves = rng.uniform(0, 2 * math.pi, 2), rng.uniform(0.5, 1.5)
        return shift_rows(frame, amplitude_px * np.sin(2 * math.pi * waves * rows + phase) * (1, 0.5))

    return disturb


def noise(rng: Random, sigma: float) -> Disturbance:
    """A disturbance that adds sensor noise with this standard deviation, in gray levels."""

    def disturb(frame: Frame, t: float) -> Frame:
        grain = np.empty(frame.shape, np.int16)
        cv2.setRNGSeed(int(rng.integers(1 << 30)))
        cv2.randn(grain, np.zeros(3), np.full(3, float(sigma)))
        return np.asarray(cv2.add(frame, grain, dtype=cv2.CV_8U), np.uint8)

    return disturb


def focus_hunting(rng: Random, sigma_px: float) -> Disturbance:
    """A disturbance in which the camera loses its focus now and then, and finds it again. `sigma_px` is the standard
    deviation of the worst blur."""
    start = rng.uniform(0, HUNT_INTERVAL_S)

    def disturb(frame: Frame, t: float) -> Frame:
        share = ((t + start) % HUNT_INTERVAL_S) / HUNT_S
        blur = sigma_px * math.sin(math.pi * share) if share < 1 else 0.0
        return np.asarray(cv2.GaussianBlur(frame, (0, 0), blur), np.uint8) if blur > 0.1 else frame

    return disturb


def exposure_hunting(rng: Random, depth: float) -> Disturbance:
    """A disturbance in which the exposure swings up and down. `depth` is how far the brightness rises or falls at most,
    as a fraction of its usual value."""
    phase = rng.uniform(0, 2 * math.pi)

    def disturb(frame: Frame, t: float) -> Frame:
        return scale_brightness(frame, 1 + depth * math.sin(2 * math.pi * t / EXPOSURE_PERIOD_S + phase))

    return disturb


def mains_bands(rng: Random, depth: float) -> Disturbance:
    """A disturbance like that of a lamp that flickers with the alternating current: dark bands travel over the frame.
    `depth` is the fraction of the brightness that the bands take away."""
    speed, waves = rng.uniform(0.2, 1.5), rng.uniform(0.8, 2.0)

    def disturb(frame: Frame, t: float) -> Frame:
        rows = np.linspace(0, 1, frame.shape[0], dtype=np.float32)[:, None, None]
        return scale_brightness(frame, 1 - depth / 2 + depth / 2 * np.sin(2 * math.pi * (waves * rows + speed * t)))

    return disturb


def wandering_shadow(rng: Random) -> Disturbance:
    """A disturbance in which somebody leans over the table: a soft shadow wanders from side to side."""
    phase, slope, width = rng.uniform(0, 2 * math.pi), rng.uniform(-0.4, 0.4), rng.uniform(0.1, 0.25)

    def disturb(frame: Frame, t: float) -> Frame:
        height, columns = frame.shape[0] // 8, frame.shape[1] // 8
        y, x = np.mgrid[0:height, 0:columns].astype(np.float32) / columns
        middle = 0.5 + 0.6 * math.sin(2 * math.pi * t / SHADOW_PERIOD_S + phase)
        inside = 1 / (1 + np.exp((np.abs(x - middle - slope * y) - width) / 0.02))
        light = cv2.resize((1 - SHADOW_STRENGTH * inside).astype(np.float32), frame.shape[1::-1])
        return scale_brightness(frame, np.asarray(light, np.float32)[:, :, None])

    return disturb


def evening(rng: Random) -> Disturbance:
    """A disturbance in which daylight fades. The noise is stronger from the start, as if the camera had turned up its
    gain."""
    add_noise = noise(rng, 7.0)

    def disturb(frame: Frame, t: float) -> Frame:
        light = 1 - (1 - NIGHT_LIGHT) * min(1.0, t / NIGHTFALL_S)
        return add_noise(scale_brightness(frame, light), t)

    return disturb


def knock(rng: Random, shift_px: float) -> Disturbance:
    """A disturbance in which somebody bumps into the camera at `KNOCK_S`: from then on, the picture is shifted by
    `shift_px` and turned a little."""
    angle = rng.uniform(0, 2 * math.pi)
    turn = float(rng.choice([-1, 1])) * KNOCK_TURN_DEG

    def disturb(frame: Frame, t: float) -> Frame:
        if t < KNOCK_S:
            return frame
        jump = np.array([[0, 0, math.cos(angle)], [0, 0, math.sin(angle)]]) * shift_px
        to = cv2.getRotationMatrix2D((frame.shape[1] / 2, frame.shape[0] / 2), turn, 1.0) + jump
        return np.asarray(cv2.warpAffine(frame, to, frame.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return disturb


def jpeg(rng: Random, quality: int) -> Disturbance:
    """A disturbance that compresses each frame as JPEG with this quality."""

    def disturb(frame: Frame, t: float) -> Frame:
        return np.asarray(cv2.imdecode(cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1))

    return disturb


DISTURBANCES: Mapping[str, Callable[[Random], Disturbance]] = {
    **{f"shake {px} px": partial(shake, sigma_px=px) for px in (0.3, 0.6, 1.0, 2.0)},
    **{f"wobble {px} px": partial(wobble, amplitude_px=px) for px in (0.3, 0.6, 1.0, 4.0)},
    **{f"noise {sigma}": partial(noise, sigma=sigma) for sigma in (16, 22)},
    **{f"focus {px} px": partial(focus_hunting, sigma_px=px) for px in (6, 8)},
    "exposure 35 %": partial(exposure_hunting, depth=0.35),
    "bands 35 %": partial(mains_bands, depth=0.35),
    "shadow": wandering_shadow,
    "evening": evening,
    "knock 40 px": partial(knock, shift_px=40.0),
    "JPEG 15": partial(jpeg, quality=15),
}
"""The disturbances of `tablekeeper bench vision --stress` by name. Each function makes the disturbance of one film."""
MIXABLE = (
    ("shake 1.0 px", "wobble 1.0 px", "knock 40 px"),
    ("exposure 35 %", "bands 35 %", "shadow", "evening"),
    ("focus 6 px", "noise 16", "JPEG 15"),
)
"""Groups of similar disturbances, by their names in DISTURBANCES. `mixed` takes one disturbance from each group."""


def mixed(rng: Random) -> Disturbance:
    """A mixture of three disturbances, one from each group in MIXABLE."""
    parts = [DISTURBANCES[group[rng.integers(len(group))]](rng) for group in MIXABLE]
    return partial(apply_all, parts)


def apply_all(parts: Sequence[Disturbance], frame: Frame, t: float) -> Frame:
    for part in parts:
        frame = part(frame, t)
    return frame


def shift_rows(frame: Frame, shifts: NDArray[np.float64]) -> Frame:
    """The frame with each row shifted in x and y by `shifts` (rows x 2), in pixels."""
    height, width = frame.shape[:2]
    at = shifts.astype(np.float32)
    x = np.arange(width, dtype=np.float32) - at[:, :1]
    y = np.repeat(np.arange(height, dtype=np.float32)[:, None] - at[:, 1:], width, axis=1)
    return np.asarray(cv2.remap(frame, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE))


def scale_brightness(frame: Frame, light: float | NDArray[np.float32]) -> Frame:
    """The frame in more or less light. `light`: one factor for the whole frame, or a factor for each pixel."""
    factors = np.broadcast_to(np.asarray(light, np.float32), frame.shape)
    return np.asarray(cv2.multiply(frame, np.ascontiguousarray(factors), dtype=cv2.CV_8U), np.uint8)
