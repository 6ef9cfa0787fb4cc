"""The size of signals, and the place of the code on them. Signals are as large as the lanes of a board allow.

Law: pure.
"""

from __future__ import annotations

from typing import Final

from companion.component_qr_codes import MODULES
from companion.games.traffic_congestion.mat_street_geometry import StreetPlan
from companion.tabletop.component_outline import Outline

CLEARANCE_MM: Final = 1.0
"""The difference between the width of a lane and the width of its signal."""
MARGIN_MM: Final = 0.6
"""The width of the unprinted border of a signal."""
HEAD_MM: Final = 4.4
"""The height of the arrow's head above the code's quiet zone."""
MAX_CODE_MM: Final = 25.0
QUIET_ZONE_RATIO: Final = (MODULES + 8) / MODULES
"""The ratio between the side of a code with its quiet zone and the side of the code alone. The quiet zone is four
modules wide."""


def signal_side(plan: StreetPlan) -> float:
    """The side of the square signals on a board, in mm."""
    return round(plan.lane_width - CLEARANCE_MM, 1)


def signal_outline(plan: StreetPlan) -> Outline:
    """The outline of the signals on a board. The code is directly below the arrowhead. If its center would then be
    above the middle of the signal, the code is in the middle instead."""
    side = signal_side(plan)
    room = side - 2 * MARGIN_MM - HEAD_MM
    white = min(MAX_CODE_MM * QUIET_ZONE_RATIO, room)
    shoulder = side - MARGIN_MM - HEAD_MM
    return Outline((side, side), (0.0, max(0.0, side / 2 - (shoulder - white / 2))), white / QUIET_ZONE_RATIO)
