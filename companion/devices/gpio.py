"""Buttons, the status LED and the buzzer on a Raspberry Pi's pins, through gpiozero.

A button connects its pin to ground. The callbacks for gpiozero only put events into a queue, and catch all exceptions:
if a callback raises, the process gets no more GPIO events. `companion.devices.debounce` decides which events are
presses. gpiozero and lgpio are imported late, because lgpio needs a writable folder at import. Open the pins in the
process that uses them: a gpiozero Button that was created before a fork hangs.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from companion.devices import DeviceError, DeviceMissing, DeviceNotNeeded
from companion.devices.debounce import Change, ContactChange, Debouncer
from companion.devices.pins import BOARD, Pins
from companion.games.view import View
from companion.storage_remedies import unusable_folder_remedy
from companion.tabletop.observations import Button, DeviceHealth, Observation
from companion.text.messages import Text, _, joined

NAME = "gpio"
MODEL = Path("/proc/device-tree/model")
"""The file with the model name of a Raspberry Pi."""


PART_NAMES = {
    "next": _("next"),
    "draw": _("draw"),
    "undo": _("undo"),
    "confirm": _("confirm"),
    "led": _("led"),
    "buzzer": _("buzzer"),
}
"""The names of the parts that are connected to the pins, for messages."""

BOUNCE_S = 0.03
"""lgpio reports a change only after the level has been stable for this long. Switches settle within a few
milliseconds."""
HOLD_S = 0.8
"""While undo is held down, another act is undone at this interval."""
BEEP_S = 0.08

LedMode = Literal["off", "on", "recorded", "waiting", "discrepancy"]
BLINKS = {"recorded": (0.5, 0.1), "waiting": (0.8, 0.8), "discrepancy": (0.15, 0.15)}
"""The seconds on and the seconds off, for each mode in which the LED blinks."""


def led_mode(view: View | None) -> LedMode:
    """The mode of the LED for a view. `off`: no game is running; `discrepancy`: there are discrepancies; `waiting`: the
    companion waits for people to deal, to complete a move or to move components; `recorded`: it is a seat's turn, and
    the last move was made on the table, not on a phone; `on`: it is a seat's turn in any other case."""
    if view is None or view.turn is None:
        return "off"
    if view.tabletop.discrepancies:
        return "discrepancy"
    if view.tabletop.begun_move or view.choices.pause_label or not isinstance(view.turn, int):
        return "waiting"
    return "recorded" if view.is_recorded_from_table else "on"


@dataclass(frozen=True)
class TurnBeeper:
    """Decides when the buzzer beeps. It remembers the seat to move in the last view (`turn`)."""

    turn: int | None = None

    def beeps(self, view: View | None, *, pressed: bool) -> int:
        """The number of beeps for a view: two if a button press (`pressed`) was refused, one if another seat is to
        move, else none."""
        if view is None:
            return 0
        return 2 if pressed and view.notice else int(isinstance(view.turn, int) and view.turn != self.turn)


def is_pi() -> bool:
    """Whether this machine is a Raspberry Pi."""
    try:
        return "Raspberry Pi" in MODEL.read_text("ascii", "replace")
    except OSError:  # most other machines have no such file
        return False


def real_pins(folder: Path) -> Any:
    """gpiozero's pin factory for the real pins of a Raspberry Pi. `folder`: a folder in which the library lgpio may
    create a file, as it does at import. Raises DeviceError if the library is missing or the pins can't be opened."""
    os.environ.setdefault("LG_WD", str(folder))
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    except ImportError as error:
        raise DeviceMissing(
            _("The GPIO library is missing."),
            _(
                "On a Pi: sudo apt install python3-lgpio, in an environment that sees the system’s packages. "
                "Elsewhere: use --simulate, or play without buttons."
            ),
        ) from error
    except OSError as error:  # lgpio creates a file in LG_WD at import
        where, what = os.environ["LG_WD"], error.strerror
        message = _("The GPIO library can’t write to {path} ({why}).", path=where, why=what or "")
        raise DeviceMissing(message, unusable_folder_remedy(Path(where))) from error
    try:
        return LGPIOFactory()
    except Exception as error:  # lgpio and gpiozero have error types of their own
        raise DeviceError(_("Can’t open the GPIO pins ({why}).", why=error), _pin_remedy(str(error))) from error


def _pin_remedy(message: str) -> Text:
    if "gpiochip" in message:
        return _("Add your user to the group: sudo usermod -aG gpio $USER, then log in again.")
    return _("Is this a Raspberry Pi? Elsewhere, use --simulate or play without buttons.")


def mock_pins() -> Any:
    """gpiozero's factory for mock pins, which a program can drive."""
    from gpiozero.pins.mock import MockFactory

    return MockFactory()


class Gpio:
    """The buttons, the LED and the buzzer (if any). As a device it reports presses of the four buttons; as a listener
    of the service it shows views on the LED and the buzzer. `factory` is gpiozero's pin factory; `close` leaves it
    open."""

    def __init__(self, factory: Any, pins: Pins = Pins(), *, simulated: bool = False) -> None:
        self.pins = pins
        self.simulated = simulated
        self._events: queue.SimpleQueue[ContactChange | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._mode: LedMode = "off"
        self._turn_beeper, self._pressed = TurnBeeper(), threading.Event()
        self._parts: list[Any] = []
        try:
            self._open(factory)
        except Exception as error:
            self.close()
            message = _("Can’t use a GPIO pin ({why}).", why=error)
            raise DeviceError(message, _("Is another program using it?")) from error

    def _open(self, factory: Any) -> None:
        from gpiozero import LED, Buzzer

        for button in get_args(Button):
            self._parts.append(self._open_button(factory, button))
        self._led = LED(self.pins.led, pin_factory=factory)
        self._parts.append(self._led)
        self._buzzer = None if self.pins.buzzer is None else Buzzer(self.pins.buzzer, pin_factory=factory)
        self._parts += [self._buzzer] if self._buzzer else []

    def _open_button(self, factory: Any, button: Button) -> Any:
        from gpiozero import Button as Switch

        repeats = button == "undo"
        made = Switch(
            getattr(self.pins, button),
            bounce_time=BOUNCE_S,
            hold_time=HOLD_S,
            hold_repeat=repeats,
            pin_factory=factory,
        )
        made.when_pressed, made.when_released = self._handler(button, "down"), self._handler(button, "up")
        if repeats:
            made.when_held = self._handler(button, "held")
        return made

    def _handler(self, button: Button, change: Change) -> Any:
        def happened() -> None:
            try:
                self._events.put(ContactChange(time.monotonic(), button, change))
            except Exception:  # an exception here would end all GPIO events
                return

        return happened

    def __iter__(self) -> Iterator[Observation]:
        yield DeviceHealth(device=NAME, ok=True, message=self.message)
        debouncer = Debouncer()
        while (event := self._events.get()) is not None:
            if press := debouncer.press_of(event):
                if not press.repeats:
                    self._pressed.set()
                yield press

    @property
    def message(self) -> Text:
        """A message for people: the buttons and the light are ready, on these pins; or they are simulated."""
        if self.simulated:
            return _("The four buttons and the light are simulated.")
        return self._ready_message()

    def _ready_message(self) -> Text:
        where = joined(
            ", ", (joined(" ", (PART_NAMES[name], str(BOARD.get(bcm, "?")))) for name, bcm in self.pins.used().items())
        )
        return _("Buttons and light are ready. Pins: {where}.", where=where)

    def close(self) -> None:
        self._events.put(None)
        with self._guard:
            parts, self._parts = self._parts, []
        for part in parts:
            part.close()

    @property
    def mode(self) -> LedMode:
        """The current mode of the LED."""
        return self._mode

    def show(self, view: View | None) -> None:
        """Shows a view on the LED and the buzzer. The service calls this for every new view."""
        mode = led_mode(view)
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
        pressed = self._pressed.is_set()
        self._pressed.clear()
        count = self._turn_beeper.beeps(view, pressed=pressed)
        self._turn_beeper = TurnBeeper(view.turn if view and isinstance(view.turn, int) else None)
        if count and self._buzzer:
            self._buzzer.beep(BEEP_S, BEEP_S, n=count)


class GpioBoard:
    """The pins of this machine, real or mock. They can be closed and opened again. Missing pins are an error only on a
    Pi, or if the pin settings were changed from the defaults."""

    def __init__(self, folder: Path, pins: Pins, *, simulate: bool) -> None:
        self._folder, self._pins, self._simulate = folder, pins, simulate
        self._factory: Any = None
        self._gpio: Gpio | None = None

    def open(self) -> Gpio:
        """Opens the real pins, and returns the buttons as a device. With `simulate`, mock pins replace missing ones.
        Without `simulate`, raises DeviceError if the pins can't be opened."""
        mock = False
        if self._factory is not None:
            self._factory.close()
        try:
            self._factory = real_pins(self._folder)
        except DeviceError as error:
            if not self._simulate:
                self._check_needed(error)
                raise
            self._factory, mock = mock_pins(), True
        self._gpio = Gpio(self._factory, self._pins, simulated=mock)
        return self._gpio

    def _check_needed(self, error: DeviceError) -> None:
        """Raises DeviceNotNeeded if the machine is not a Pi and its pin settings are the defaults."""
        if self._pins == Pins() and not is_pi():
            raise DeviceNotNeeded(
                _("This computer isn’t a Pi and has no GPIO pins. Phones have the same buttons.")
            ) from error

    def show(self, view: View | None) -> None:
        """Shows a view on the LED and the buzzer. The service calls this for every new view."""
        if self._gpio:
            self._gpio.show(view)

    @property
    def lamp(self) -> LedMode:
        """The current mode of the LED, `off` before the pins are opened."""
        return self._gpio.mode if self._gpio else "off"

    @property
    def simulated(self) -> bool:
        """Whether the pins are mock pins, which `press` can drive."""
        return self._gpio is not None and self._gpio.simulated

    def press(self, button: Button) -> None:
        """Presses a simulated button by driving its pin low and high again. Raises DeviceError on real pins."""
        if not self.simulated:
            raise DeviceError(_("This table has real buttons. Press the one on the table."))
        pin = self._factory.pin(getattr(self._pins, button))
        pin.drive_low()
        pin.drive_high()
