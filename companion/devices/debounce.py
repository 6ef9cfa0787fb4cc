"""What of a switch's going up and down is a press, and what is its contacts' chatter.

Law: pure. Times are seconds of any clock that never goes back.

gpiozero's own pins wait for a switch to settle, but its mock pins don't, nor do all boards do it equally well; so a
press is judged here once more, the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from companion.tabletop.observations import Button, ButtonPressed

Change = Literal["down", "up", "held"]

AGAIN_S = 0.1
"""No finger presses twice so fast: what follows a press sooner is a worn switch. What is refused begins no new wait, or
fast fingers would be refused for ever."""
SETTLE_S = 0.05
"""Nor so soon after it let go: what goes down again is the switch springing back."""
MOST_HELD = 20
"""A switch that is held so long is stuck, or a book lies on it."""


@dataclass(frozen=True)
class Event:
    """A contact has closed (`down`) or opened (`up`), or is closed for one more stretch of time (`held`)."""

    t: float
    button: Button
    change: Change


@dataclass
class _Switch:
    """When it was pressed and when its contact opened last, and how often it was held since it was pressed."""

    pressed: float = float("-inf")
    up: float = float("-inf")
    held: int = 0


@dataclass
class Switches:
    """The presses of several switches."""

    _switches: dict[Button, _Switch] = field(default_factory=dict)

    def press(self, event: Event) -> ButtonPressed | None:
        """The press that an event is, or None."""
        switch = self._switches.setdefault(event.button, _Switch())
        match event.change:
            case "down":
                if event.t - switch.pressed < AGAIN_S or event.t - switch.up < SETTLE_S:
                    return None
                switch.pressed, switch.held = event.t, 0
                return ButtonPressed(button=event.button)
            case "held":
                switch.held += 1
                return ButtonPressed(button=event.button, held=switch.held) if switch.held <= MOST_HELD else None
            case "up":
                switch.up = event.t
        return None
