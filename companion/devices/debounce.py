"""Debounces buttons: which contact changes are presses, and which are chatter.

Law: pure. Times are seconds of a monotonic clock.

gpiozero's own pins debounce, but its mock pins don't, and boards differ. So presses are debounced here once more, in
the same way everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from companion.tabletop.observations import Button, ButtonPressed

Change = Literal["down", "up", "held"]

MIN_PRESS_INTERVAL_S = 0.1
"""No finger presses twice this fast; a sooner contact comes from a worn switch. A rejected contact does not restart the
interval, or fast fingers would be rejected forever."""
MIN_RELEASE_S = 0.05
"""A contact this soon after a release is the switch bouncing."""
MAX_HOLD_REPEATS = 20
"""After this many repeats the button is stuck, or something lies on it."""


@dataclass(frozen=True)
class ContactChange:
    """A contact closed (`down`), opened (`up`), or has stayed closed for another hold interval (`held`)."""

    t: float
    button: Button
    change: Change


@dataclass
class _Switch:
    """The times of the last press and the last release, seconds, and the hold repeats since that press."""

    pressed: float = float("-inf")
    released: float = float("-inf")
    repeats: int = 0


@dataclass
class Debouncer:
    """Debounces several buttons."""

    _switches: dict[Button, _Switch] = field(default_factory=dict)

    def press_of(self, event: ContactChange) -> ButtonPressed | None:
        """The press that a contact change stands for, or None."""
        switch = self._switches.setdefault(event.button, _Switch())
        match event.change:
            case "down":
                if event.t - switch.pressed < MIN_PRESS_INTERVAL_S or event.t - switch.released < MIN_RELEASE_S:
                    return None
                switch.pressed, switch.repeats = event.t, 0
                return ButtonPressed(button=event.button)
            case "held":
                switch.repeats += 1
                return (
                    ButtonPressed(button=event.button, repeats=switch.repeats)
                    if switch.repeats <= MAX_HOLD_REPEATS
                    else None
                )
            case "up":
                switch.released = event.t
        return None
