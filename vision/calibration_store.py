"""Writes down now and then what the eyes have learned about their camera."""

from __future__ import annotations

import math
import time
from pathlib import Path

from companion.text.translation import later
from vision.tracking.calibration import Calibration, load_calibration, save_calibration

KEEP_S = 60.0
"""So often."""
CAN_NOT_KEEP = later(
    "The eyes are open, but what they learn about the camera can't be written down. Has the disk room, and may your "
    "user write to the data folder?"
)


class Notebook:
    """A file for a calibration; without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._next = time.monotonic() + KEEP_S

    def read(self) -> Calibration | None:
        """What was written before, if it can be used."""
        return load_calibration(self._path) if self._path else None

    def due(self) -> bool:
        """Whether it is time to write."""
        return time.monotonic() >= self._next

    def write(self, learned: Calibration | None) -> str:
        """Writes what there is, and returns what went wrong, once: a full card must not blind the eyes."""
        self._next = time.monotonic() + KEEP_S
        if self._path is None or learned is None:
            return ""
        try:
            save_calibration(self._path, learned)
        except OSError:
            self._path, self._next = None, math.inf
            return CAN_NOT_KEEP
        return ""
