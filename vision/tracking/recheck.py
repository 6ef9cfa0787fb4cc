"""After the camera or the lamp was moved, every known code is read again before anything counts as gone.

Law: no I/O, no clock; times are the frames' own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

RECHECK_S = 3.0
"""How long codes may take to be read again."""


@dataclass
class Recheck:
    """Which codes have to be read again, and until when.

    `expected` is the number of codes at the start, `unread` are those that have not been read since. When it ends, the
    majority decides, and `missing` are the components that have left. `mat_changed` means that another mat came into
    view, so that all components of the old one have left with it.
    """

    deadline: float = math.inf
    mat_changed: bool = False
    expected: int = 0
    unread: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    @classmethod
    def start(cls, t: float, names: set[str], mat_changed: bool) -> Recheck:
        """A recheck of these codes from now on."""
        return cls(t + RECHECK_S, mat_changed, len(names), names)

    @property
    def is_running(self) -> bool:
        return self.deadline < math.inf

    def discard(self, name: str) -> None:
        """The code was read, or the component has left."""
        self.unread.discard(name)
        self.missing.discard(name)

    def update(self, t: float) -> None:
        """Ends the recheck at its deadline, or when all codes were read.

        If most codes were read again, the others are missing. Otherwise something probably covers them.
        """
        if t >= self.deadline or not self.unread:
            if self.mat_changed or 2 * len(self.unread) < self.expected:
                self.missing |= self.unread
            self.deadline, self.mat_changed, self.unread = math.inf, False, set()
