"""The places where components recently came or went. Changes in the image around such a place are attributed to the
component.

Law: no I/O, no clock; times come from the frames.
"""

from __future__ import annotations

from vision.tracking.changed_regions import PlacedCode

RECENT_MOTION_S = 2.0
"""For this many seconds after a component came or went, changes around its place are attributed to it."""


class RecentMotion:
    """The places where a component came or went in the last RECENT_MOTION_S seconds."""

    def __init__(self) -> None:
        self._motions: list[tuple[float, PlacedCode]] = []

    @property
    def places(self) -> list[PlacedCode]:
        """The center and the side of the code at each place."""
        return [place for _, place in self._motions]

    def add(self, t: float, place: PlacedCode) -> None:
        """Records that a component came to or left `place` at `t` seconds."""
        self._motions.append((t, place))

    def forget_old(self, t: float) -> None:
        """Forgets what happened RECENT_MOTION_S or more before `t` seconds."""
        self._motions = [(then, place) for then, place in self._motions if t - then < RECENT_MOTION_S]
