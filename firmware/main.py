"""The main loop of the box: samples inputs, exchanges frames with the host, updates lights and sound. It never blocks.

To install new firmware, hold the dial down while plugging in the box. This keeps the program from starting. Once it
runs, it ignores Ctrl-C, and the watchdog can't be stopped.
"""

import os
import select
import sys
import time

import host_session
import light_bar_pixels
import micropython
from hardware import PIXELS_PER_BAR, Hardware
from inputs import DIAL_AT_REST, RELEASED, debounce, decode_dial

TURN_TONE_HZ = 1760
REFUSED_TONE_HZ = 220
"""The tone for a press or a turn that does not count, because it can't be sent to the host."""
TONE_MS = 90
MAX_BYTES_PER_READ = 256
"""The most bytes that one pass of the main loop reads, so that a host that sends a lot doesn't delay the lights."""


class Port:
    """The USB serial port. Reading and writing never block. Bytes are written one by one, because `poll` only
    guarantees room for one byte."""

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
        """Sends as much of one frame as it can without blocking. This is the rest of the previous frame, if that is not
        completely sent yet. Otherwise it is the first of `frames`, which is then removed from the list."""
        if frames and not self._unsent:
            self._unsent = frames.pop(0)
        sent = 0
        while sent < len(self._unsent) and self._is_ready(self._out, select.POLLOUT):
            sent += sys.stdout.buffer.write(self._unsent[sent : sent + 1])
        self._unsent = self._unsent[sent:]

    def _is_ready(self, poll, event: int) -> bool:
        return any(ready & event for _, ready in poll.ipoll(0))


class MainLoop:
    """The main loop: sends button presses and turns of the dial to the host, and shows what the host has sent."""

    def __init__(self, hardware: Hardware, port: Port, boot: str) -> None:
        self._hardware, self._port = hardware, port
        self._session = host_session.HostSession(boot, _render)
        self._switches = [RELEASED] * (host_session.SEATS + 1)
        self._dial = DIAL_AT_REST
        self._beeps = None
        self._tone_ends_at = None

    def run_once(self, now: int) -> None:
        """Runs one pass of the main loop, at `now` (ms)."""
        self._session.receive(self._port.read(), now)
        self._sample_inputs(now)
        self._session.tick(now)
        self._port.write(self._session.outgoing)
        self._update_outputs(now)

    def _sample_inputs(self, now: int) -> None:
        for n, down in enumerate(self._hardware.read_buttons()):
            before, after = self._switches[n], debounce(self._switches[n], down, now)
            self._switches[n] = after
            if after.down and not before.down:
                self._send_event("PRESS", f"seat{n}" if n < host_session.SEATS else "dial", now)
        self._dial, steps = decode_dial(self._dial, self._hardware.read_dial())
        if steps:
            self._send_event("TURN", str(steps), now)

    def _send_event(self, kind: str, what: str, now: int) -> None:
        if not self._session.send_event(kind, what, now):
            self._start_tone(REFUSED_TONE_HZ, now)

    def _update_outputs(self, now: int) -> None:
        display = self._session.display
        if self._session.phase == host_session.READY and display:
            self._hardware.set_lamps(
                [lamp == "1" or (lamp == "b" and light_bar_pixels.is_blink_on(now)) for lamp in display.lamps]
            )
            bars = display.pixels
            if display.fix != [None, None] and light_bar_pixels.is_blink_on(now):
                bars = [
                    light_bar_pixels.fix_pattern(column, host_session.EIGHTHS, PIXELS_PER_BAR) for column in display.fix
                ]
            if self._beeps not in (None, display.beeps):
                self._start_tone(TURN_TONE_HZ, now)
            self._beeps = display.beeps
        else:
            self._hardware.set_lamps([False] * host_session.SEATS)
            pattern = {
                host_session.HOST_LOST: light_bar_pixels.host_lost_pattern,
                host_session.FOREIGN: light_bar_pixels.foreign_pattern,
            }.get(self._session.phase, light_bar_pixels.waiting_pattern)
            bars = [pattern(PIXELS_PER_BAR, now)] * 2
        for n, pixels in enumerate(bars):
            self._hardware.show_bar(n, pixels)
        if self._tone_ends_at is not None and now >= self._tone_ends_at:
            self._tone_ends_at = None
            self._hardware.set_tone(0)

    def _start_tone(self, hertz: int, now: int) -> None:
        self._tone_ends_at = now + TONE_MS
        self._hardware.set_tone(hertz)


def _render(first: str, second: str, dial: str) -> list:
    """The pixels of both light bars, which show the meters `first` and `second`; the second bar shows the dial's
    position too. Raises ValueError if one of the texts is malformed."""
    return [
        light_bar_pixels.bar(first, PIXELS_PER_BAR),
        light_bar_pixels.with_dial(light_bar_pixels.bar(second, PIXELS_PER_BAR), dial),
    ]


def main() -> None:
    """Runs the main loop forever. Returns at once if the dial is held down at the start."""
    hardware = Hardware()
    if hardware.read_buttons()[-1]:
        return
    micropython.kbd_intr(-1)  # Ctrl-C is a byte like any other
    loop = MainLoop(hardware, Port(), "".join(f"{byte:02x}" for byte in os.urandom(4)))
    hardware.start_watchdog()
    now, last = 0, time.ticks_ms()
    while True:
        tick = time.ticks_ms()
        now, last = now + time.ticks_diff(tick, last), tick  # `tick` wraps around after twelve days; `now` doesn't
        loop.run_once(now)
        hardware.feed_watchdog()


if __name__ == "__main__":
    main()
