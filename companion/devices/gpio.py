"""Buttons, the status light and the buzzer on a Raspberry Pi's pins, by way of gpiozero.

A button connects its pin to ground. gpiozero's callbacks only put something in a queue, within `try`: a
handler that raises ends all later events of the process. What of it is a press is told by `companion.devices.debounce`.
gpiozero and lgpio are imported late, since lgpio wants a folder to write in when it is imported. Open the pins in the
process that uses them: a Button made before a fork hangs.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from companion.devices import DeviceError, DeviceMissing, DeviceNotMissed
from companion.devices.debounce import Change, Event, Switches
from companion.table.table import View
from companion.tabletop.observations import Button, DeviceHealth, Observation
from companion.text.translation import _, in_each, later

NAME = "gpio"
MODEL = Path("/proc/device-tree/model")
"""Where a Pi says what it is."""


@dataclass(frozen=True)
class Pins:
    """BCM numbers; `BOARD` has the printed ones. `buzzer` None: there is none."""

    next: int = 17
    draw: int = 27
    undo: int = 22
    confirm: int = 23
    led: int = 24
    buzzer: int | None = None

    def used(self) -> dict[str, int]:
        """The pins that something hangs on, by what it is."""
        return {name: bcm for name, bcm in asdict(self).items() if bcm is not None}


WIRES = {
    "next": later("next"),
    "draw": later("draw"),
    "undo": later("undo"),
    "confirm": later("confirm"),
    "led": later("led"),
    "buzzer": later("buzzer"),
}
"""What hangs on the pins, as people call it."""

BOARD = {
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10,
    16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""The pin of the 40-pin header for a BCM number."""

BOUNCE_S = 0.03
"""Switches settle within a few milliseconds; lgpio tells an edge only after it has lasted so long."""
HOLD_S = 0.8
"""Undo that is held down goes one act further back each time so much has passed."""
BEEP_S = 0.08

LampMode = Literal["off", "on", "waiting", "amiss"]
BLINKS = {"waiting": (0.8, 0.8), "amiss": (0.15, 0.15)}
"""Seconds on and off."""


def lamp_mode(view: View | None) -> LampMode:
    """off: nothing is played; amiss: something on the table is to be put right; waiting: the companion waits
    for people to deal or to move things; on: somebody's turn."""
    if view is None or view.turn is None:
        return "off"
    if view.discrepancies:
        return "amiss"
    return "waiting" if view.pause or not isinstance(view.turn, int) else "on"


@dataclass(frozen=True)
class Heard:
    """What the buzzer goes by: whose turn it was when the table was shown last."""

    turn: int | None = None

    def beeps(self, view: View | None, *, asked: bool) -> int:
        """Two where a press of ours (`asked`) has brought a word of refusal, one where the turn has come to another
        seat, else none."""
        if view is None:
            return 0
        return 2 if asked and view.notice else int(isinstance(view.turn, int) and view.turn != self.turn)


def is_pi() -> bool:
    """Whether this machine is a Raspberry Pi."""
    try:
        return "Raspberry Pi" in MODEL.read_text("ascii", "replace")
    except OSError:  # most other machines say nothing of themselves there
        return False


def real_pins(folder: Path) -> Any:
    """gpiozero's factory for the Pi's own pins; raises DeviceError with the mend."""
    os.environ.setdefault("LG_WD", str(folder))
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    except ImportError as error:
        raise DeviceMissing(
            later("The library for GPIO is missing."),
            later(
                "On a Pi: .venv/bin/pip install 'tablekeeper[pi]'. Elsewhere: use --simulate, or play without buttons."
            ),
        ) from error
    except OSError as error:  # it makes a file in LG_WD as it is imported
        where, what = os.environ["LG_WD"], error.strerror
        says = later("The library for GPIO can't write to {path} ({why}).", path=where, why=what)
        raise DeviceMissing(says, later("Name a folder of yours with --data.")) from error
    try:
        return LGPIOFactory()
    except Exception as error:  # lgpio has an error type of its own, gpiozero several
        raise DeviceError(later("The GPIO pins don't open ({why}).", why=error), _mend(str(error))) from error


def _mend(said: str) -> str:
    if "gpiochip" in said:
        return later("Add your user to the group: sudo usermod -aG gpio $USER, then log in again.")
    return later("Is this a Raspberry Pi? Elsewhere use --simulate, or play without buttons.")


def mock_pins() -> Any:
    """gpiozero's pins that no board has."""
    from gpiozero.pins.mock import MockFactory

    return MockFactory()


class Gpio:
    """The four buttons as a device, the lamp, and the buzzer if there is one. `factory` is gpiozero's; closing leaves
    it open."""

    def __init__(self, factory: Any, pins: Pins = Pins(), *, simulated: bool = False) -> None:
        self.pins = pins
        self.simulated = simulated
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._mode: LampMode = "off"
        self._heard, self._asked = Heard(), threading.Event()
        self._parts: list[Any] = []
        try:
            self._open(factory)
        except Exception as error:
            self.close()
            says = later("A GPIO pin can't be used ({why}).", why=error)
            raise DeviceError(says, later("Is another program using it?")) from error

    def _open(self, factory: Any) -> None:
        from gpiozero import LED, Buzzer

        for button in get_args(Button):
            self._parts.append(self._switch(factory, button))
        self._led = LED(self.pins.led, pin_factory=factory)
        self._parts.append(self._led)
        self._buzzer = None if self.pins.buzzer is None else Buzzer(self.pins.buzzer, pin_factory=factory)
        self._parts += [self._buzzer] if self._buzzer else []

    def _switch(self, factory: Any, button: Button) -> Any:
        from gpiozero import Button as Switch

        held = button == "undo"
        made = Switch(
            getattr(self.pins, button),
            bounce_time=BOUNCE_S,
            hold_time=HOLD_S,
            hold_repeat=held,
            pin_factory=factory,
        )
        made.when_pressed, made.when_released = self._handler(button, "down"), self._handler(button, "up")
        if held:
            made.when_held = self._handler(button, "held")
        return made

    def _handler(self, button: Button, change: Change) -> Any:
        def happened() -> None:
            try:
                self._events.put(Event(time.monotonic(), button, change))
            except Exception:  # nothing may leave a handler, see above
                return

        return happened

    def __iter__(self) -> Iterator[Observation]:
        yield DeviceHealth(device=NAME, ok=True, says=self.says)
        switches = Switches()
        while (event := self._events.get()) is not None:
            if press := switches.press(event):
                if not press.held:
                    self._asked.set()
                yield press

    @property
    def says(self) -> str:
        """What is ready, and where its wires go."""
        if self.simulated:
            return later("The four buttons and the light are simulated.")
        return in_each(self._ready)

    def _ready(self) -> str:
        where = ", ".join(f"{_(WIRES[name])} {BOARD.get(bcm, '?')}" for name, bcm in self.pins.used().items())
        return _("Buttons and light are ready; their pins: {where}.", where=where)

    def close(self) -> None:
        self._events.put(None)
        with self._guard:
            parts, self._parts = self._parts, []
        for part in parts:
            part.close()

    @property
    def mode(self) -> LampMode:
        """What the lamp shows."""
        return self._mode

    def show(self, view: View | None) -> None:
        """Lets the lamp and the buzzer tell how the table stands; an outlet of the service."""
        mode = lamp_mode(view)
        with self._guard:
            if not self._parts:
                return
            self._beep(view)
            if mode == self._mode:
                return
            self._mode = mode
            if mode in BLINKS:
                self._led.blink(*BLINKS[mode])
            elif mode == "on":
                self._led.on()
            else:
                self._led.off()

    def _beep(self, view: View | None) -> None:
        asked = self._asked.is_set()
        self._asked.clear()
        count = self._heard.beeps(view, asked=asked)
        self._heard = Heard(view.turn if view and isinstance(view.turn, int) else None)
        if count and self._buzzer:
            self._buzzer.beep(BEEP_S, BEEP_S, n=count)


class Board:
    """The pins of this machine, real or not, across closing and opening again. Pins are missed on a Pi, and wherever
    others than the usual ones are configured."""

    def __init__(self, folder: Path, pins: Pins, *, simulate: bool) -> None:
        self._folder, self._pins, self._simulate = folder, pins, simulate
        self._factory: Any = None
        self._gpio: Gpio | None = None

    def open(self) -> Gpio:
        """The buttons as a device: real pins, or mock ones where those are missing and `simulate` allows it. Raises
        DeviceError."""
        mock = False
        if self._factory is not None:
            self._factory.close()
        try:
            self._factory = real_pins(self._folder)
        except DeviceError as error:
            if not self._simulate:
                self._check_missed(error)
                raise
            self._factory, mock = mock_pins(), True
        self._gpio = Gpio(self._factory, self._pins, simulated=mock)
        return self._gpio

    def _check_missed(self, error: DeviceError) -> None:
        """Raises DeviceNotMissed where nobody expects pins."""
        if self._pins == Pins() and not is_pi():
            raise DeviceNotMissed(
                later("This machine is no Pi and has no pins; phones have the same buttons.")
            ) from error

    def show(self, view: View | None) -> None:
        """Lets the lamp and the buzzer tell how the table stands; an outlet of the service."""
        if self._gpio:
            self._gpio.show(view)

    @property
    def lamp(self) -> LampMode:
        """What the lamp shows."""
        return self._gpio.mode if self._gpio else "off"

    @property
    def simulated(self) -> bool:
        """Whether the pins are mock pins, which `press` can drive."""
        return self._gpio is not None and self._gpio.simulated

    def press(self, button: Button) -> None:
        """Presses a simulated button: its pin goes low, then high again; raises DeviceError on real pins."""
        if not self.simulated:
            raise DeviceError(_("The buttons are real here; press the one on the table."))
        pin = self._factory.pin(getattr(self._pins, button))
        pin.drive_low()
        pin.drive_high()
