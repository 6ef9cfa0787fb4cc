"""What fingers do: presses out of levels that chatter, steps out of a dial.

Law: pure functions. Whoever samples the pins keeps what they return and gives it back with the next sample.
"""

from collections import namedtuple

SETTLE_MS = 20
"""A contact counts once it has kept its new level so long; good switches chatter for less than 5."""

Switch = namedtuple("Switch", ("down", "since"))
"""`down`: as it counts. `since`: the time in ms since when the pin says otherwise, or None."""
UP = Switch(False, None)

Dial = namedtuple("Dial", ("levels", "quarters"))
"""`levels`: both contacts as two bits, 3 where the dial rests. `quarters`: quarter steps since it last rested."""
REST = 3
RESTING = Dial(REST, 0)

_QUARTERS = {(3, 1): 1, (1, 0): 1, (0, 2): 1, (2, 3): 1, (1, 3): -1, (0, 1): -1, (2, 0): -1, (3, 2): -1}


def debounced(switch: Switch, down: bool, now: int) -> Switch:
    """The switch after a sample at `now` (ms). It is a press where `down` becomes true."""
    if down == switch.down:
        return switch if switch.since is None else Switch(down, None)
    if switch.since is None:
        return Switch(switch.down, now)
    return Switch(down, None) if now - switch.since >= SETTLE_MS else switch


def turned(dial: Dial, levels: int) -> tuple[Dial, int]:
    """The dial after a sample, and the steps it went: clockwise is positive. A contact that chatters goes back and
    forth, which adds up to nothing. Where one sample came too late, two quarters are not seen, and the step counts."""
    if levels == dial.levels:
        return dial, 0
    quarters = dial.quarters + _QUARTERS.get((dial.levels, levels), 0)
    if levels != REST:
        return Dial(levels, quarters), 0
    steps = (abs(quarters) + 2) // 4
    return RESTING, steps if quarters > 0 else -steps
