"""Draws the tracked codes on a frame.

Law: no I/O, no clock.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.geometry import Frame
from vision.tracking.table_watcher import TableWatcher

OUTLINE_BGR = (60, 200, 60)


def draw_tracks(frame: Frame, watcher: TableWatcher) -> Frame:
    """A copy of the frame in color with the outline and the id of every tracked component."""
    image = np.array(frame if frame.ndim == 3 else cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR), np.uint8)
    for name, track in watcher.tracker.tracks.items():
        corners = track.latest.code.corners.round().astype("int32")
        cv2.polylines(image, [corners], True, OUTLINE_BGR, 2, cv2.LINE_AA)
        label_at = (int(corners[:, 0].min()), int(corners[:, 1].min()) - 6)
        cv2.putText(image, name, label_at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, OUTLINE_BGR, 2, cv2.LINE_AA)
    return image
