"""Runs the firmware's own files in MicroPython, in lock-step with the bench. The firmware's loop calls `WDT.feed` once
a round; here this function waits until the bench sends the next time and pin levels.

Arguments: the firmware's folder, the descriptors for commands and answers, the levels at the start, ticks at the start,
and the protocol version to pretend (0: its own).
"""

import json
import sys

FOLDER, COMMANDS, ANSWERS, LEVELS, TICKS, VERSION = sys.argv[1:7]
TICKS_LIMIT = 1 << 30

commands = open("/dev/fd/" + COMMANDS, "rb")  # noqa: SIM115  # both stay open as long as the program runs
answers = open("/dev/fd/" + ANSWERS, "wb")  # noqa: SIM115
levels, ticks = int(LEVELS), int(TICKS)
pins, bars, sound = {}, {}, 0
watchdog, interrupt = 0, 3  # by default, Ctrl-C (3) interrupts MicroPython
changed = True


def tell(runs):
    global changed
    outputs = [list(pins.items()), list(bars.items()), sound, watchdog, interrupt, runs]
    said = json.dumps(outputs).encode() if changed else b""
    changed = False
    answers.write(len(said).to_bytes(2, "little") + said)


class Pin:
    IN, OUT, PULL_UP = range(3)

    def __init__(self, number, mode=None, pull=None, value=0):
        self.number = number
        assert mode != Pin.IN or pull == Pin.PULL_UP, "a button's pin floats"
        if mode == Pin.OUT:
            pins[number] = value

    def value(self, level=None):
        global changed
        if level is None:
            return levels >> self.number & 1
        if pins[self.number] != level:
            pins[self.number] = level
            changed = True
        return None


class PWM:
    def __init__(self, pin):
        self._hertz = 0

    def freq(self, hertz):
        self._hertz = hertz

    def duty_u16(self, duty):
        global sound, changed
        sound, changed = self._hertz if duty else 0, True


class WDT:
    def __init__(self, timeout):
        global watchdog, changed
        assert timeout <= 8388  # the longest timeout of the RP2040
        watchdog, changed = timeout, True

    def feed(self):
        global levels, ticks
        tell(True)
        command = commands.read(8)
        if len(command) < 8:
            sys.exit()
        ticks = (ticks + int.from_bytes(command[:4], "little")) % TICKS_LIMIT
        levels = int.from_bytes(command[4:], "little")


class NeoPixel:
    def __init__(self, pin, count):
        self._number, self._pixels = pin.number, [(0, 0, 0)] * count
        bars[pin.number] = list(self._pixels)

    def __setitem__(self, n, color):
        self._pixels[n] = color

    def write(self):
        global changed
        bars[self._number], changed = list(self._pixels), True


class Clock:
    @staticmethod
    def ticks_ms():
        return ticks

    @staticmethod
    def ticks_diff(end, start):  # MicroPython on 64 bits wraps around later than on a Pico
        return (end - start + TICKS_LIMIT // 2) % TICKS_LIMIT - TICKS_LIMIT // 2


class Micropython:
    @staticmethod
    def kbd_intr(byte):
        global interrupt, changed
        interrupt, changed = byte, True


class Machine:
    Pin, PWM, WDT = Pin, PWM, WDT


class Neopixel:
    NeoPixel = NeoPixel


sys.modules.update({"machine": Machine, "neopixel": Neopixel, "time": Clock, "micropython": Micropython})
sys.path.insert(0, FOLDER)

import main  # noqa: E402  # the fakes come first
import protocol  # noqa: E402

protocol.PROTOCOL = int(VERSION) or protocol.PROTOCOL
main.main()
changed = True
tell(False)  # the firmware has left its loop
