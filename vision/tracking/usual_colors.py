"""The usual colors of the cells, which are those of the table when it was last at rest.

Law: no I/O, no clock; times come from the frames.
"""

from __future__ import annotations

import math

from vision.geometry import CellMask
from vision.tracking.cell_colors import CellColors, cell_colors, relight, update_colors
from vision.tracking.change_detection import ChangeDetector
from vision.yuv import CameraImage

USUAL_COLORS_INTERVAL_S = 5.0
"""While the table stays at rest, its usual colors are measured again after this many seconds, because daylight changes
the colors over hours."""


class UsualColors:
    """The usual colors, and which of them can be relied on."""

    def __init__(self) -> None:
        self.colors: CellColors | None = None
        """The colors of the cells when the table was last at rest. None before that, and after the camera or the lamp
        was moved, because each cell may then show another place."""
        self._overexposed: CellMask | None = None
        """Mask of the cells that were overexposed when their colors were measured. None: there are no colors yet."""
        self._measured_at = -math.inf
        self._absorbed: CellMask | None = None
        """Mask of the cells that have become part of the background since the table was last at rest, although nothing
        explains their change. None: there are none."""

    def forget(self) -> None:
        """Forgets all colors."""
        self.colors = self._overexposed = None

    def unknown_hues(self, detector: ChangeDetector) -> CellMask:
        """Mask of the cells that are overexposed now, or were when their colors were measured. Colored surfaces look
        white there."""
        now = detector.overexposed
        return now if self._overexposed is None else now | self._overexposed

    def update(self, image: CameraImage, detector: ChangeDetector, t: float, *, was_at_rest: bool) -> None:
        """Measures the colors of the table, which is at rest in `image`. `was_at_rest`: whether it already was in the
        frame before. If it was not, only the cells whose change nothing explains are measured again, because much is to
        be done in a frame in which the table comes to rest."""
        if self.colors is None or (was_at_rest and t - self._measured_at >= USUAL_COLORS_INTERVAL_S):
            self.colors = relight(cell_colors(image, exact=True), detector.light, image)
            self._overexposed = detector.overexposed.copy()
            self._measured_at = t
        elif self._absorbed is not None and self._absorbed.any():
            self.measure_again(self._absorbed, image, detector)
        self._absorbed = None

    def absorb(self, cells: CellMask) -> None:
        """Notes that `cells` have become part of the background, although nothing explains their change. Their colors
        are measured again once the table is at rest."""
        self._absorbed = cells if self._absorbed is None else self._absorbed | cells

    def measure_again(self, cells: CellMask, image: CameraImage, detector: ChangeDetector) -> None:
        """Replaces the colors of `cells`, if any are known, by those in `image`."""
        if self.colors is not None and self._overexposed is not None and cells.any():
            update_colors(self.colors, cells, image, detector.light)
            self._overexposed[cells] = detector.overexposed[cells]
