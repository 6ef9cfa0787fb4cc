"""Debounces switches and decodes the rotary encoder.

Law: pure functions. The caller samples the pins, keeps each result and passes it in with the next sample.
"""

from collections import namedtuple

DEBOUNCE_MS = 20
"""How long a contact must keep a new level before the change counts. Good switches bounce for less than 5 ms."""

Switch = namedtuple("Switch", ("down", "changed_at"))
"""The state of a button. `down`: whether it is pressed, debounced. `changed_at`: the time (ms) since which the pin has
differed from `down`, or None if it doesn't differ."""
RELEASED = Switch(False, None)

Dial = namedtuple("Dial", ("levels", "quarter_steps"))
"""The state of the dial. `levels`: both contacts as two bits. `quarter_steps`: how far the dial has turned since it
last rested in a detent, clockwise positive."""
DETENT = 3
"""The levels while the dial rests in a detent: both contacts are open."""
DIAL_AT_REST = Dial(DETENT, 0)

_QUARTER_STEPS = {(3, 1): 1, (1, 0): 1, (0, 2): 1, (2, 3): 1, (1, 3): -1, (0, 1): -1, (2, 0): -1, (3, 2): -1}
"""Maps each change of the levels, (before, after), to its quarter step: 1 is clockwise, -1 counterclockwise."""


def debounce(switch: Switch, down: bool, now: int) -> Switch:
    """The new state of a switch after a sample of its contact at `now` (ms). `down`: whether the contact is closed. A
    press is a change of `Switch.down` from False to True."""
    if down == switch.down:
        return switch if switch.changed_at is None else Switch(down, None)
    if switch.changed_at is None:
        return Switch(switch.down, now)
    return Switch(down, None) if now - switch.changed_at >= DEBOUNCE_MS else switch


def decode_dial(dial: Dial, levels: int) -> tuple[Dial, int]:
    """The new state of the dial after a sample of its levels, and the number of whole steps that it has turned;
    clockwise is positive.

    Contact bounce cancels out. A step consists of four quarter steps, and still counts if two of these are missed
    because the samples come late.
    """
    if levels == dial.levels:
        return dial, 0
    quarter_steps = dial.quarter_steps + _QUARTER_STEPS.get((dial.levels, levels), 0)
    if levels != DETENT:
        return Dial(levels, quarter_steps), 0
    steps = (abs(quarter_steps) + 2) // 4
    return DIAL_AT_REST, steps if quarter_steps > 0 else -steps
