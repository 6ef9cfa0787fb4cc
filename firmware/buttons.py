"""Debounces switches and decodes the rotary encoder.

Law: pure functions. The caller samples the pins, keeps each result and passes it in with the next sample.
"""

from collections import namedtuple

DEBOUNCE_MS = 20
"""How long a contact must hold a new level to count; good switches bounce for less than 5 ms."""

Switch = namedtuple("Switch", ("down", "changed_at"))
"""`down`: the debounced state. `changed_at`: since when (ms) the pin has differed from it, or None."""
RELEASED = Switch(False, None)

Dial = namedtuple("Dial", ("levels", "quarter_steps"))
"""`levels`: both contacts as two bits. `quarter_steps`: counted since the dial last rested in a detent."""
DETENT = 3
"""The levels in a detent: both contacts open."""
DIAL_AT_REST = Dial(DETENT, 0)

_QUARTER_STEPS = {(3, 1): 1, (1, 0): 1, (0, 2): 1, (2, 3): 1, (1, 3): -1, (0, 1): -1, (2, 0): -1, (3, 2): -1}
"""The direction of each transition of the quadrature code, clockwise positive."""


def debounce(switch: Switch, down: bool, now: int) -> Switch:
    """The switch after a sample at `now` (ms). It is a press when `down` becomes true."""
    if down == switch.down:
        return switch if switch.changed_at is None else Switch(down, None)
    if switch.changed_at is None:
        return Switch(switch.down, now)
    return Switch(down, None) if now - switch.changed_at >= DEBOUNCE_MS else switch


def decode_dial(dial: Dial, levels: int) -> tuple[Dial, int]:
    """The dial after a sample, and the whole steps it turned, clockwise positive.

    Contact bounce cancels out. If a late sample misses two quarter steps, the step still counts.
    """
    if levels == dial.levels:
        return dial, 0
    quarter_steps = dial.quarter_steps + _QUARTER_STEPS.get((dial.levels, levels), 0)
    if levels != DETENT:
        return Dial(levels, quarter_steps), 0
    steps = (abs(quarter_steps) + 2) // 4
    return DIAL_AT_REST, steps if quarter_steps > 0 else -steps
