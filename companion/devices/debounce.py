"""Debounces buttons: decides which changes of a contact are presses, and which are chatter.

Law: pure. Times are seconds of a monotonic clock.

gpiozero's own pins debounce, but its mock pins don't, and boards differ. So presses are debounced here once more, in
the same way everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from companion.tabletop.observations import Button, ButtonPressed

Change = Literal["down", "up", "held"]

MIN_PRESS_INTERVAL_S = 0.1
"""The shortest time between two presses. No finger is faster: if a contact closes again sooner, the switch is worn. A
rejected contact does not restart the interval; otherwise fast fingers would be rejected forever."""
MIN_RELEASE_S = 0.05
"""A contact within this time after a release is not a press: the switch is bouncing."""
MAX_HOLD_REPEATS = 20
"""A press repeats at most this often while the button is held. A button that is held longer is stuck, or something lies
on it."""


@dataclass(frozen=True)
class ContactChange:
    """A change of a button's contact at the time `t`: it closed (`down`), opened (`up`), or has stayed closed for
    another hold interval (`held`)."""

    t: float
    button: Button
    change: Change


@dataclass
class _Switch:
    """The state of a button: the times of its last press and its last release, in seconds, and how often that press has
    repeated while the button is held."""

    pressed: float = float("-inf")
    released: float = float("-inf")
    repeats: int = 0


@dataclass
class Debouncer:
    """Debounces several buttons, each on its own."""

    _switches: dict[Button, _Switch] = field(default_factory=dict)

    def press_of(self, event: ContactChange) -> ButtonPressed | None:
        """The press that a contact change means, or the repeat of a press while the button is held; None if it means
        neither."""
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
