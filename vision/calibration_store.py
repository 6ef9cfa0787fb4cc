"""Saves the camera's calibration to a file at intervals, and loads it."""

from __future__ import annotations

import math
import time
from pathlib import Path

from companion.text.messages import TextLike, _
from vision.tracking.camera_calibration import Calibration, load_calibration, save_calibration

SAVE_INTERVAL_S = 60.0
SAVE_FAILED = _(
    "The camera works, but its calibration can’t be saved. Check that the disk isn’t full and that your user can write "
    "to the data folder."
)


class CalibrationStore:
    """The file in which a camera's calibration is saved. Without a path nothing is loaded or saved."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._next_save = time.monotonic() + SAVE_INTERVAL_S

    def load(self) -> Calibration | None:
        """The saved calibration; None if there is none or it is not valid."""
        return load_calibration(self._path) if self._path else None

    def is_due(self) -> bool:
        """Whether `SAVE_INTERVAL_S` has passed since the calibration was last saved."""
        return time.monotonic() >= self._next_save

    def save(self, calibration: Calibration | None) -> TextLike:
        """Saves a calibration. Returns "" or, if that fails, an error message for people. After a failure, later calls
        save nothing and return "", because a full disk must not stop the camera."""
        self._next_save = time.monotonic() + SAVE_INTERVAL_S
        if self._path is None or calibration is None:
            return ""
        try:
            save_calibration(self._path, calibration)
        except OSError:
            self._path, self._next_save = None, math.inf
            return SAVE_FAILED
        return ""
