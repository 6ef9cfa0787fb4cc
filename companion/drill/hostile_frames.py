"""Frames that a camera should never send: nothing, noise, damage, foreign codes, and light that changes wildly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
import segno

from companion.drill.camera_table import jpeg, jpegs
from vision.geometry import Frame

FOREIGN_COPIES = 4
FOREIGN_TEXTS = ("https://example.org/", "TK:SF-D99", "TK:", "WIFI:S:home;T:WPA;P:secret;;")
MODULE_PX = 4
QUIET_MODULES = 4
COLUMNS = 8
FIRST_ROW_PX, STEP_PX = 320, 240
"""The distance from the top of a frame to the first row of foreign codes, and the distance between codes, in pixels."""
DIM, BRIGHT = 0.12, 3.0
"""The factors by which the brightness is multiplied in the hostile frames of the kind `lightning`."""


def hostile_frames(frame: Frame) -> Mapping[str, Sequence[bytes]]:
    """Maps the name of each kind of hostile frame to JPEG files, which the camera sends in turn, again and again. Every
    picture among them looks different from `frame`, the true frame."""
    noise = np.random.default_rng(1).integers(0, 256, frame.shape, np.uint8)
    picture = jpeg(frame)
    return {
        "black": jpegs([np.zeros_like(frame)]),
        "white": jpegs([np.full_like(frame, 255)]),
        "noise": jpegs([noise, noise[::-1]]),
        "no picture": [b"This is not a picture.", b""],
        "half a picture": [picture[: len(picture) // 2], jpeg(255 - frame)],
        "two pixels": jpegs([frame[:2, :2]]),
        "another size": jpegs([resized(255 - frame, 640, 480), resized(255 - frame, 4000, 3000)]),
        "a mirror": jpegs([frame[:, ::-1]]),
        "two mats": jpegs([two_mats(frame)]),
        "foreign codes": jpegs([with_foreign_codes(frame)]),
        "lightning": jpegs([scaled(frame, DIM), scaled(frame, BRIGHT)]),
    }


def resized(frame: Frame, width: int, height: int) -> Frame:
    """The frame, scaled to another size."""
    return np.asarray(cv2.resize(frame, (width, height)), np.uint8)


def scaled(frame: Frame, factor: float) -> Frame:
    """The frame with its brightness multiplied by `factor`."""
    return np.asarray(np.clip(frame.astype(np.float32) * factor, 0, 255), np.uint8)


def two_mats(frame: Frame) -> Frame:
    """Two copies of the frame, side by side."""
    return np.asarray(np.hstack([frame, frame]), np.uint8)


def with_foreign_codes(frame: Frame) -> Frame:
    """The frame, with QR codes drawn on it that belong to no component."""
    symbols = [text_matrix(text) for text in FOREIGN_TEXTS * FOREIGN_COPIES]
    changed = frame.copy()
    for number, symbol in enumerate(symbols):
        drawn = drawn_code(symbol)
        y, x = FIRST_ROW_PX + number // COLUMNS * STEP_PX, (number % COLUMNS) * STEP_PX
        area = changed[y : y + drawn.shape[0], x : x + drawn.shape[1]]
        area[:] = drawn[: area.shape[0], : area.shape[1]]
    return changed


def text_matrix(text: str) -> tuple[str, ...]:
    """The modules of a QR code with this text: rows of "1" (dark) and "0" (light)."""
    return tuple("".join(str(module & 1) for module in row) for row in segno.make_qr(text).matrix)


def drawn_code(modules: Sequence[str]) -> Frame:
    """A picture of a QR code with its quiet zone. `modules`: the code's rows, with "1" for a dark module."""
    dark = np.array([[module == "1" for module in row] for row in modules])
    gray = np.pad(np.where(dark, 20, 235).astype(np.uint8), QUIET_MODULES, constant_values=235)
    return np.repeat(np.kron(gray, np.ones((MODULE_PX, MODULE_PX), np.uint8))[:, :, None], 3, axis=2)
