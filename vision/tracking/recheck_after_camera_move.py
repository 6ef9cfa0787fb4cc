"""The recheck after the camera or the lamp was moved: all codes are read again. A component counts as gone only if its
code can't be read although most other codes can.

Law: no I/O, no clock; times come from the frames.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

RECHECK_S = 3.0
"""How long codes may take to be read again before a recheck ends."""


@dataclass
class Recheck:
    """A check of which codes can still be read after the camera or the lamp was moved.

    `deadline` is when the recheck ends; infinite while none is running. `expected` is the number of codes to be read
    again. `unread` are the ids of the codes that have not been read again yet. `missing` are the ids of the codes that
    were still unread when an earlier recheck ended; they count as gone. `mat_changed` means that another mat came into
    view, so all components on the old mat have left with it.
    """

    deadline: float = math.inf
    mat_changed: bool = False
    expected: int = 0
    unread: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    @classmethod
    def start(cls, t: float, names: set[str], mat_changed: bool) -> Recheck:
        """Starts a recheck at `t` seconds, which finds out whether the codes with the ids `names` can still be read.
        `mat_changed`: whether another mat has come into view."""
        return cls(t + RECHECK_S, mat_changed, len(names), names)

    @property
    def is_running(self) -> bool:
        return self.deadline < math.inf

    def discard(self, name: str) -> None:
        """Takes the code `name` off the lists of unread and missing codes: it was read, or its component has left."""
        self.unread.discard(name)
        self.missing.discard(name)

    def update(self, t: float) -> None:
        """Ends the recheck if its deadline has passed at `t` seconds, or if all codes have been read again.

        If most codes have been read again, or if the mat was changed, the unread codes become missing. Otherwise
        something probably covers them, and nothing is concluded.
        """
        if t >= self.deadline or not self.unread:
            if self.mat_changed or 2 * len(self.unread) < self.expected:
                self.missing |= self.unread
            self.deadline, self.mat_changed, self.unread = math.inf, False, set()
