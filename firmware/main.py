"""The main loop of the box: samples inputs, exchanges frames with the host, updates lights and sound. It never blocks.

Hold the dial down while plugging in the box to keep this program from starting, so that new firmware can be installed:
once it runs, it ignores Ctrl-C, and the watchdog can't be stopped.
"""

import os
import select
import sys
import time

import light_bars
import link
import micropython
from board import PIXELS_PER_BAR, Board
from inputs import DIAL_AT_REST, RELEASED, debounce, decode_dial

TURN_TONE_HZ = 1760
REFUSED_TONE_HZ = 220
"""The tone for a press or a turn that does not count, because it can't be sent to the host."""
TONE_MS = 90
MAX_BYTES_PER_READ = 256
"""The most bytes that one pass of the main loop reads, so that a host that sends a lot doesn't delay the lights."""


class Port:
    """The USB serial port. Reading and writing never block. Bytes are written one by one, because `poll` promises room
    for one byte only."""

    def __init__(self) -> None:
        self._in, self._out = select.poll(), select.poll()
        self._in.register(sys.stdin, select.POLLIN)
        self._out.register(sys.stdout, select.POLLOUT)
        self._unsent = b""

    def read(self) -> bytes:
        """The received bytes that have not been read yet, at most `MAX_BYTES_PER_READ`."""
        data = bytearray()
        while len(data) < MAX_BYTES_PER_READ and self._is_ready(self._in, select.POLLIN):
            byte = sys.stdin.buffer.read(1)
            if not byte:
                break
            data += byte
        return bytes(data)

    def write(self, frames: list) -> None:
        """Sends as much of one frame as it can without blocking: the rest of the previous frame if it is not completely
        sent yet, otherwise the first of `frames`, which is removed from the list."""
        if frames and not self._unsent:
            self._unsent = frames.pop(0)
        sent = 0
        while sent < len(self._unsent) and self._is_ready(self._out, select.POLLOUT):
            sent += sys.stdout.buffer.write(self._unsent[sent : sent + 1])
        self._unsent = self._unsent[sent:]

    def _is_ready(self, poll, event: int) -> bool:
        return any(ready & event for _, ready in poll.ipoll(0))


class Box:
    """The box: reports the board's inputs through the link, and shows on the board what the host sends."""

    def __init__(self, board: Board, port: Port, boot: str) -> None:
        self._board, self._port = board, port
        self._link = link.Link(boot, _render)
        self._switches = [RELEASED] * (link.SEATS + 1)
        self._dial = DIAL_AT_REST
        self._beeps = None
        self._tone_ends_at = None

    def run_once(self, now: int) -> None:
        """Runs one pass of the main loop, at `now` (ms)."""
        self._link.receive(self._port.read(), now)
        self._sample_inputs(now)
        self._link.tick(now)
        self._port.write(self._link.outgoing)
        self._update_outputs(now)

    def _sample_inputs(self, now: int) -> None:
        for n, down in enumerate(self._board.read_buttons()):
            before, after = self._switches[n], debounce(self._switches[n], down, now)
            self._switches[n] = after
            if after.down and not before.down:
                self._send_event("PRESS", f"seat{n}" if n < link.SEATS else "dial", now)
        self._dial, steps = decode_dial(self._dial, self._board.read_dial())
        if steps:
            self._send_event("TURN", str(steps), now)

    def _send_event(self, kind: str, what: str, now: int) -> None:
        if not self._link.send_event(kind, what, now):
            self._start_tone(REFUSED_TONE_HZ, now)

    def _update_outputs(self, now: int) -> None:
        display = self._link.display
        if self._link.phase == link.READY and display:
            self._board.set_lamps(
                [lamp == "1" or (lamp == "b" and light_bars.is_blink_on(now)) for lamp in display.lamps]
            )
            bars = display.pixels
            if display.fix != [None, None] and light_bars.is_blink_on(now):
                bars = [light_bars.fix_pattern(column, link.EIGHTHS, PIXELS_PER_BAR) for column in display.fix]
            if self._beeps not in (None, display.beeps):
                self._start_tone(TURN_TONE_HZ, now)
            self._beeps = display.beeps
        else:
            self._board.set_lamps([False] * link.SEATS)
            pattern = {link.HOST_LOST: light_bars.host_lost_pattern, link.FOREIGN: light_bars.foreign_pattern}.get(
                self._link.phase, light_bars.waiting_pattern
            )
            bars = [pattern(PIXELS_PER_BAR, now)] * 2
        for n, pixels in enumerate(bars):
            self._board.show_bar(n, pixels)
        if self._tone_ends_at is not None and now >= self._tone_ends_at:
            self._tone_ends_at = None
            self._board.set_tone(0)

    def _start_tone(self, hertz: int, now: int) -> None:
        self._tone_ends_at = now + TONE_MS
        self._board.set_tone(hertz)


def _render(first: str, second: str, dial: str) -> list:
    """The pixels of both light bars, which show the meters `first` and `second`; the second bar shows the dial's
    position too. Raises ValueError."""
    return [light_bars.bar(first, PIXELS_PER_BAR), light_bars.with_dial(light_bars.bar(second, PIXELS_PER_BAR), dial)]


def main() -> None:
    """Runs the main loop forever. Returns at once if the dial is held down at the start."""
    board = Board()
    if board.read_buttons()[-1]:
        return
    micropython.kbd_intr(-1)  # Ctrl-C is a byte like any other
    box = Box(board, Port(), "".join(f"{byte:02x}" for byte in os.urandom(4)))
    board.start_watchdog()
    now, last = 0, time.ticks_ms()
    while True:
        tick = time.ticks_ms()
        now, last = now + time.ticks_diff(tick, last), tick  # `tick` wraps around after twelve days, `now` does not
        box.run_once(now)
        board.feed_watchdog()


if __name__ == "__main__":
    main()
