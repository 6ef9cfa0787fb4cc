"""The box's program: one loop that samples, listens, tells and shows, and never waits for anything.

A dial held down while the box is plugged in keeps it from starting, so that new firmware can be put on it: while it
runs, Ctrl-C is a byte like any other, and the watchdog stays on until power is off.
"""

import os
import select
import sys
import time

import link
import meters
import micropython
from board import PIXELS, Board
from buttons import RESTING, UP, debounced, turned

BEEP = 1760
REFUSED = 220
"""Hertz: what tells a player that it is their turn, and that a press did not count."""
BEEP_MS = 90
READ_MOST = 256
"""Bytes taken in one round, so that a talkative host never keeps the lights waiting."""


class Port:
    """The USB line: reads what is there, writes what there is room for, byte by byte: that there is room means no more
    than one byte, and a write that does not fit would keep the lights waiting."""

    def __init__(self) -> None:
        self._in, self._out = select.poll(), select.poll()
        self._in.register(sys.stdin, select.POLLIN)
        self._out.register(sys.stdout, select.POLLOUT)
        self._rest = b""

    def read(self) -> bytes:
        """What has come in."""
        data = bytearray()
        while len(data) < READ_MOST and self._ready(self._in, select.POLLIN):
            byte = sys.stdin.buffer.read(1)
            if not byte:
                break
            data += byte
        return bytes(data)

    def write(self, lines: list) -> None:
        """Takes the first of the lines off the list once the one before is out, and sends of it what fits."""
        if lines and not self._rest:
            self._rest = lines.pop(0)
        sent = 0
        while sent < len(self._rest) and self._ready(self._out, select.POLLOUT):
            sent += sys.stdout.buffer.write(self._rest[sent : sent + 1])
        self._rest = self._rest[sent:]

    def _ready(self, poll, event: int) -> bool:
        return any(found & event for _, found in poll.ipoll(0))


class Box:
    """The board and the link, joined."""

    def __init__(self, board: Board, port: Port, boot: str) -> None:
        self._board, self._port = board, port
        self._link = link.Link(boot, _pixels)
        self._switches = [UP] * (link.SEATS + 1)
        self._dial = RESTING
        self._beeps = None
        self._silent_at = None

    def round(self, now: int) -> None:
        """Everything once, at `now` (ms)."""
        self._link.receive(self._port.read(), now)
        self._sample(now)
        self._link.tick(now)
        self._port.write(self._link.out)
        self._show(now)

    def _sample(self, now: int) -> None:
        for n, down in enumerate(self._board.pressed()):
            before, after = self._switches[n], debounced(self._switches[n], down, now)
            self._switches[n] = after
            if after.down and not before.down:
                self._tell("PRESS", f"seat{n}" if n < link.SEATS else "dial", now)
        self._dial, steps = turned(self._dial, self._board.dial())
        if steps:
            self._tell("TURN", str(steps), now)

    def _tell(self, kind: str, what: str, now: int) -> None:
        if not self._link.tell(kind, what, now):
            self._sound(REFUSED, now)

    def _show(self, now: int) -> None:
        display = self._link.display
        if self._link.host == link.HERE and display:
            self._board.light([lamp == "1" or (lamp == "b" and meters.lit(now)) for lamp in display.lamps])
            bars = display.pixels
            if self._beeps not in (None, display.beeps):
                self._sound(BEEP, now)
            self._beeps = display.beeps
        else:
            self._board.light([False] * link.SEATS)
            pattern = {link.LOST: meters.lost, link.FOREIGN: meters.foreign}.get(self._link.host, meters.waiting)
            bars = [pattern(PIXELS, now)] * 2
        for n, pixels in enumerate(bars):
            self._board.paint(n, pixels)
        if self._silent_at is not None and now >= self._silent_at:
            self._silent_at = None
            self._board.sound(0)

    def _sound(self, hertz: int, now: int) -> None:
        self._silent_at = now + BEEP_MS
        self._board.sound(hertz)


def _pixels(first: str, second: str, dial: str) -> list:
    return [meters.bar(first, PIXELS), meters.pointed(meters.bar(second, PIXELS), dial)]


def main() -> None:
    """Runs for ever, unless the dial is held down."""
    board = Board()
    if board.pressed()[-1]:
        return
    micropython.kbd_intr(-1)
    box = Box(board, Port(), "".join(f"{byte:02x}" for byte in os.urandom(4)))
    board.guard()
    now, last = 0, time.ticks_ms()
    while True:
        tick = time.ticks_ms()
        now, last = now + time.ticks_diff(tick, last), tick  # ticks begin again after twelve days, `now` does not
        box.round(now)
        board.feed()


if __name__ == "__main__":
    main()
