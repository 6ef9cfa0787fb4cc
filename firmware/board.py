"""The box's pins and what hangs on them: nothing else knows a pin. GP numbers, as printed on the back of a Pico.

Every button connects its pin to ground; the Pico's own pull-ups hold the pins high.
"""

from machine import PWM, WDT, Pin
from neopixel import NeoPixel

SEAT_BUTTONS = (2, 3, 4, 5, 6)
SEAT_LAMPS = (7, 8, 9, 10, 11)
DIAL_A = 12
DIAL_B = 13
DIAL_PUSH = 14
BARS = (15, 16)
BUZZER = 17
PIXELS = 8
"""On each bar."""
WATCHDOG_MS = 2000


class Board:
    """The levels in, lights and sound out."""

    def __init__(self) -> None:
        self._buttons = [Pin(number, Pin.IN, Pin.PULL_UP) for number in SEAT_BUTTONS + (DIAL_PUSH,)]
        self._a, self._b = Pin(DIAL_A, Pin.IN, Pin.PULL_UP), Pin(DIAL_B, Pin.IN, Pin.PULL_UP)
        self._lamps = [Pin(number, Pin.OUT, value=0) for number in SEAT_LAMPS]
        self._bars = [NeoPixel(Pin(number, Pin.OUT), PIXELS) for number in BARS]
        self._shown = [None] * len(BARS)
        self._buzzer = PWM(Pin(BUZZER))
        self._buzzer.freq(1000)
        self._buzzer.duty_u16(0)
        self._watchdog = None

    def guard(self) -> None:
        """From now on the Pico starts anew when `feed` is not called for `WATCHDOG_MS`. There is no way back."""
        self._watchdog = WDT(timeout=WATCHDOG_MS)

    def feed(self) -> None:
        """Says that the loop still runs."""
        self._watchdog.feed()

    def pressed(self) -> list:
        """Which seat buttons are down, and last whether the dial is."""
        return [not button.value() for button in self._buttons]

    def dial(self) -> int:
        """Both contacts of the dial as two bits."""
        return self._a.value() << 1 | self._b.value()

    def light(self, lamps: list) -> None:
        """Lights the seats' lamps."""
        for pin, on in zip(self._lamps, lamps):
            pin.value(1 if on else 0)

    def paint(self, number: int, pixels: list) -> None:
        """Shows pixels on a bar; the line to the bar is used only where something changes, since it takes all
        interrupts for a quarter of a millisecond."""
        if pixels != self._shown[number]:
            self._shown[number] = pixels
            for n, colour in enumerate(pixels):
                self._bars[number][n] = colour
            self._bars[number].write()

    def sound(self, hertz: int) -> None:
        """A tone until told otherwise; 0 is silence."""
        if hertz:
            self._buzzer.freq(hertz)
        self._buzzer.duty_u16(0x4000 if hertz else 0)
