"""How high above the table a camera may be mounted to read printed codes and to see the whole mat.

Law: pure. The figures are for the camera that hardware.md recommends, looking straight down: frames 1920 pixels wide,
and a field of view 66 degrees wide. They follow from the measurements in docs/vision.md and have not been tried with a
real camera yet.
"""

from __future__ import annotations

from math import ceil, floor, radians, tan

from companion.component_qr_codes import MODULES
from companion.tabletop.mat import Mat

FRAME_WIDTH_PX = 1920
FIELD_OF_VIEW_DEGREES = 66.0
MIN_PX_PER_MODULE = 2.0
"""The resolution at which codes are read even in poor light: 99 % of them in the hard pictures of docs/vision.md."""
MAT_MARGIN_MM = 20.0
"""The least width of table that a camera above the middle of the mat should see on the left and on the right of the
mat."""

WIDTH_PER_HEIGHT = 2 * tan(radians(FIELD_OF_VIEW_DEGREES / 2))
"""The width of table that the camera sees, divided by the camera's height above the table."""


def max_height_cm(code_mm: float) -> int:
    """The greatest height from which codes of this size are read, in whole cm."""
    visible_mm = FRAME_WIDTH_PX * code_mm / MODULES / MIN_PX_PER_MODULE
    return floor(visible_mm / WIDTH_PER_HEIGHT / 10)


def min_height_cm(mat: Mat) -> int:
    """The least height from which the camera sees the whole mat, in whole cm."""
    return ceil((mat.size[0] + 2 * MAT_MARGIN_MM) / WIDTH_PER_HEIGHT / 10)
