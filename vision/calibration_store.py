"""Saves the camera's calibration to a file at intervals, and loads it."""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from pathlib import Path

from companion.text.messages import TextLike, _
from vision.tracking.camera_calibration import Calibration, from_json, to_json

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

    def forget(self) -> None:
        """Deletes the saved calibration, if there is one. Failures are ignored: a file that can't be deleted is on a
        disk that can't be written to, which `save` reports."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink()


def load_calibration(path: Path) -> Calibration | None:
    """The calibration in the file at `path`; None if the file can't be read or is not a valid calibration."""
    try:
        return from_json(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def save_calibration(path: Path, calibration: Calibration) -> None:
    """Writes `calibration` to the file at `path`, atomically. Raises OSError if that fails."""
    temporary = path.with_suffix(".new")
    temporary.write_text(to_json(calibration), "utf-8")
    os.replace(temporary, path)
